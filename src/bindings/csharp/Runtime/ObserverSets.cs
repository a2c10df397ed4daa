// Server-side interest management by sight: who observes whom, frame by frame, for any networking library.

using System;
using System.Collections.Generic;

namespace Viewcell
{
    // How players move, and what an observer set is kept for. In the unit of the bundle, and seconds.
    public struct ObserverOptions
    {
        // How fast players are at most. Where accelerations are finite, velocities count as well.
        public MotionLimits Limits;
        // By how much stairs may bring a player higher at once.
        public double StepHeight;
        // The longest time from one update to the next, with the jitter of the server's frames.
        public double Interval;
        // Whoever sees further ahead than this, by their ping, observes everybody.
        public double MaxAhead;
        // For how long an observer is kept after sight has ended, so that objects are not destroyed and made again all the time.
        public double Hold;
        // Most microseconds of an update; pairs that are not come to are observed. Where Work is not 0, so many looks instead: the
        // same answers on every machine.
        public uint Microseconds, Work;
        // The most players at a time; of 256 and fewer in a solid level a watch is kept.
        public int Players;

        // In metres; players may turn at once.
        public static ObserverOptions OfSpeed(double along, double up)
        {
            return new ObserverOptions
            {
                Limits = MotionLimits.OfSpeed(along, up), StepHeight = 0.4, Interval = 0.1, MaxAhead = 0.3, Hold = 1,
                Microseconds = 500, Players = 128,
            };
        }
    }

    // Who observes whom. Each frame of the server: Put for everybody who is there, Update, and then Observes. Hidden is only who was
    // proven hidden for all that both may reach until the next update counts; whoever is not known sees all and is seen by all.
    // One thread at a time; an update allocates nothing but for new players.
    public sealed class ObserverSets : IDisposable
    {
        private sealed class Player
        {
            internal long Key;
            internal Mover Sees, Shown;
            // Put since the last update; in the sets of the last update.
            internal bool IsPut, IsKnown;
            // Whether where they were put last says how fast they are.
            internal bool HasTrack;
            // When they were put last.
            internal double Time;
            internal int Slot;
            // By slot of the viewer: until when they observe this player, if not by sight.
            internal double[] Until;
            internal bool[] Observed;
        }

        private readonly Bundle bundle;
        private readonly ObserverOptions options;
        private readonly Watch watch;
        private readonly Dictionary<long, Player> players = new Dictionary<long, Player>();
        private readonly Player[] slots;
        private readonly Stack<int> free = new Stack<int>();
        private readonly List<long> changed = new List<long>(), gone = new List<long>();

        // Of a bundle, which may be closed when these are.
        public ObserverSets(Bundle bundle, ObserverOptions options)
        {
            if (bundle == null) throw new ArgumentNullException("bundle");
            if (!(options.Interval > 0) || double.IsInfinity(options.Interval))
                throw new ArgumentException("Interval: expected seconds above 0, found " + options.Interval, "options");
            if (!(options.MaxAhead >= options.Interval))
                throw new ArgumentException("MaxAhead: expected at least the Interval of " + options.Interval + " s, found " + options.MaxAhead, "options");
            if (!(options.Hold >= 0)) throw new ArgumentException("Hold: expected seconds from 0, found " + options.Hold, "options");
            if (options.Players < 1) throw new ArgumentException("Players: expected at least 1, found " + options.Players, "options");
            this.bundle = bundle;
            this.options = options;
            slots = new Player[options.Players];
            for (int slot = options.Players - 1; slot >= 0; slot--) free.Push(slot);
            if (bundle.Kind != WorldKind.Solid || options.Players > Watch.MostPlayers) return;
            try { watch = new Watch(bundle, options.Players, options.MaxAhead); }
            // A bundle without occluders is asked pair by pair.
            catch (ViewcellException error) { if (error.Status != Status.Format) throw; }
        }

        public void Dispose() { if (watch != null) watch.Dispose(); }

        // Whether a watch is kept, which hides more than pairs asked one by one.
        public bool IsWatched { get { return watch != null; } }

        // Pairs of the last update, and how many of them are hidden, before any are held.
        public int Pairs { get; private set; }
        public int Hidden { get; private set; }

        // Closed doors and smoke, as Watch.Occluders takes them. Where no watch is kept they hide nothing.
        public void Occluders(ReadOnlySpan<Box> doors, ReadOnlySpan<Smoke> smokes = default) { if (watch != null) watch.Occluders(doors, smokes); }

        // Where a player is at a time in seconds, in the bundle's coordinates, and the round trip to their client. Their velocity is
        // that since they were put last. False where there is no room: then all observe them.
        public bool Put(long key, Position position, double ping, double time)
        {
            Player player = Of(key);
            if (player == null) return false;
            MotionLimits limits = options.Limits;
            double passed = time - player.Time;
            Position velocity = default(Position), before = player.Sees.Position;
            bool isKnown = player.HasTrack && passed > 0 && passed <= 0.25 && IsWithin(before, position, limits, passed);
            player.HasTrack = true;
            if (isKnown)
            {
                velocity = new Position((position.X - before.X) / passed, (position.Y - before.Y) / passed, (position.Z - before.Z) / passed);
                // The velocity now may differ from that by what they could change it by meanwhile, and by two errors of positions.
                limits.Impulse = new Limit(
                    2 * limits.Impulse.Along + limits.Acceleration.Along * passed + 2 * limits.Error.Along / passed,
                    2 * limits.Impulse.Up + limits.Acceleration.Up * passed + 2 * limits.Error.Up / passed);
            }
            Set(player, position, velocity, isKnown, limits, ping, time);
            return true;
        }

