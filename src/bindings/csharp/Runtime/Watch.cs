using System;
using System.Runtime.InteropServices;

namespace Viewcell
{
    // Who must be sent to whom in a solid level, frame by frame. Each frame: Set for everybody who is there, Begin, Look or
    // LookFor, then Sends. Hidden is only who was proven hidden for all that both may reach. One thread at a time.
    public sealed unsafe class Watch : IDisposable
    {
        // The most players that one takes.
        public const int MostPlayers = 256;

        private readonly WatchHandle owned;
        private WatchHandle handle { get { owned.Living(); return owned; } }

        // Players are numbered from 0.
        public int Players { get; private set; }

        // Of players none of whom is there yet. Whoever sees further ahead than so many seconds is sent everybody.
        public Watch(Bundle bundle, int players, double maxAhead = 0.2)
        {
            if (players < 0 || players > MostPlayers)
                throw new ArgumentOutOfRangeException("players", "expected 0 to " + MostPlayers + " players, found " + players);
            Error.Check(Native.viewcell_watch_new(bundle.Handle, (uint)players, maxAhead, out owned));
            owned.Keep(bundle.Handle.Bytes);
            Players = players;
        }

        public void Dispose() { owned.Dispose(); }

        // Where a player is in the frame that begins next.
        public void Set(int player, Watched watched) { Error.Check(Native.viewcell_watch_set(handle, (uint)player, &watched)); }

        // A player has gone.
        public void Remove(int player) { Error.Check(Native.viewcell_watch_set(handle, (uint)player, null)); }

        // What hides besides the level from the next frame on, in place of what did before: closed doors, boxes that are opaque
        // all through, and smoke. To be called before the players of the frame are set: when a door has closed or begins to open,
        // and in each frame while there is smoke. Smoke hides nobody who is in the box around it, and from nobody who is; it hides
        // one player from another if it stays until the one sees and the other is shown.
        public void Occluders(ReadOnlySpan<Box> doors, ReadOnlySpan<Smoke> smokes = default)
        {
            fixed (Box* boxes = &MemoryMarshal.GetReference(doors))
            fixed (Smoke* spheres = &MemoryMarshal.GetReference(smokes))
                Error.Check(Native.viewcell_watch_occluders(handle, (UIntPtr)doors.Length, boxes, (UIntPtr)smokes.Length, spheres));
        }

        // Begins a frame: all are sent of whom no proof of before still holds.
        public void Begin() { Error.Check(Native.viewcell_watch_begin(handle)); }

        // Looks at pairs of which nothing is known, with so much work, about a microsecond each: the same on every machine. True if
        // all were looked at.
        public bool Look(uint work) { return Error.Check(Native.viewcell_watch_look(handle, work)) == 1; }

        // The same for so many microseconds.
        public bool LookFor(uint microseconds) { return Error.Check(Native.viewcell_watch_look_for(handle, microseconds)) == 1; }

        // Whether a player must be sent to a viewer; false where either is not there, and of a player and themselves.
        public bool Sends(int viewer, int player) { return Error.Check(Native.viewcell_watch_sends(handle, (uint)viewer, (uint)player)) == 1; }

        // What the frame came to until now.
        public WatchCounts Counts
        {
            get
            {
                WatchCounts counts;
                Error.Check(Native.viewcell_watch_counts(handle, &counts));
                return counts;
            }
        }
    }
}
