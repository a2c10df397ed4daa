// The C interface, version 2, function by function; viewcell.h is its manual. Structs are passed by
// pointer alone, which IL2CPP, Burst and every .NET can do.

using System;
using System.Runtime.InteropServices;

namespace Viewcell
{
    internal static unsafe class Native
    {
#if UNITY_IOS && !UNITY_EDITOR
        internal const string Library = "__Internal";
#else
        internal const string Library = "viewcell";
#endif
        internal const uint AbiVersion = 4;
        [DllImport(Library)] internal static extern IntPtr viewcell_status_text(int status);
        [DllImport(Library)] internal static extern uint viewcell_abi_version();
        [DllImport(Library)] internal static extern int viewcell_open(uint abi, byte* path, uint how, out BundleHandle bundle, byte* message, UIntPtr size);
        [DllImport(Library)] internal static extern int viewcell_open_memory(uint abi, byte* bytes, UIntPtr length, out BundleHandle bundle, byte* message, UIntPtr size);
        [DllImport(Library)] internal static extern int viewcell_close(IntPtr bundle);
        [DllImport(Library)] internal static extern int viewcell_info(BundleHandle bundle, WorldInfo* info);
        [DllImport(Library)] internal static extern int viewcell_locate(BundleHandle bundle, Position* position, uint* place);
        [DllImport(Library)] internal static extern int viewcell_locate_all(BundleHandle bundle, UIntPtr count, Position* positions, uint* places);
        [DllImport(Library)] internal static extern int viewcell_locate_georeferenced(BundleHandle bundle, Position* position, uint* place);
        [DllImport(Library)] internal static extern int viewcell_bounds(BundleHandle bundle, uint place, Box* bounds);
        [DllImport(Library)] internal static extern int viewcell_contains(BundleHandle bundle, ulong* words, UIntPtr count, uint place);
        [DllImport(Library)] internal static extern int viewcell_distance(BundleHandle bundle, uint from, uint to);
        [DllImport(Library)] internal static extern int viewcell_visible(BundleHandle bundle, uint from, uint to);
        [DllImport(Library)] internal static extern int viewcell_visible_pairs(BundleHandle bundle, UIntPtr count, uint* from, uint* to, byte* visible);
        [DllImport(Library)] internal static extern int viewcell_visible_from(BundleHandle bundle, uint from, UIntPtr count, uint* to, byte* visible);
        [DllImport(Library)] internal static extern int viewcell_visible_quads(BundleHandle bundle, uint from, uint fromLevel, uint to, uint toLevel);
        [DllImport(Library)] internal static extern int viewcell_pvs(BundleHandle bundle, uint place, uint level, ulong* words, UIntPtr count);
        [DllImport(Library)] internal static extern int viewcell_objects_seen(BundleHandle bundle, Position* position, ulong* words, UIntPtr count);
        [DllImport(Library)] internal static extern int viewcell_object_path(BundleHandle bundle, uint number, byte* path, UIntPtr size);
        [DllImport(Library)] internal static extern int viewcell_visible_within(BundleHandle bundle, uint a, uint b, double reachA, double reachB);
        [DllImport(Library)] internal static extern int viewcell_sees_within(BundleHandle bundle, Position* from, Position* to, double reachFrom, double reachTo);

        [DllImport(Library)] internal static extern int viewcell_sees_in_motion(BundleHandle bundle, Mover* from, Mover* to);

        [DllImport(Library)] internal static extern int viewcell_frontier_new(BundleHandle bundle, out FrontierHandle frontier);
        [DllImport(Library)] internal static extern int viewcell_frontier_close(IntPtr frontier);
        [DllImport(Library)] internal static extern int viewcell_frontier_begin(FrontierHandle frontier, uint a, uint b, uint budget);
        [DllImport(Library)] internal static extern int viewcell_frontier_step(FrontierHandle frontier, uint quads);
        [DllImport(Library)] internal static extern int viewcell_frontier_contains(FrontierHandle frontier, uint side, uint place);
        [DllImport(Library)] internal static extern int viewcell_frontier_area(FrontierHandle frontier, uint side, ulong* places);
        [DllImport(Library)] internal static extern int viewcell_frontier_encode(FrontierHandle frontier, uint side, uint margin, byte* bytes, UIntPtr size, UIntPtr* length);
        [DllImport(Library)] internal static extern int viewcell_region_decode(BundleHandle bundle, byte* bytes, UIntPtr length, out RegionHandle region);
        [DllImport(Library)] internal static extern int viewcell_region_contains(RegionHandle region, uint place);
        [DllImport(Library)] internal static extern int viewcell_region_close(IntPtr region);

