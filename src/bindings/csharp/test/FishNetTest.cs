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
        const int Count = 4000;
        Frames frames = new Frames(arguments[0], arguments[1]);
        ViewcellWorld world = Frames.AddWorld(new GameObject("world"));
        ViewcellObserverCondition.RoundTrip = client => Frames.Pings[client.ClientId - 7];
        NetworkConnection[] clients = new NetworkConnection[Frames.Players];
        for (int i = 0; i < clients.Length; i++) Server.Clients.Add(i + 7, clients[i] = new NetworkConnection { ClientId = i + 7 });
        NetworkObject chest = Spawn("chest", null, default(Vector3));
        bool[] isThere = new bool[Frames.Players];
        for (int frame = 0; frame < Count; frame++)
        {
            for (int i = 0; i < clients.Length; i++)
            {
                bool comes = frame >= 3 * i && (i > 0 || frame % 500 < 450);
                if (comes && !isThere[i]) Spawn("player " + i, clients[i], Frames.Unity(frames.At[i]));
                if (!comes && isThere[i]) Despawn(clients[i]);
                isThere[i] = comes;
            }
            frames.Step(isThere);
            for (int i = 0; i < clients.Length; i++) if (isThere[i]) clients[i].FirstObject.transform.position = Frames.Unity(frames.At[i]);
            Time.realtimeSinceStartupAsDouble = frames.Now;
            GameObject.Send(world, "LateUpdate");
            for (int a = 0; a < clients.Length; a++)
            {
                Frames.Check(clients[a].Spawned.Contains(chest), "what is no player is observed by all");
                for (int b = 0; b < clients.Length; b++)
                {
                    if (!isThere[b]) continue;
                    bool expected = !isThere[a] || frames.Expected[a, b];
                    Frames.Check(clients[a].Spawned.Contains(clients[b].FirstObject) == expected, "frame " + frame + ": " + a + " observes " + b + " is " + expected);
                }
            }
        }
        frames.Report("FishNet", Count);
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
