// Stand-ins for what our component uses of Netcode for GameObjects, written from its public documentation: a server whose network is
// the set of clients that each object is visible to.

using System;
using System.Collections.Generic;
using UnityEngine;

namespace Unity.Netcode
{
    public class NetworkObject : MonoBehaviour
    {
        public delegate bool VisibilityDelegate(ulong clientId);
        public VisibilityDelegate CheckObjectVisibility;
        public NetworkManager NetworkManager { get { return NetworkManager.Singleton; } }
        public ulong OwnerClientId;
        public bool IsSpawned;
        private readonly HashSet<ulong> observers = new HashSet<ulong>();

        public bool IsNetworkVisibleTo(ulong clientId) { return IsSpawned && observers.Contains(clientId); }

        public void NetworkShow(ulong clientId)
        {
            if (!IsSpawned || observers.Contains(clientId)) throw new InvalidOperationException("not spawned, or already visible");
            // Refused, as the real one does.
            if (CheckObjectVisibility != null && !CheckObjectVisibility(clientId)) return;
            observers.Add(clientId);
        }

        public void NetworkHide(ulong clientId)
        {
            if (!IsSpawned || !observers.Contains(clientId)) throw new InvalidOperationException("not spawned, or already hidden");
            if (clientId == NetworkManager.ServerClientId) throw new InvalidOperationException("the server sees all");
            observers.Remove(clientId);
        }

        public void Spawn(ulong owner)
        {
            IsSpawned = true;
            OwnerClientId = owner;
            foreach (NetworkClient client in NetworkManager.ConnectedClientsList) Look(client);
        }

        // When the object is spawned, and when a client joins.
        public void Look(NetworkClient client)
        {
            if (client.ClientId == NetworkManager.ServerClientId || client.ClientId == OwnerClientId || CheckObjectVisibility == null || CheckObjectVisibility(client.ClientId))
                observers.Add(client.ClientId);
        }

        public void Despawn() { IsSpawned = false; observers.Clear(); }
    }

    public class NetworkClient { public ulong ClientId; public NetworkObject PlayerObject; }
    public class NetworkTransport { public Func<ulong, ulong> Rtt; public ulong GetCurrentRtt(ulong clientId) { return Rtt(clientId); } }
    public class NetworkConfig { public NetworkTransport NetworkTransport = new NetworkTransport(); }

    public class NetworkManager
    {
        public const ulong ServerClientId = 0;
        public static NetworkManager Singleton = new NetworkManager();
        public bool IsServer = true;
        public NetworkConfig NetworkConfig = new NetworkConfig();
        public readonly Dictionary<ulong, NetworkClient> Clients = new Dictionary<ulong, NetworkClient>();
        public IReadOnlyDictionary<ulong, NetworkClient> ConnectedClients { get { return Clients; } }
        public IReadOnlyList<NetworkClient> ConnectedClientsList { get { return new List<NetworkClient>(Clients.Values); } }
    }
}
