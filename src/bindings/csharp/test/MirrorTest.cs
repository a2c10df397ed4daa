// Mirror's own InterestManagement with ours on it, driven by a network of stubs: MirrorTest.exe ROOT FOLDER.

using System;
using Mirror;
using UnityEngine;
using Viewcell;

static class MirrorTest
{
    static int Main(string[] arguments)
    {
        Frames frames = new Frames(arguments[0], arguments[1]);
        GameObject manager = new GameObject("NetworkManager");
        ViewcellWorld world = Frames.AddWorld(manager);
        ViewcellInterestManagement management = manager.AddComponent<ViewcellInterestManagement>();
        Frames.Check(NetworkServer.aoi == management && ViewcellWorld.Active == world, "Mirror asks the component");

        NetworkConnectionToClient[] clients = new NetworkConnectionToClient[Frames.Players];
        for (int i = 0; i < clients.Length; i++)
        {
            clients[i] = new NetworkConnectionToClient(i + 7) { rtt = Frames.Pings[i] };
            NetworkServer.connections.Add(i + 7, clients[i]);
        }
        NetworkIdentity chest = new GameObject("chest").AddComponent<NetworkIdentity>();
        Spawn(chest, null);
        // Who dies watches for a while.
        frames.Play("Mirror", world, 0,
            i => Spawn(new GameObject("player " + i).AddComponent<NetworkIdentity>(), clients[i], Frames.Unity(frames.At[i])),
            i => Destroy(clients[i]),
            i => clients[i].identity.transform,
            (a, b, expected, what) =>
            {
                Frames.Check(clients[a].Spawned.Contains(chest), "what is no player is observed by all");
                Frames.Check(clients[a].Spawned.Contains(clients[b].identity) == expected, what);
                Frames.Check(clients[b].identity.observers.ContainsKey(a + 7) == expected, "Mirror's observers");
            });
        return 0;
    }

    // As Mirror's server does.
    static void Spawn(NetworkIdentity identity, NetworkConnectionToClient owner, Vector3 at = default(Vector3))
    {
        identity.transform.position = at;
        identity.connectionToClient = owner;
        if (owner != null) owner.identity = identity;
        NetworkServer.spawned.Add((uint)NetworkServer.spawned.Count + 1, identity);
        NetworkServer.RebuildObservers(identity, true);
        if (owner == null) return;
        // And whoever became a player is checked for what is there.
        foreach (NetworkIdentity other in NetworkServer.spawned.Values)
            if (other != identity && other.visibility == Visibility.Default && !other.observers.ContainsKey(owner.connectionId) && NetworkServer.aoi.OnCheckObserver(other, owner))
            {
                owner.AddToObserving(other);
                other.observers.Add(owner.connectionId, owner);
            }
    }

    static void Destroy(NetworkConnectionToClient owner)
    {
        foreach (NetworkConnectionToClient client in NetworkServer.connections.Values) client.Spawned.Remove(owner.identity);
        owner.identity.visibility = Visibility.ForceHidden;
        owner.identity.connectionToClient = null;
        owner.identity = null;
    }
}
