// Our component for Netcode for GameObjects, driven by a network of stubs: NetcodeTest.exe ROOT FOLDER.

using System.Collections.Generic;
using Unity.Netcode;
using UnityEngine;
using Viewcell;

static class NetcodeTest
{
    static int Main(string[] arguments)
    {
        Frames frames = new Frames(arguments[0], arguments[1]);
        Frames.Refusals(arguments[0], arguments[1]);
        Frames.Gizmo(arguments[0]);
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
        frames.Play("Netcode for GameObjects (stubs)", world, 1,
            i =>
            {
                GameObject made = new GameObject("player " + i);
                made.transform.position = Frames.Unity(frames.At[i]);
                clients[i].PlayerObject = made.AddComponent<NetworkObject>();
                made.AddComponent<ViewcellVisibility>();
                clients[i].PlayerObject.Spawn((ulong)i);
            },
            i => { clients[i].PlayerObject.Despawn(); clients[i].PlayerObject = null; },
            i => clients[i].PlayerObject.transform,
            (a, b, expected, what) => Frames.Check(clients[b].PlayerObject.IsNetworkVisibleTo((ulong)a) == (expected || a == 0), what));
        return 0;
    }
}
