// FishNet's own NetworkObserver and ObserverCondition with our condition in them, driven by a network of stubs: FishNetTest.exe ROOT
// FOLDER.

using System.Collections.Generic;
using FishNet.Connection;
using FishNet.Managing.Server;
using FishNet.Object;
using FishNet.Observing;
using UnityEngine;
using Viewcell;

static class FishNetTest
{
    static readonly ServerManager Server = new ServerManager();
    static readonly List<NetworkObject> Objects = new List<NetworkObject>();

    static int Main(string[] arguments)
    {
        Frames frames = new Frames(arguments[0], arguments[1]);
        ViewcellWorld world = Frames.AddWorld(new GameObject("world"));
        ViewcellObserverCondition.RoundTrip = client => Frames.Pings[client.ClientId - 7];
        NetworkConnection[] clients = new NetworkConnection[Frames.Players];
        for (int i = 0; i < clients.Length; i++) Server.Clients.Add(i + 7, clients[i] = new NetworkConnection { ClientId = i + 7 });
        NetworkObject chest = Spawn("chest", null, default(Vector3));
        frames.Play("FishNet", world, 0,
            i => Spawn("player " + i, clients[i], Frames.Unity(frames.At[i])),
            i => Despawn(clients[i]),
            i => clients[i].FirstObject.transform,
            (a, b, expected, what) =>
            {
                Frames.Check(clients[a].Spawned.Contains(chest), "what is no player is observed by all");
                Frames.Check(clients[a].Spawned.Contains(clients[b].FirstObject) == expected, what);
            });
        return 0;
    }

    static NetworkObject Spawn(string name, NetworkConnection owner, Vector3 at)
    {
        GameObject made = new GameObject(name);
        made.transform.position = at;
        NetworkObject of = made.AddComponent<NetworkObject>();
        of.ServerManager = Server;
        if (owner != null) { of.Owner = owner; owner.FirstObject = of; }
        NetworkObserver observer = made.AddComponent<NetworkObserver>();
        observer._observerConditions.Add(ScriptableObject.CreateInstance<ViewcellObserverCondition>());
        observer.Initialize(of);
        Objects.Add(of);
        Server.Objects.RebuildObservers(of);
        // Whoever became a player is checked for what is there.
        if (owner != null) foreach (NetworkObject other in Objects) Server.Objects.RebuildObservers(other, owner);
        return of;
    }

    static void Despawn(NetworkConnection owner)
    {
        foreach (NetworkConnection client in Server.Clients.Values) client.Spawned.Remove(owner.FirstObject);
        Objects.Remove(owner.FirstObject);
        owner.FirstObject.GetComponent<NetworkObserver>().Deinitialize(true);
        owner.FirstObject = null;
    }
}