        [DllImport(Library)] internal static extern int viewcell_session_defaults(SessionOptions* options);
        [DllImport(Library)] internal static extern int viewcell_session_new(BundleHandle bundle, uint players, SessionOptions* options, out SessionHandle session);
        [DllImport(Library)] internal static extern int viewcell_session_close(IntPtr session);
        [DllImport(Library)] internal static extern int viewcell_session_tick(SessionHandle session);
        [DllImport(Library)] internal static extern int viewcell_session_move(SessionHandle session, uint player, uint to, Notice* notices, UIntPtr size, UIntPtr* count);
        [DllImport(Library)] internal static extern int viewcell_session_move_in_motion(SessionHandle session, uint player, Mover* to, Notice* notices, UIntPtr size, UIntPtr* count);
        [DllImport(Library)] internal static extern int viewcell_session_leave(SessionHandle session, uint player);
        [DllImport(Library)] internal static extern int viewcell_session_age(SessionHandle session, uint player, uint other, ulong* ticks);
        [DllImport(Library)] internal static extern int viewcell_session_sets(SessionHandle session, ulong* sets);
        [DllImport(Library)] internal static extern int viewcell_session_contains(SessionHandle session, uint player, uint other, uint place);
        [DllImport(Library)] internal static extern int viewcell_session_encode(SessionHandle session, uint player, uint other, byte* bytes, UIntPtr size, UIntPtr* length);

        [DllImport(Library)] internal static extern int viewcell_watch_new(BundleHandle bundle, uint players, double maxAhead, out WatchHandle watch);
        [DllImport(Library)] internal static extern int viewcell_watch_close(IntPtr watch);
        [DllImport(Library)] internal static extern int viewcell_watch_set(WatchHandle watch, uint player, Watched* watched);
        [DllImport(Library)] internal static extern int viewcell_watch_occluders(WatchHandle watch, UIntPtr doorCount, Box* doors, UIntPtr smokeCount, Smoke* smokes);
        [DllImport(Library)] internal static extern int viewcell_watch_begin(WatchHandle watch);
        [DllImport(Library)] internal static extern int viewcell_watch_look(WatchHandle watch, uint work);
        [DllImport(Library)] internal static extern int viewcell_watch_look_for(WatchHandle watch, uint microseconds);
        [DllImport(Library)] internal static extern int viewcell_watch_sends(WatchHandle watch, uint viewer, uint player);
        [DllImport(Library)] internal static extern int viewcell_watch_counts(WatchHandle watch, WatchCounts* counts);
    }

    // For jobs of Burst, which take no managed handle: numbers in, a status out. Keep the bundle open, and
    // alive, until the jobs have ended.
    public static unsafe class BurstNative
    {
        [DllImport(Native.Library)] public static extern int viewcell_locate(IntPtr bundle, Position* position, uint* place);
        [DllImport(Native.Library)] public static extern int viewcell_visible(IntPtr bundle, uint from, uint to);
        [DllImport(Native.Library)] public static extern int viewcell_visible_pairs(IntPtr bundle, UIntPtr count, uint* from, uint* to, byte* visible);
        [DllImport(Native.Library)] public static extern int viewcell_visible_within(IntPtr bundle, uint a, uint b, double reachA, double reachB);
        [DllImport(Native.Library)] public static extern int viewcell_sees_within(IntPtr bundle, Position* from, Position* to, double reachFrom, double reachTo);
        [DllImport(Native.Library)] public static extern int viewcell_pvs(IntPtr bundle, uint place, uint level, ulong* words, UIntPtr count);
    }

    // What a bundle from memory reads: freed when the last of the handles that keep it is.
    internal sealed class BytesHandle : SafeHandle
    {
        internal BytesHandle(int length) : base(IntPtr.Zero, true) { SetHandle(Marshal.AllocHGlobal(Math.Max(1, length))); }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        protected override bool ReleaseHandle()
        {
            Marshal.FreeHGlobal(handle);
            return true;
        }
    }

    internal abstract class Handle : SafeHandle
    {
        internal BytesHandle Bytes { get; private set; }

        // SafeHandle closes when the last call has returned, and until then lets new ones in: those who ask
        // without a pause would keep it open for ever.
        private volatile bool ended;

        internal void Living() { if (ended) throw new ObjectDisposedException("viewcell", "closed"); }

        protected override void Dispose(bool disposing)
        {
            ended = true;
            base.Dispose(disposing);
        }

        protected Handle() : base(IntPtr.Zero, true) { }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        // What this handle stands for reads these bytes; null for a mapped file.
        internal void Keep(BytesHandle bytes)
        {
            if (bytes == null) return;
            bool added = false;
            bytes.DangerousAddRef(ref added);
            if (added) Bytes = bytes;
        }

        protected abstract int CloseHandle();

        protected sealed override bool ReleaseHandle()
        {
            bool closed = CloseHandle() >= 0;
            if (Bytes != null) Bytes.DangerousRelease();
            return closed;
        }
    }

    internal sealed class BundleHandle : Handle
    {
        protected override int CloseHandle() { return Native.viewcell_close(handle); }
    }

    internal sealed class FrontierHandle : Handle
    {
        protected override int CloseHandle() { return Native.viewcell_frontier_close(handle); }
    }

    internal sealed class RegionHandle : Handle
    {
        protected override int CloseHandle() { return Native.viewcell_region_close(handle); }
    }

    internal sealed class SessionHandle : Handle
    {
        protected override int CloseHandle() { return Native.viewcell_session_close(handle); }
    }

    internal sealed class WatchHandle : Handle
    {
        protected override int CloseHandle() { return Native.viewcell_watch_close(handle); }
    }
}
