// Visibility of network objects for Netcode for GameObjects by sight. Put it on the player's prefab; the scene has a ViewcellWorld.

using Unity.Netcode;
using UnityEngine;

namespace Viewcell
{
    // The player's object is spawned for those who may see it before the next update counts, and for nobody else.
    [RequireComponent(typeof(NetworkObject))]
    public class ViewcellVisibility : MonoBehaviour
    {
        private NetworkObject body;

        protected virtual void Awake()
        {
            body = GetComponent<NetworkObject>();
            // Asked when the object is spawned, and when a client joins: both before the next update.
            body.CheckObjectVisibility = IsVisibleTo;
        }

        protected virtual void OnEnable()
        {
            if (ViewcellWorld.Active != null) ViewcellWorld.Active.Drive = Drive;
        }

        private bool IsVisibleTo(ulong client)
        {
            NetworkManager manager = body.NetworkManager;
            ViewcellWorld world = ViewcellWorld.Active;
            if (world == null || manager == null || client == body.OwnerClientId) return true;
            NetworkClient viewer;
            // Whoever has no player sees all.
            if (!manager.ConnectedClients.TryGetValue(client, out viewer) || viewer.PlayerObject == null) return true;
            if (!world.Knows((long)client)) Put(world, manager, client, viewer.PlayerObject);
            if (!world.Knows((long)body.OwnerClientId)) Put(world, manager, body.OwnerClientId, body);
            return world.Observes((long)client, (long)body.OwnerClientId);
        }

        private static void Put(ViewcellWorld world, NetworkManager manager, ulong client, NetworkObject of)
        {
            // The host's own player has no transport.
            double ping = client == NetworkManager.ServerClientId ? 0 : 0.001 * manager.NetworkConfig.NetworkTransport.GetCurrentRtt(client);
            world.Put((long)client, of.transform, ping);
        }

        private static void Drive(double time)
        {
            NetworkManager manager = NetworkManager.Singleton;
            ViewcellWorld world = ViewcellWorld.Active;
            if (manager == null || !manager.IsServer || world == null) return;
            foreach (NetworkClient client in manager.ConnectedClientsList)
                if (client.PlayerObject != null && client.PlayerObject.IsSpawned) Put(world, manager, client.ClientId, client.PlayerObject);
            foreach (long key in world.Sets.Update(time))
            {
                NetworkClient player;
                if (!manager.ConnectedClients.TryGetValue((ulong)key, out player) || player.PlayerObject == null) continue;
                ViewcellVisibility visibility = player.PlayerObject.GetComponent<ViewcellVisibility>();
                if (visibility == null || !player.PlayerObject.IsSpawned) continue;
                foreach (NetworkClient viewer in manager.ConnectedClientsList)
                {
                    // Nothing can be hidden from the server, nor a player from themselves.
                    if (viewer.ClientId == NetworkManager.ServerClientId || viewer.ClientId == player.ClientId) continue;
                    bool shows = visibility.IsVisibleTo(viewer.ClientId);
                    if (shows == player.PlayerObject.IsNetworkVisibleTo(viewer.ClientId)) continue;
                    if (shows) player.PlayerObject.NetworkShow(viewer.ClientId); else player.PlayerObject.NetworkHide(viewer.ClientId);
                }
            }
        }
    }
}
