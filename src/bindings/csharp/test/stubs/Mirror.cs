// Stand-ins for what Mirror's InterestManagement and ours use of Mirror: a server whose network is a set of what each client was shown.

using System;
using System.Collections.Generic;
using UnityEngine;

namespace Mirror
{
    [AttributeUsage(AttributeTargets.Method)] public class ServerCallbackAttribute : Attribute { }

    public enum Visibility { Default, ForceHidden, ForceShown }

    public class NetworkIdentity : MonoBehaviour
    {
        public Visibility visibility;
        public NetworkConnectionToClient connectionToClient;
        public readonly Dictionary<int, NetworkConnectionToClient> observers = new Dictionary<int, NetworkConnectionToClient>();
    }

    public class NetworkConnectionToClient
    {
        public readonly int connectionId;
        public bool isReady = true, isAuthenticated = true;
        public NetworkIdentity identity;
        public double rtt;
        // What its client has been told to spawn, and not to destroy since.
        public readonly HashSet<NetworkIdentity> Spawned = new HashSet<NetworkIdentity>();

        public NetworkConnectionToClient(int id) { connectionId = id; }
        public void AddToObserving(NetworkIdentity identity) { Spawned.Add(identity); }
        public void RemoveFromObserving(NetworkIdentity identity, bool isDestroyed) { Spawned.Remove(identity); }
    }

    public static class NetworkServer
    {
        public static bool active = true;
        public static InterestManagementBase aoi;
        public static NetworkConnectionToClient localConnection;
        public static readonly Dictionary<int, NetworkConnectionToClient> connections = new Dictionary<int, NetworkConnectionToClient>();
        public static readonly Dictionary<uint, NetworkIdentity> spawned = new Dictionary<uint, NetworkIdentity>();
        public static void RebuildObservers(NetworkIdentity identity, bool initialize) { aoi.Rebuild(identity, initialize); }
    }

    public static class NetworkClient { public static InterestManagementBase aoi; }
}
