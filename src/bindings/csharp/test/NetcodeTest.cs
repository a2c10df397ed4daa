// Our component for Netcode for GameObjects, driven by a network of stubs: NetcodeTest.exe ROOT FOLDER.

using System.Collections.Generic;
using Unity.Netcode;
using UnityEngine;
using Viewcell;

static class NetcodeTest
{
    static int Main(string[] arguments)
    {
        const int Count = 4000;
        Frames frames = new Frames(arguments[0], arguments[1]);
        Frames.Refusals(arguments[0], arguments[1]);
        ViewcellWorld world = Frames.AddWorld(new GameObject("world"));
        NetworkManager manager = NetworkManager.Singleton;
        // The first player is the host's, whom nothing can be hidden from.
        manager.NetworkConfig.NetworkTransport.Rtt = client =>
        {
            Frames.Check(client != NetworkManager.ServerClientId, "the host has no transport");
            return (ulong)(1000 * Frames.Pings[client]);
        };
        NetworkClient[] clients = new NetworkClient[Frames.Players];
        for (int i = 0; i < clients.Length; i++) manager.Clients.Add((ulong)i, clients[i] = new NetworkClient { ClientId = (ulong)i });
        bool[] isThere = new bool[Frames.Players];
        for (int frame = 0; frame < Count; frame++)
        {
            for (int i = 0; i < clients.Length; i++)
            {
                bool comes = frame >= 3 * i && (i != 1 || frame % 500 < 450);
                if (comes && !isThere[i])
                {
                    GameObject made = new GameObject("player " + i);
                    made.transform.position = Frames.Unity(frames.At[i]);
                    clients[i].PlayerObject = made.AddComponent<NetworkObject>();
                    made.AddComponent<ViewcellVisibility>();
                    clients[i].PlayerObject.Spawn((ulong)i);
                }
                if (!comes && isThere[i]) { clients[i].PlayerObject.Despawn(); clients[i].PlayerObject = null; }
                isThere[i] = comes;
            }
            frames.Step(isThere);
            for (int i = 0; i < clients.Length; i++) if (isThere[i]) clients[i].PlayerObject.transform.position = Frames.Unity(frames.At[i]);
            Time.realtimeSinceStartupAsDouble = frames.Now;
            GameObject.Send(world, "LateUpdate");
            for (int a = 0; a < clients.Length; a++)
                for (int b = 0; b < clients.Length; b++)
                {
                    if (!isThere[b]) continue;
                    bool expected = a == 0 || !isThere[a] || frames.Expected[a, b];
                    Frames.Check(clients[b].PlayerObject.IsNetworkVisibleTo((ulong)a) == expected, "frame " + frame + ": " + a + " observes " + b + " is " + expected);
                }
        }
        frames.Report("Netcode for GameObjects (stubs)", Count);
        return 0;
    }
}
