using System;
using System.Runtime.InteropServices;

namespace Viewcell
{
    public enum Side : uint { A = 0, B = 1 }

    // Grows frontier sets, one after the other, in memory of its own: two regions, no place of
    // one visible from any place of the other. One thread at a time.
    public sealed unsafe class FrontierBuilder : IDisposable
    {
        private readonly FrontierHandle owned;
        private FrontierHandle handle { get { owned.Living(); return owned; } }

        public FrontierBuilder(Bundle bundle)
        {
            Error.Check(Native.viewcell_frontier_new(bundle.Handle, out owned));
            owned.Keep(bundle.Handle.Bytes);
        }

        public void Dispose() { owned.Dispose(); }

        // Begins the set of two players. If they see each other it is empty.
        // It grows until so many quads have been tried, 0 for no limit; in a level of cells it is whole at once.
        public void Begin(uint a, uint b, uint budget = 64)
        {
            Error.Check(Native.viewcell_frontier_begin(handle, a, b, budget));
        }

        // Goes on for at most so many quads; true if the set has come to its end. It may be used at any time.
        public bool Step(uint quads) { return Error.Check(Native.viewcell_frontier_step(handle, quads)) == 1; }

        // Goes on to the end.
        public void Finish() { while (!Step(uint.MaxValue)) { } }

        // Whether a place is in a half. While it is, its player may keep silent.
        public bool Contains(Side side, uint place)
        {
            return Error.Check(Native.viewcell_frontier_contains(handle, (uint)side, place)) == 1;
        }

        // Number of places in a half.
        public ulong Area(Side side)
        {
            ulong places;
            Error.Check(Native.viewcell_frontier_area(handle, (uint)side, &places));
            return places;
        }

        // Writes a half for Bundle.Region, without what lies within margin steps of its edge: its length, also
        // where that is more than there is room for, and then nothing is written.
        public int Encode(Side side, uint margin, Span<byte> bytes)
        {
            UIntPtr length = UIntPtr.Zero;
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
            {
                int status = Native.viewcell_frontier_encode(handle, (uint)side, margin, at, (UIntPtr)bytes.Length, &length);
                if (status != (int)Status.Buffer) Error.Check(status);
            }
            return checked((int)length);
        }
    }

    // One half of a frontier set that stands by itself. Any number of threads may look at it.
    public sealed class Region : IDisposable
    {
        private readonly RegionHandle owned;
        private RegionHandle handle { get { owned.Living(); return owned; } }

        internal Region(RegionHandle handle) { owned = handle; }

        public void Dispose() { owned.Dispose(); }

        public bool Contains(uint place) { return Error.Check(Native.viewcell_region_contains(handle, place)) == 1; }
    }

    // Players, and the frontier sets between them: moves go in, and out comes who must be told what. One
    // thread at a time.
    public sealed unsafe class Session : IDisposable
    {
        private readonly SessionHandle owned;
        private SessionHandle handle { get { owned.Living(); return owned; } }

        // Players are numbered from 0.
        public int Players { get; private set; }

        // How many notices a move can make.
        public int MostNotices { get { return Math.Max(0, 2 * (Players - 1)); } }

        // In a bundle of any kind.
        public Session(Bundle bundle, int players) : this(bundle, players, SessionOptions.Default) { }

        public Session(Bundle bundle, int players, SessionOptions options)
        {
            Error.Check(Native.viewcell_session_new(bundle.Handle, Count(players), &options, out owned));
            owned.Keep(bundle.Handle.Bytes);
            Players = players;
        }

        private static uint Count(int players)
        {
            if (players < 0) throw new ArgumentOutOfRangeException("players");
            return (uint)players;
        }

        public void Dispose() { owned.Dispose(); }

        // Lets a tick pass: the unit of ages and of patience.
        public void Tick() { Error.Check(Native.viewcell_session_tick(handle)); }

        // A player has come to a place, or to Bundle.Nowhere, where all are told of them. Writes the notices that follow, and
        // gives their number; there is room for MostNotices.
        public int Move(int player, uint to, Span<Notice> notices)
        {
            UIntPtr count = UIntPtr.Zero;
            fixed (Notice* at = &MemoryMarshal.GetReference(notices))
                Error.Check(Native.viewcell_session_move(handle, (uint)player, to, at, (UIntPtr)notices.Length, &count));
            return checked((int)count);
        }

        // The same where news takes time: clients go by what is told now between the mover's times. Nobody is told too late.
        public int MoveInMotion(int player, Mover to, Span<Notice> notices)
        {
            UIntPtr count = UIntPtr.Zero;
            fixed (Notice* at = &MemoryMarshal.GetReference(notices))
                Error.Check(Native.viewcell_session_move_in_motion(handle, (uint)player, &to, at, (UIntPtr)notices.Length, &count));
            return checked((int)count);
        }

        // A player is gone.
        public void Leave(int player) { Error.Check(Native.viewcell_session_leave(handle, (uint)player)); }

        // For how many ticks the frontier set of two players has lasted; -1 if they have none.
        public long Age(int player, int other)
        {
            ulong ticks = 0;
            return Error.Check(Native.viewcell_session_age(handle, (uint)player, (uint)other, &ticks)) == 1 ? (long)ticks : -1;
        }

        // How many frontier sets were made so far.
        public ulong Sets
        {
            get
            {
                ulong sets;
                Error.Check(Native.viewcell_session_sets(handle, &sets));
                return sets;
            }
        }

        // Whether a place is in a player's own half of the frontier set with another.
        public bool Contains(int player, int other, uint place)
        {
            return Error.Check(Native.viewcell_session_contains(handle, (uint)player, (uint)other, place)) == 1;
        }

        // Writes a player's own half of the set with another for Bundle.Region: its length, 0
        // if they have no set.
        public int Encode(int player, int other, Span<byte> bytes)
        {
            UIntPtr length = UIntPtr.Zero;
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
            {
                int status = Native.viewcell_session_encode(handle, (uint)player, (uint)other, at, (UIntPtr)bytes.Length, &length);
                if (status != (int)Status.Buffer) Error.Check(status);
            }
            return checked((int)length);
        }
    }
}
