using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Viewcell
{
    // An open bundle, of a terrain, of a level of cells or of a solid level. Any number of threads may ask it; nothing that
    // asks allocates. A level's places are numbers of cells.
    public sealed unsafe class Bundle : IDisposable
    {
        private readonly BundleHandle owned;
        private BundleHandle handle { get { owned.Living(); return owned; } }
        private readonly TerrainInfo terrain;
        private readonly LevelInfo level;
        private readonly SolidInfo solid;

        public WorldKind Kind { get; private set; }

        // What the bundle of a terrain is of.
        public TerrainInfo Terrain { get { Require(WorldKind.Terrain); return terrain; } }

        // What the bundle of a level of cells is of.
        public LevelInfo Level { get { Require(WorldKind.Cells); return level; } }

        // What the bundle of a solid level is of.
        public SolidInfo Solid { get { Require(WorldKind.Solid); return solid; } }

        // For Burst's jobs: see BurstNative.
        public IntPtr DangerousHandle { get { return handle.DangerousGetHandle(); } }

        internal BundleHandle Handle { get { return handle; } }

        private Bundle(BundleHandle handle)
        {
            owned = handle;
            Kind = (WorldKind)Error.Check(Native.viewcell_kind(handle));
            TerrainInfo terrain = default(TerrainInfo);
            LevelInfo level = default(LevelInfo);
            SolidInfo solid = default(SolidInfo);
            switch (Kind)
            {
                case WorldKind.Terrain: Error.Check(Native.viewcell_info(handle, &terrain)); break;
                case WorldKind.Cells: Error.Check(Native.viewcell_cells_info(handle, &level)); break;
                default: Error.Check(Native.viewcell_solid_info(handle, &solid)); break;
            }
            this.terrain = terrain;
            this.level = level;
            this.solid = solid;
        }

        // Opens a file by memory map, in a time that does not depend on its size. Do not write to the file
        // while it is open: replace it by renaming another.
        public static Bundle Open(string path) { return OpenFile(path, false); }

        // Reads a file into memory of its own, in a time that grows with its length; the file may then be written to or
        // deleted.
        public static Bundle OpenCopy(string path) { return OpenFile(path, true); }

        private static Bundle OpenFile(string path, bool copy)
        {
            if (path == null) throw new ArgumentNullException("path");
            if (path.IndexOf('\0') >= 0) throw new ArgumentException("a path with a zero in it", "path");
            if (!File.Exists(path)) throw new FileNotFoundException(path + ": no such file", path);
            byte[] name = Encoding.UTF8.GetBytes(path + "\0");
            byte* message = stackalloc byte[512];
            BundleHandle handle;
            int status;
            fixed (byte* at = name) status = copy
                ? Native.viewcell_open_copy(Native.AbiVersion, at, out handle, message, (UIntPtr)512)
                : Native.viewcell_open(Native.AbiVersion, at, out handle, message, (UIntPtr)512);
            return Opened(status, handle, message);
        }

        // Opens the bundle that a file in memory is, such as a TextAsset's bytes; they are copied.
        public static Bundle FromBytes(ReadOnlySpan<byte> bytes)
        {
            using (BytesHandle copy = new BytesHandle(bytes.Length))
            {
                byte* at = (byte*)copy.DangerousGetHandle();
                bytes.CopyTo(new Span<byte>(at, bytes.Length));
                byte* message = stackalloc byte[512];
                BundleHandle handle;
                int status = Native.viewcell_open_memory(Native.AbiVersion, at, (UIntPtr)bytes.Length, out handle, message, (UIntPtr)512);
                if (status >= 0) handle.Keep(copy);
                return Opened(status, handle, message);
            }
        }

        private static Bundle Opened(int status, BundleHandle handle, byte* message)
        {
            if (status >= 0) return new Bundle(handle);
            bool hasWords = status == (int)Status.IO || status == (int)Status.Format || status == (int)Status.Kind;
            throw Error.Of((Status)status, hasWords ? Error.Text(message) : Error.Words(status));
        }

        // Closes it. What was made from it lives on until it is closed itself.
        public void Dispose() { owned.Dispose(); }

        internal void Require(WorldKind wanted)
        {
            if (Kind != wanted)
                throw new ViewcellException(Status.Kind, "this is for a bundle of kind " + wanted + ", and the bundle is of kind " + Kind);
        }

        // ---- terrains

        // The sample at metres east and south of sample (0, 0); false off the map, and at a void or where nobody can be.
        public bool Locate(double east, double south, out Sample sample)
        {
            Sample found = default(Sample);
            int status = Native.viewcell_locate(handle, east, south, &found);
            sample = found;
            return IsFound(status);
        }

        static bool IsFound(int status)
        {
            return status != (int)Status.Outside && status != (int)Status.Void && Error.Check(status) == 0;
        }

        // The sample at a position in the bundle's coordinate reference system; false where Locate is.
        public bool LocateGeoreferenced(double x, double y, out Sample sample)
        {
            Sample found = default(Sample);
            int status = Native.viewcell_locate_georeferenced(handle, x, y, &found);
            sample = found;
            return IsFound(status);
        }

        // Ground height in metres; NaN of a void.
        public float GroundHeight(Sample sample)
        {
            float metres = float.NaN;
            int status = Native.viewcell_height_at(handle, sample.Column, sample.Row, &metres);
            if (status != (int)Status.Void) Error.Check(status);
            return metres;
        }

        // Whether a player at b may be seen from a. False where either is a void.
        public bool Visible(Sample a, Sample b)
        {
            return Error.Check(Native.viewcell_visible_at(handle, a.Column, a.Row, b.Column, b.Row)) == 1;
        }

        // Many pairs: c0, r0, c1, r1 of each, or a, b of cells; visible[i] becomes 1 or 0.
        public void VisiblePairs(ReadOnlySpan<uint> pairs, Span<byte> visible)
        {
            if (Kind != WorldKind.Terrain) { CellPairs(pairs, visible); return; }
            if (pairs.Length != 4 * (long)visible.Length)
                throw new ArgumentException("expected four numbers of pairs for each of visible, found " + pairs.Length + " and " + visible.Length);
            fixed (uint* from = &MemoryMarshal.GetReference(pairs))
            fixed (byte* to = &MemoryMarshal.GetReference(visible))
                Error.Check(Native.viewcell_visible_pairs_at(handle, (UIntPtr)visible.Length, from, to));
        }

        // Whom of others may a player see? visible[i] becomes 1 or 0; 0 where others[i] is off the map.
        public void VisibleFrom(Sample from, ReadOnlySpan<Sample> others, Span<byte> visible)
        {
            if (others.Length != visible.Length)
                throw new ArgumentException("expected as many of visible as of others, found " + visible.Length + " and " + others.Length);
            fixed (Sample* to = &MemoryMarshal.GetReference(others))
            fixed (byte* answers = &MemoryMarshal.GetReference(visible))
                Error.Check(Native.viewcell_visible_from_at(handle, from.Column, from.Row, (UIntPtr)others.Length, to, answers));
        }

        // What is known of sight from one quad to another: its level, and its place among its like.
        public Sight VisibleQuads(uint fromLevel, Sample from, uint toLevel, Sample to)
        {
            return (Sight)Error.Check(Native.viewcell_visible_quads_at(handle, fromLevel, from.Column, from.Row, toLevel, to.Column, to.Row));
        }

        // All that may be seen from a sample, or from the quad of a level, as Terrain.Blocks words.
        public void Pvs(Sample place, Span<ulong> words, uint level = 0)
        {
            fixed (ulong* at = &MemoryMarshal.GetReference(words))
                Error.Check(Native.viewcell_pvs_at(handle, level, place.Column, place.Row, at, (UIntPtr)words.Length));
        }

        // Whether two players may see each other on their ways, up to so many metres each. Errs towards true.
        public bool VisibleWithin(Sample a, Sample b, double reachA, double reachB)
        {
            return Error.Check(Native.viewcell_visible_within_at(handle, a.Column, a.Row, b.Column, b.Row, reachA, reachB)) == 1;
        }

        // A region from what FrontierBuilder.Encode or Session.Encode wrote.
        public Region Region(ReadOnlySpan<byte> bytes)
        {
            RegionHandle region;
            fixed (byte* at = &MemoryMarshal.GetReference(bytes))
                Error.Check(Native.viewcell_region_decode(handle, at, (UIntPtr)bytes.Length, out region));
            region.Keep(handle.Bytes);
            return new Region(region);
        }

        // ---- levels of cells; and solid levels, whose cells are boxes

        // The cell that holds a point of the level; false in none. In a solid level, who is in none sees all and is
        // seen by all.
        public bool Locate(double x, double y, double z, out uint cell)
        {
            uint found = 0;
            int status = Native.viewcell_cells_locate(handle, x, y, z, &found);
            cell = found;
            return status != (int)Status.Outside && Error.Check(status) == 0;
        }

        public bool Visible(uint a, uint b)
        {
            return Error.Check(Native.viewcell_cells_visible(handle, a, b)) == 1;
        }

        private void CellPairs(ReadOnlySpan<uint> pairs, Span<byte> visible)
        {
            if (pairs.Length != 2 * (long)visible.Length)
                throw new ArgumentException("expected two numbers of pairs for each of visible, found " + pairs.Length + " and " + visible.Length);
            // The library takes them apart: some at a time, where nothing is allocated.
            const int most = 256;
            uint* from = stackalloc uint[most];
            uint* to = stackalloc uint[most];
            fixed (byte* answers = &MemoryMarshal.GetReference(visible))
            {
                for (int i = 0; i < visible.Length; i += most)
                {
                    int count = Math.Min(most, visible.Length - i);
                    for (int j = 0; j < count; j++)
                    {
                        from[j] = pairs[2 * (i + j)];
                        to[j] = pairs[2 * (i + j) + 1];
                    }
                    Error.Check(Native.viewcell_cells_visible_pairs(handle, (UIntPtr)count, from, to, answers + i));
                }
            }
        }

        public void VisibleFrom(uint from, ReadOnlySpan<uint> others, Span<byte> visible)
        {
            if (others.Length != visible.Length)
                throw new ArgumentException("expected as many of visible as of others, found " + visible.Length + " and " + others.Length);
            fixed (uint* to = &MemoryMarshal.GetReference(others))
            fixed (byte* answers = &MemoryMarshal.GetReference(visible))
                Error.Check(Native.viewcell_cells_visible_from(handle, from, (UIntPtr)others.Length, to, answers));
        }

        // Who may be seen from a cell, as Level.Words or Solid.Words words.
        public void Pvs(uint cell, Span<ulong> words)
        {
            fixed (ulong* at = &MemoryMarshal.GetReference(words))
                Error.Check(Native.viewcell_cells_pvs(handle, cell, at, (UIntPtr)words.Length));
        }

        // How many visible steps lead from a to b; -1 where none do.
        public int Distance(uint a, uint b)
        {
            int steps = Native.viewcell_cells_distance(handle, a, b);
            return steps == (int)Status.Unreachable ? -1 : Error.Check(steps);
        }

        // Words of memory that Frontier of cells needs.
        public int FrontierWords(Construction construction)
        {
            UIntPtr count;
            Error.Check(Native.viewcell_cells_frontier_words(handle, (uint)construction, &count));
            return checked((int)count);
        }

        // The frontier set of two players, in memory's first Level.Words words and as many after them; false
        // if they see each other.
        public bool Frontier(uint a, uint b, Construction construction, Span<ulong> memory)
        {
            fixed (ulong* at = &MemoryMarshal.GetReference(memory))
                return Error.Check(Native.viewcell_cells_frontier(handle, a, b, (uint)construction, at, (UIntPtr)memory.Length)) == 1;
        }

        // Whether a cell is in a bitmap of cells.
        public static bool Contains(ReadOnlySpan<ulong> words, uint cell)
        {
            fixed (ulong* at = &MemoryMarshal.GetReference(words))
                return words.Length > 0 && Error.Check(Native.viewcell_cells_contains(at, (UIntPtr)words.Length, cell)) == 1;
        }

        // Whether two players who are anywhere in these cells may see each other on their ways. Errs towards true.
        public bool VisibleWithin(uint a, uint b, double reachA, double reachB)
        {
            return Error.Check(Native.viewcell_cells_visible_within(handle, a, b, reachA, reachB)) == 1;
        }

        // ---- solid levels

        // Whether a player whose origin is at from may see any part of one whose origin is at to. True where either is in
        // no cell. Not the same the other way round.
        public bool Visible(Point from, Point to)
        {
            return Error.Check(Native.viewcell_solid_visible(handle, &from, &to)) == 1;
        }

        // Many pairs; visible[i] becomes 1 or 0.
        public void VisiblePairs(ReadOnlySpan<Point> from, ReadOnlySpan<Point> to, Span<byte> visible)
        {
            if (from.Length != visible.Length || to.Length != visible.Length)
                throw new ArgumentException("expected as many of visible as of from and to, found " + visible.Length + ", " + from.Length + " and " + to.Length);
            fixed (Point* a = &MemoryMarshal.GetReference(from))
            fixed (Point* b = &MemoryMarshal.GetReference(to))
            fixed (byte* answers = &MemoryMarshal.GetReference(visible))
                Error.Check(Native.viewcell_solid_visible_pairs(handle, (UIntPtr)visible.Length, a, b, answers));
        }

        // Whether either of two players may see the other on their ways, up to so far each. Errs towards true.
        public bool VisibleWithin(Point a, Point b, double reachA, double reachB)
        {
            return Error.Check(Native.viewcell_solid_within(handle, &a, &b, reachA, reachB)) == 1
                || Error.Check(Native.viewcell_solid_within(handle, &b, &a, reachB, reachA)) == 1;
        }

        // The positions of a player's origin that a cell stands for: least and greatest corner.
        public void Bounds(uint cell, out Point low, out Point high)
        {
            Point least = default(Point), greatest = default(Point);
            Error.Check(Native.viewcell_cells_bounds(handle, cell, &least, &greatest));
            low = least;
            high = greatest;
        }
    }
}