        // Whether somebody who keeps to limits comes from one position to another in a time.
        private bool IsWithin(Position from, Position to, MotionLimits limits, double passed)
        {
            double x = to.X - from.X, y = to.Y - from.Y, z = to.Z - from.Z;
            // Up is where the level's z points.
            int axis = Math.Abs(bundle.Axes.Z);
            double up = axis == 1 ? x : axis == 2 ? y : z, a = axis == 1 ? y : x, b = axis == 3 ? y : z;
            return Math.Sqrt(a * a + b * b) <= limits.Speed.Along * passed + 2 * limits.Error.Along
                && Math.Abs(up) <= limits.Speed.Up * passed + 2 * limits.Error.Up;
        }

        // A player is put elsewhere: where they were tells nothing of their velocity. To be called before they are put there.
        public void Teleport(long key)
        {
            Player player;
            if (players.TryGetValue(key, out player)) player.HasTrack = false;
        }

        // The same where the server knows the velocity.
        public bool Put(long key, Position position, Position velocity, double ping, double time)
        {
            Player player = Of(key);
            if (player == null) return false;
            Set(player, position, velocity, true, options.Limits, ping, time);
            return true;
        }

        private Player Of(long key)
        {
            Player player;
            if (players.TryGetValue(key, out player)) return player;
            if (free.Count == 0) return null;
            player = new Player { Key = key, Slot = free.Pop(), Until = new double[slots.Length], Observed = new bool[slots.Length] };
            slots[player.Slot] = player;
            players.Add(key, player);
            return player;
        }

        private void Set(Player player, Position position, Position velocity, bool hasVelocity, MotionLimits limits, double ping, double time)
        {
            Mover mover = new Mover { Position = position, Velocity = velocity, HasVelocity = hasVelocity, Limits = limits };
            // A ping that is none is one of which nothing is known.
            double ahead = ping + options.Interval;
            mover.Until = ping >= 0 && ahead <= options.MaxAhead ? ahead : double.PositiveInfinity;
            player.Sees = mover;
            mover.Until = options.Interval;
            player.Shown = mover;
            player.Time = time;
            player.IsPut = true;
        }

        // Who observes whom at a time. Whoever was not put since the last update has gone. Gives those whose observers have changed,
        // new players included, until the next update.
        public IReadOnlyList<long> Update(double time)
        {
            changed.Clear();
            gone.Clear();
            foreach (Player player in players.Values) if (!player.IsPut) gone.Add(player.Key);
            foreach (long key in gone) Remove(key);
            if (watch != null)
            {
                foreach (Player player in players.Values)
                    watch.Set(player.Slot, new Watched { Sees = player.Sees, Shown = player.Shown, Step = options.StepHeight });
                watch.Begin();
                if (options.Work > 0) watch.Look(options.Work); else watch.LookFor(options.Microseconds);
            }
            Pairs = Hidden = 0;
            foreach (Player player in players.Values)
            {
                // Who has come or gone observed others by another rule before.
                bool isChanged = !player.IsKnown || gone.Count > 0;
                foreach (Player viewer in players.Values)
                {
                    if (viewer == player) continue;
                    bool sees = watch != null ? watch.Sends(viewer.Slot, player.Slot) : bundle.VisibleInMotion(viewer.Sees, player.Shown);
                    Pairs++;
                    if (sees) player.Until[viewer.Slot] = time + options.Hold; else Hidden++;
                    bool observes = sees || time < player.Until[viewer.Slot];
                    isChanged |= observes != player.Observed[viewer.Slot] || !viewer.IsKnown;
                    player.Observed[viewer.Slot] = observes;
                }
                if (isChanged) changed.Add(player.Key);
            }
            foreach (Player player in players.Values) { player.IsKnown = true; player.IsPut = false; }
            return changed;
        }

        private void Remove(long key)
        {
            Player player;
            if (!players.TryGetValue(key, out player)) return;
            players.Remove(key);
            slots[player.Slot] = null;
            free.Push(player.Slot);
            if (watch != null) watch.Remove(player.Slot);
            // The slot's next player starts anew.
            foreach (Player other in players.Values)
            {
                other.Until[player.Slot] = 0;
                other.Observed[player.Slot] = false;
            }
        }

        // Whether somebody was put.
        public bool Knows(long key) { return players.ContainsKey(key); }

        // Whether a player's client is to be told of another player. Of players who came after the last update it is asked
        // at once; true where either was not put.
        public bool Observes(long viewer, long other)
        {
            Player from, to;
            if (viewer == other || !players.TryGetValue(viewer, out from) || !players.TryGetValue(other, out to)) return true;
            if (from.IsKnown && to.IsKnown) return to.Observed[from.Slot];
            return bundle.VisibleInMotion(from.Sees, to.Shown);
        }
    }
}
