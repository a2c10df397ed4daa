// Interest management for Mirror by sight. Put it on the object of the NetworkManager, with a ViewcellWorld.

using System.Collections.Generic;
using Mirror;
using UnityEngine;

namespace Viewcell
{
    // Players are spawned for those who may see them before the next update counts, and for nobody else. What is no player is
    // observed by all.
    [RequireComponent(typeof(ViewcellWorld))]
    public class ViewcellInterestManagement : InterestManagement
    {
        [Tooltip("Whether connections without a player observe everybody: spectators, and the dead.")]
        public bool spectatorsObserve = true;

        private ViewcellWorld world;

        protected override void OnEnable()
        {
            base.OnEnable();
            world = GetComponent<ViewcellWorld>();
            world.Drive = Drive;
        }

        // The connection whose player something is or belongs to, such as a weapon that is spawned by itself; null of what all observe.
        protected virtual NetworkConnectionToClient PlayerOf(NetworkIdentity identity)
        {
            NetworkConnectionToClient owner = identity.connectionToClient;
            return owner != null && owner.identity == identity ? owner : null;
        }

        // The round trip to a client in seconds. A client that reports another changes how far ahead it sees, up to the world's
        // limit, and nothing else.
        protected virtual double RoundTrip(NetworkConnectionToClient connection) { return connection.rtt; }

        private void Drive(double time)
        {
            if (!NetworkServer.active) return;
            foreach (NetworkConnectionToClient connection in NetworkServer.connections.Values)
                if (IsThere(connection)) Put(connection);
            foreach (long key in world.Sets.Update(time))
            {
                NetworkConnectionToClient connection;
                if (NetworkServer.connections.TryGetValue((int)key, out connection) && IsThere(connection)) Rebuild(connection);
            }
        }

        // Has the observers of a player, and of all that belongs to them, built anew.
        protected virtual void Rebuild(NetworkConnectionToClient connection) { NetworkServer.RebuildObservers(connection.identity, false); }

        private static bool IsThere(NetworkConnectionToClient connection)
        {
            return connection != null && connection.isAuthenticated && connection.identity != null;
        }

        private void Put(NetworkConnectionToClient connection)
        {
            world.Put(connection.connectionId, connection.identity.transform, RoundTrip(connection));
        }

        private bool Observes(NetworkConnectionToClient viewer, NetworkConnectionToClient player)
        {
            if (!IsThere(viewer)) return viewer != null && spectatorsObserve;
            if (!IsThere(player)) return true;
            if (!world.Knows(viewer.connectionId)) Put(viewer);
            if (!world.Knows(player.connectionId)) Put(player);
            return world.Observes(viewer.connectionId, player.connectionId);
        }

        public override bool OnCheckObserver(NetworkIdentity identity, NetworkConnectionToClient newObserver)
        {
            NetworkConnectionToClient player = PlayerOf(identity);
            return player == null || Observes(newObserver, player);
        }

        public override void OnRebuildObservers(NetworkIdentity identity, HashSet<NetworkConnectionToClient> newObservers)
        {
            NetworkConnectionToClient player = PlayerOf(identity);
            foreach (NetworkConnectionToClient connection in NetworkServer.connections.Values)
                if (connection != null && connection.isAuthenticated && (player == null || Observes(connection, player)))
                    newObservers.Add(connection);
        }
    }
}
