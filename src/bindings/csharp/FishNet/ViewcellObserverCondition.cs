// An observer condition for FishNet by sight: Assets > Create > FishNet > Observers > Viewcell Condition, then in the list of the
// player's NetworkObserver. The scene has a ViewcellWorld.

using System;
using FishNet.Connection;
using FishNet.Managing.Server;
using FishNet.Object;
using FishNet.Observing;
using UnityEngine;

namespace Viewcell
{
    // A client's player, which is its first object, is observed by those who may see it before the next update counts. What is no
    // player is observed by all.
    [CreateAssetMenu(menuName = "FishNet/Observers/Viewcell Condition", fileName = "New Viewcell Condition")]
    public class ViewcellObserverCondition : ObserverCondition
    {
        // The round trip to a client in seconds. FishNet's server does not measure it: until this is set, all see as far ahead as the
        // world allows.
        public static Func<NetworkConnection, double> RoundTrip;

        private static ServerManager server;

        public override void Initialize(NetworkObject networkObject)
        {
            base.Initialize(networkObject);
            server = networkObject.ServerManager;
            if (ViewcellWorld.Active != null) ViewcellWorld.Active.Drive = Drive;
        }

        public override ObserverConditionType GetConditionType() { return ObserverConditionType.Normal; }

        public override bool ConditionMet(NetworkConnection connection, bool currentlyAdded, out bool notProcessed)
        {
            notProcessed = false;
            ViewcellWorld world = ViewcellWorld.Active;
            NetworkConnection owner = NetworkObject.Owner;
            if (world == null || !IsThere(owner) || owner.FirstObject != NetworkObject || !IsThere(connection)) return true;
            if (!world.Knows(connection.ClientId)) Put(world, connection);
            if (!world.Knows(owner.ClientId)) Put(world, owner);
            return world.Observes(connection.ClientId, owner.ClientId);
        }

        private static bool IsThere(NetworkConnection connection) { return connection != null && connection.IsValid && connection.FirstObject != null; }

        private static void Put(ViewcellWorld world, NetworkConnection of)
        {
            world.Put(of.ClientId, of.FirstObject.transform, RoundTrip != null ? RoundTrip(of) : world.maxAhead);
        }

        private static void Drive(double time)
        {
            ViewcellWorld world = ViewcellWorld.Active;
            if (world == null || server == null) return;
            foreach (NetworkConnection connection in server.Clients.Values)
                if (IsThere(connection)) Put(world, connection);
            foreach (long key in world.Sets.Update(time))
            {
                NetworkConnection connection;
                if (server.Clients.TryGetValue((int)key, out connection) && IsThere(connection)) server.Objects.RebuildObservers(connection.FirstObject);
            }
        }
    }
}
