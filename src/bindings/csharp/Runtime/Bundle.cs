using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Viewcell
{
    // An open bundle, of a terrain, of a level of cells or of a solid level. Any number of threads may ask it; nothing that
    // asks allocates. A place is the number of a view cell: a sample of a terrain, row by row, or a cell.
    public sealed unsafe class Bundle : IDisposable
    {
        private readonly BundleHandle owned;
        private BundleHandle handle { get { owned.Living(); return owned; } }

        // No place: who is there sees all, and is seen by all.
        public const uint Nowhere = uint.MaxValue;

        // What it is of.
        public readonly WorldInfo Info;

        // Which coordinates the level was baked for, and how they become its own.
        public readonly Axes Axes;

        public WorldKind Kind { get { return Info.Kind; } }

        // For Burst's jobs: see BurstNative.
        public IntPtr DangerousHandle { get { return handle.DangerousGetHandle(); } }

        internal BundleHandle Handle { get { return handle; } }

        private Bundle(BundleHandle handle)
        {
            owned = handle;
            WorldInfo info;
            Error.Check(Native.viewcell_info(handle, &info));
            Info = info;
            Axes = info.axes;
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
            // To map, or to copy.
            fixed (byte* at = name) status = Native.viewcell_open(Native.AbiVersion, at, copy ? 2u : 0, out handle, message, (UIntPtr)512);
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

        // The place of a sample of a terrain.
        public uint PlaceOf(uint column, uint row)
        {
            if (Kind != WorldKind.Terrain) throw new ViewcellException(Status.Kind, "samples are of a terrain, and the bundle is of kind " + Kind);
            if (column >= Info.Width || row >= Info.Height)
                throw new ArgumentOutOfRangeException(null, "(" + column + ", " + row + ") is outside of the grid of " + Info.Width + " x " + Info.Height);
            return row * Info.Width + column;
        }

        // The place that a position is at; false, and Nowhere, off the map, at a void, in solid, or where nobody can be.
        public bool Locate(Position position, out uint place)
        {
            uint found;
            int status = Native.viewcell_locate(handle, &position, &found);
            return IsFound(status, found, out place);
        }

        // The sample of a terrain at a position in the bundle's coordinate reference system; false where Locate is.
        public bool LocateGeoreferenced(double x, double y, out uint place)
        {
            uint found;
            Position position = new Position(x, y);
            int status = Native.viewcell_locate_georeferenced(handle, &position, &found);
            return IsFound(status, found, out place);
        }

        static bool IsFound(int status, uint found, out uint place)
        {
            place = status == 0 ? found : Nowhere;
            return status != (int)Status.Outside && status != (int)Status.Void && Error.Check(status) == 0;
        }

        // Many positions; places[i] becomes Nowhere where there is none.
        public void LocateAll(ReadOnlySpan<Position> positions, Span<uint> places)
        {
            Same(positions.Length, places.Length);
            fixed (Position* from = &MemoryMarshal.GetReference(positions))
            fixed (uint* to = &MemoryMarshal.GetReference(places))
                Error.Check(Native.viewcell_locate_all(handle, (UIntPtr)places.Length, from, to));
        }

        private static void Same(int one, int other)
        {
            if (one != other) throw new ArgumentException("expected as many answers as questions, found " + other + " and " + one);
        }

        // The positions that a place stands for: a cell's box; a sample's square, at the height of its ground. False of a void.
        public bool Bounds(uint place, out Box bounds)
        {
            Box found = default(Box);
            int status = Native.viewcell_bounds(handle, place, &found);
            bounds = found;
            return status != (int)Status.Void && Error.Check(status) == 0;
        }

        // Ground height of a terrain in metres; NaN of a void.
        public float GroundHeight(uint place)
        {
            Box bounds;
            return Bounds(place, out bounds) ? (float)bounds.Low.Z : float.NaN;
        }

        // Whether a player at b may be seen from a. False where either is a void, true where either is Nowhere. In a solid
        // level not the same the other way round.
        public bool Visible(uint a, uint b) { return Error.Check(Native.viewcell_visible(handle, a, b)) == 1; }

        // Many pairs; visible[i] becomes 1 or 0.
        public void VisiblePairs(ReadOnlySpan<uint> from, ReadOnlySpan<uint> to, Span<byte> visible)
        {
            Same(from.Length, visible.Length);
            Same(to.Length, visible.Length);
            fixed (uint* a = &MemoryMarshal.GetReference(from))
            fixed (uint* b = &MemoryMarshal.GetReference(to))
            fixed (byte* answers = &MemoryMarshal.GetReference(visible))
                Error.Check(Native.viewcell_visible_pairs(handle, (UIntPtr)visible.Length, a, b, answers));
        }

        // Whom of others may a player see? visible[i] becomes 1 or 0.
        public void VisibleFrom(uint from, ReadOnlySpan<uint> others, Span<byte> visible)
        {
            Same(others.Length, visible.Length);
            fixed (uint* to = &MemoryMarshal.GetReference(others))
            fixed (byte* answers = &MemoryMarshal.GetReference(visible))
                Error.Check(Native.viewcell_visible_from(handle, from, (UIntPtr)others.Length, to, answers));
        }

        // What is known of sight from one quad of a terrain to another: those of two levels that two places are in.
        public Sight VisibleQuads(uint from, uint fromLevel, uint to, uint toLevel)
        {
            return (Sight)Error.Check(Native.viewcell_visible_quads(handle, from, fromLevel, to, toLevel));
        }

        // All that may be seen from a place, of a terrain from the quad of a level that it is in, as Info.Words words.
        public void Pvs(uint place, Span<ulong> words, uint level = 0)
        {
            fixed (ulong* at = &MemoryMarshal.GetReference(words))
                Error.Check(Native.viewcell_pvs(handle, place, level, at, (UIntPtr)words.Length));
        }

        // Which objects of a scene a camera at a position may see: object n has to be drawn where bit n % 64 of word n / 64 is 1. Of
        // (Info.Objects + 63) / 64 words. Returns how many they are.
        public int ObjectsSeen(Position position, Span<ulong> words)
        {
            fixed (ulong* at = &MemoryMarshal.GetReference(words))
                return Error.Check(Native.viewcell_objects_seen(handle, &position, at, (UIntPtr)words.Length));
        }

        // Where an object is in its scene: names from the root to it, with / between them.
        public string ObjectPath(uint number)
        {
            byte[] path = new byte[Error.Check(Native.viewcell_object_path(handle, number, null, UIntPtr.Zero)) + 1];
            fixed (byte* at = path) Error.Check(Native.viewcell_object_path(handle, number, at, (UIntPtr)path.Length));
            return System.Text.Encoding.UTF8.GetString(path, 0, path.Length - 1);
        }

        // Whether a place is in a bitmap of places, such as a PVS.
        public bool Contains(ReadOnlySpan<ulong> words, uint place)
        {
            fixed (ulong* at = &MemoryMarshal.GetReference(words))
                return Error.Check(Native.viewcell_contains(handle, at, (UIntPtr)words.Length, place)) == 1;
        }

        // Whether two players who are anywhere at these places may see each other on their paths, up to so far each: metres, or
        // units of the level. Errs towards true.
        public bool VisibleWithin(uint a, uint b, double reachA, double reachB)
        {
            return Error.Check(Native.viewcell_visible_within(handle, a, b, reachA, reachB)) == 1;
        }

        // The same of positions, which in a solid level says more than their cells.
        public bool VisibleWithin(Position a, Position b, double reachA, double reachB)
        {
            return Error.Check(Native.viewcell_sees_within(handle, &a, &b, reachA, reachB)) == 1
                || Error.Check(Native.viewcell_sees_within(handle, &b, &a, reachB, reachA)) == 1;
        }

        // Whether one player may see another, each at any of their own times, as long as both keep to their limits. In a solid
        // level not the same the other way round. Errs towards true.
        public bool VisibleInMotion(Mover from, Mover to)
        {
            return Error.Check(Native.viewcell_sees_in_motion(handle, &from, &to)) == 1;
        }

        // How many visible steps lead from a to b in a level of cells; -1 where none do.
        public int Distance(uint a, uint b)
        {
            int steps = Native.viewcell_distance(handle, a, b);
            return steps == (int)Status.Unreachable ? -1 : Error.Check(steps);
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
    }
}
