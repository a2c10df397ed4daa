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
        internal const uint AbiVersion = 2;
        internal const uint Nowhere = uint.MaxValue;

        [DllImport(Library)] internal static extern IntPtr viewcell_status_text(int status);
        [DllImport(Library)] internal static extern uint viewcell_abi_version();
        [DllImport(Library)] internal static extern int viewcell_open(uint abi, byte* path, out BundleHandle bundle, byte* message, UIntPtr size);
        [DllImport(Library)] internal static extern int viewcell_open_copy(uint abi, byte* path, out BundleHandle bundle, byte* message, UIntPtr size);
        [DllImport(Library)] internal static extern int viewcell_open_memory(uint abi, byte* bytes, UIntPtr length, out BundleHandle bundle, byte* message, UIntPtr size);
        [DllImport(Library)] internal static extern int viewcell_close(IntPtr bundle);
        [DllImport(Library)] internal static extern int viewcell_kind(BundleHandle bundle);
        [DllImport(Library)] internal static extern int viewcell_info(BundleHandle bundle, TerrainInfo* info);
        [DllImport(Library)] internal static extern int viewcell_locate(BundleHandle bundle, double east, double south, Sample* sample);
        [DllImport(Library)] internal static extern int viewcell_locate_georeferenced(BundleHandle bundle, double x, double y, Sample* sample);
        [DllImport(Library)] internal static extern int viewcell_height_at(BundleHandle bundle, uint column, uint row, float* metres);
        [DllImport(Library)] internal static extern int viewcell_visible_at(BundleHandle bundle, uint c0, uint r0, uint c1, uint r1);
        [DllImport(Library)] internal static extern int viewcell_visible_pairs_at(BundleHandle bundle, UIntPtr count, uint* pairs, byte* visible);
        [DllImport(Library)] internal static extern int viewcell_visible_from_at(BundleHandle bundle, uint column, uint row, UIntPtr count, Sample* to, byte* visible);
        [DllImport(Library)] internal static extern int viewcell_visible_quads_at(BundleHandle bundle, uint l0, uint c0, uint r0, uint l1, uint c1, uint r1);
        [DllImport(Library)] internal static extern int viewcell_pvs_at(BundleHandle bundle, uint level, uint column, uint row, ulong* words, UIntPtr count);
        [DllImport(Library)] internal static extern int viewcell_visible_within_at(BundleHandle bundle, uint c0, uint r0, uint c1, uint r1, double reachA, double reachB);

        [DllImport(Library)] internal static extern int viewcell_frontier_defaults(FrontierOptions* options);
        [DllImport(Library)] internal static extern int viewcell_frontier_new(BundleHandle bundle, out FrontierHandle frontier);
        [DllImport(Library)] internal static extern int viewcell_frontier_close(IntPtr frontier);
        [DllImport(Library)] internal static extern int viewcell_frontier_begin_at(FrontierHandle frontier, uint c0, uint r0, uint c1, uint r1, FrontierOptions* options);
        [DllImport(Library)] internal static extern int viewcell_frontier_step(FrontierHandle frontier, uint quads);
        [DllImport(Library)] internal static extern int viewcell_frontier_contains_at(FrontierHandle frontier, uint side, uint column, uint row);
        [DllImport(Library)] internal static extern int viewcell_frontier_area(FrontierHandle frontier, uint side, ulong* samples);
        [DllImport(Library)] internal static extern int viewcell_frontier_encode(FrontierHandle frontier, uint side, uint margin, byte* bytes, UIntPtr size, UIntPtr* length);
        [DllImport(Library)] internal static extern int viewcell_region_decode(BundleHandle bundle, byte* bytes, UIntPtr length, out RegionHandle region);
        [DllImport(Library)] internal static extern int viewcell_region_contains_at(RegionHandle region, uint column, uint row);
        [DllImport(Library)] internal static extern int viewcell_region_close(IntPtr region);

        [DllImport(Library)] internal static extern int viewcell_session_defaults(SessionOptions* options);
        [DllImport(Library)] internal static extern int viewcell_session_new(BundleHandle bundle, uint players, SessionOptions* options, out SessionHandle session);
        [DllImport(Library)] internal static extern int viewcell_session_close(IntPtr session);
        [DllImport(Library)] internal static extern int viewcell_session_tick(SessionHandle session);
        [DllImport(Library)] internal static extern int viewcell_session_move_at(SessionHandle session, uint player, uint column, uint row, Notice* notices, UIntPtr size, UIntPtr* count);
        [DllImport(Library)] internal static extern int viewcell_session_age(SessionHandle session, uint player, uint other, ulong* ticks);
        [DllImport(Library)] internal static extern int viewcell_session_sets(SessionHandle session, ulong* sets);
        [DllImport(Library)] internal static extern int viewcell_session_contains_at(SessionHandle session, uint player, uint other, uint column, uint row);
        [DllImport(Library)] internal static extern int viewcell_session_encode(SessionHandle session, uint player, uint other, byte* bytes, UIntPtr size, UIntPtr* length);

        [DllImport(Library)] internal static extern int viewcell_cells_info(BundleHandle bundle, LevelInfo* info);
        [DllImport(Library)] internal static extern int viewcell_cells_locate(BundleHandle bundle, double x, double y, double z, uint* cell);
        [DllImport(Library)] internal static extern int viewcell_cells_visible(BundleHandle bundle, uint from, uint to);
        [DllImport(Library)] internal static extern int viewcell_cells_visible_pairs(BundleHandle bundle, UIntPtr count, uint* from, uint* to, byte* visible);
        [DllImport(Library)] internal static extern int viewcell_cells_visible_from(BundleHandle bundle, uint from, UIntPtr count, uint* to, byte* visible);
        [DllImport(Library)] internal static extern int viewcell_cells_pvs(BundleHandle bundle, uint cell, ulong* words, UIntPtr count);
        [DllImport(Library)] internal static extern int viewcell_cells_distance(BundleHandle bundle, uint from, uint to);
        [DllImport(Library)] internal static extern int viewcell_cells_frontier_words(BundleHandle bundle, uint construction, UIntPtr* count);
        [DllImport(Library)] internal static extern int viewcell_cells_frontier(BundleHandle bundle, uint a, uint b, uint construction, ulong* memory, UIntPtr count);
        [DllImport(Library)] internal static extern int viewcell_cells_contains(ulong* words, UIntPtr count, uint cell);
        [DllImport(Library)] internal static extern int viewcell_cells_visible_within(BundleHandle bundle, uint a, uint b, double reachA, double reachB);
        [DllImport(Library)] internal static extern int viewcell_solid_info(BundleHandle bundle, SolidInfo* info);
        [DllImport(Library)] internal static extern int viewcell_solid_visible(BundleHandle bundle, Point* from, Point* to);
        [DllImport(Library)] internal static extern int viewcell_solid_visible_pairs(BundleHandle bundle, UIntPtr count, Point* from, Point* to, byte* visible);
        [DllImport(Library)] internal static extern int viewcell_cells_bounds(BundleHandle bundle, uint cell, Point* low, Point* high);
        [DllImport(Library)] internal static extern int viewcell_solid_within(BundleHandle bundle, Point* from, Point* to, double reachFrom, double reachTo);
        [DllImport(Library)] internal static extern int viewcell_cells_session_new(BundleHandle bundle, uint players, uint construction, uint patience, uint peers, out SessionHandle session);
        [DllImport(Library)] internal static extern int viewcell_cells_session_move(SessionHandle session, uint player, uint cell, Notice* notices, UIntPtr size, UIntPtr* count);
        [DllImport(Library)] internal static extern int viewcell_solid_session_move(SessionHandle session, uint player, Point* position, Notice* notices, UIntPtr size, UIntPtr* count);
        [DllImport(Library)] internal static extern int viewcell_cells_session_contains(SessionHandle session, uint player, uint other, uint cell);
    }

    // For jobs of Burst, which take no managed handle: numbers in, a status out. Keep the bundle open, and
    // alive, until the jobs have ended.
    public static unsafe class BurstNative
    {
        [DllImport(Native.Library)] public static extern int viewcell_visible_at(IntPtr bundle, uint c0, uint r0, uint c1, uint r1);
        [DllImport(Native.Library)] public static extern int viewcell_visible_pairs_at(IntPtr bundle, UIntPtr count, uint* pairs, byte* visible);
        [DllImport(Native.Library)] public static extern int viewcell_visible_within_at(IntPtr bundle, uint c0, uint r0, uint c1, uint r1, double reachA, double reachB);
        [DllImport(Native.Library)] public static extern int viewcell_pvs_at(IntPtr bundle, uint level, uint column, uint row, ulong* words, UIntPtr count);
        [DllImport(Native.Library)] public static extern int viewcell_cells_visible(IntPtr bundle, uint from, uint to);
        [DllImport(Native.Library)] public static extern int viewcell_solid_visible(IntPtr bundle, Point* from, Point* to);
        [DllImport(Native.Library)] public static extern int viewcell_solid_within(IntPtr bundle, Point* from, Point* to, double reachFrom, double reachTo);
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
}
