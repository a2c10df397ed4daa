// Stand-ins for what FishNet's ObserverCondition and NetworkObserver, and our condition, use of FishNet: a server whose network is a
// set of what each client was shown.

using System;
using System.Collections.Generic;
using UnityEngine;

namespace UnityEngine
{
    [AttributeUsage(AttributeTargets.All)] public class AddComponentMenu : Attribute { public AddComponentMenu(string path) { } }
}

namespace GameKit.Dependencies.Utilities.Types
{
    public interface IOrderable { int Order { get; } }
}

namespace GameKit.Dependencies.Utilities
{
    public static class CollectionCaches<T>
    {
        public static List<T> RetrieveList() { return new List<T>(); }
        public static HashSet<T> RetrieveHashSet() { return new HashSet<T>(); }
        public static void Store(ICollection<T> of) { }
    }

    public static class Ordering
    {
        public static void AddOrdered<T>(this List<T> to, T item) where T : Types.IOrderable
        {
            int at = 0;
            while (at < to.Count && to[at].Order <= item.Order) at++;
            to.Insert(at, item);
        }
    }
}

namespace FishNet.Documenting { public class APIExcludeAttribute : Attribute { } }

namespace FishNet.Transporting
{
    public enum RemoteConnectionState { Stopped, Started }
    public struct RemoteConnectionStateArgs { public RemoteConnectionState ConnectionState; }
}

namespace FishNet.Managing { public class NetworkManager { public void LogError(string words) { throw new Exception(words); } } }

namespace FishNet.Connection
{
    public class NetworkConnection
    {
        public int ClientId = -1;
        public bool IsValid { get { return ClientId >= 0; } }
        public Object.NetworkObject FirstObject;
        // What its client has been told to spawn, and not to despawn since.
        public readonly HashSet<Object.NetworkObject> Spawned = new HashSet<Object.NetworkObject>();
    }
}

namespace FishNet.Observing
{
    public enum ObserverConditionType : byte { Normal = 1, Timed = 2 }
    internal enum ObserverStateChange : byte { Unchanged, Added, Removed }
    public class ObserverManager { public bool UpdateHostVisibility = true; }
}

namespace FishNet.Object
{
    using Connection;
    using Observing;

    public class NetworkBehaviour : MonoBehaviour { public NetworkObject NetworkObject; }

    public class NetworkObject : MonoBehaviour
    {
        public Managing.NetworkManager NetworkManager = new Managing.NetworkManager();
        public Managing.Server.ServerManager ServerManager;
        public ObserverManager ObserverManager = new ObserverManager();
        public NetworkConnection Owner = new NetworkConnection();
        public NetworkBehaviour CurrentParentNetworkBehaviour = null;
        public readonly HashSet<NetworkConnection> Observers = new HashSet<NetworkConnection>();
    }
}

namespace FishNet.Managing.Server
{
    using Connection;
    using Object;
    using Observing;

    public class ServerManager
    {
        public readonly Dictionary<int, NetworkConnection> Clients = new Dictionary<int, NetworkConnection>();
        public readonly ServerObjects Objects;
        public event Action<NetworkConnection, Transporting.RemoteConnectionStateArgs> OnRemoteConnectionState;

        public ServerManager() { Objects = new ServerObjects(this); }
        public void Stop(NetworkConnection client) { OnRemoteConnectionState(client, default(Transporting.RemoteConnectionStateArgs)); }
    }

    public class ServerObjects
    {
        private readonly ServerManager server;
        public ServerObjects(ServerManager server) { this.server = server; }
        public void AddTimedNetworkObserver(NetworkObject of) { }
        public void RemoveTimedNetworkObserver(NetworkObject of) { }

        public void RebuildObservers(NetworkObject of)
        {
            foreach (NetworkConnection client in server.Clients.Values) RebuildObservers(of, client);
        }

        public void RebuildObservers(NetworkObject of, NetworkConnection client)
        {
            ObserverStateChange change = of.GetComponent<NetworkObserver>().RebuildObservers(client, false);
            if (change == ObserverStateChange.Added) { of.Observers.Add(client); client.Spawned.Add(of); }
            if (change == ObserverStateChange.Removed) { of.Observers.Remove(client); client.Spawned.Remove(of); }
        }
    }
}
