// What goes into the library and comes out: structs as the C interface has them.

using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Viewcell
{
    // Why there is no answer; numbers of viewcell.h.
    public enum Status
    {
        Ok = 0, Null = -1, Version = -2, IO = -3, Format = -4, Kind = -5, Closed = -6, Outside = -7, Void = -8,
        Buffer = -9, Argument = -10, Internal = -11, Unreachable = -12, Full = -13,
    }

    // What went wrong with a bundle. Arguments that cannot be are an ArgumentException, places off the map
    // an ArgumentOutOfRangeException, closed bundles an ObjectDisposedException, files an IOException.
    public sealed class ViewcellException : Exception
    {
        public Status Status { get; private set; }

        public ViewcellException(Status status, string message) : base(message) { Status = status; }
    }

    public enum WorldKind { Terrain = 1, Cells = 2, Solid = 3 }

    // What is known of sight from one quad to another.
    public enum Sight { Hidden = 0, Visible = 1, Partly = 2 }

    // A position: metres east and south of sample (0, 0) of a terrain, and any height; or in the units and axes of a level.
    [StructLayout(LayoutKind.Sequential)]
    public struct Position
    {
        public double X, Y, Z;

        public Position(double x, double y, double z = 0) { X = x; Y = y; Z = z; }

        public override string ToString() { return "(" + X + ", " + Y + ", " + Z + ")"; }
    }

    // All positions between two corners.
    [StructLayout(LayoutKind.Sequential)]
    public struct Box
    {
        public Position Low, High;

        public Position Middle { get { return new Position((Low.X + High.X) / 2, (Low.Y + High.Y) / 2, (Low.Z + High.Z) / 2); } }
    }

    // What a bundle is of. What is of another kind of world is 0.
    [StructLayout(LayoutKind.Sequential)]
    public struct WorldInfo
    {
        internal uint kind, mutual;
        // View cells, numbered from 0; and words of a bitmap of them, such as a PVS.
        public ulong Places, Words;
        // Of a terrain: columns, rows, levels of the quadtree; sample (c, r) is place r * Width + c, and bit
        // r % 8 * 8 + c % 8 of word r / 8 * BlockColumns + c / 8 of a PVS.
        public uint Width, Height, Levels, BlockColumns;
        // Of a terrain: metres between columns, and between rows; height of the head above ground.
        public double Dx, Dy, PlayerHeight;
        // Heights of the eye: above the ground; in a solid level over the origin, crouched and standing.
        public double EyeLow, EyeHigh;
        // Of a level of cells.
        public uint GreatestDistance;
        internal uint hasBsp, hasNeighbours;
        // Of a solid level: what hides, convex solids and faces of no solid; CRC-32 and length of the file that it was read
        // from.
        public uint Solids, Faces, InputCrc32;
        public ulong InputBytes;
        // Of a solid level: size of the smallest cells, by axis; the box of the body, from the player's origin.
        public Position Cell;
        public Box Hull;
        internal Axes axes;

        public WorldKind Kind { get { return (WorldKind)kind; } }
        public bool Mutual { get { return mutual == 1; } }
        // Of a scene: the objects that it draws.
        public uint Objects { get { return axes.objects; } }
        public bool HasBsp { get { return hasBsp == 1; } }
        public bool HasNeighbours { get { return hasNeighbours == 1; } }
    }

    // How a session keeps its players silent. Begin with SessionOptions.Default.
    [StructLayout(LayoutKind.Sequential)]
    public struct SessionOptions
    {
        // Of a terrain and of a solid level: a frontier set grows until so many quads have been tried, 0 for no limit.
        public uint Budget;
        // Margin is of terrains alone. A patience of uint.MaxValue is what suits the kind of world.
        public uint Margin, Patience;
        internal uint peers;

        public bool Peers { get { return peers == 1; } set { peers = value ? 1u : 0; } }

        public static unsafe SessionOptions Default
        {
            get
            {
                SessionOptions options;
                Error.Check(Native.viewcell_session_defaults(&options));
                return options;
            }
        }
    }

    public enum News : uint { Position = 0, Frontier = 1 }

    // Something to tell a player.
    [StructLayout(LayoutKind.Sequential)]
    public struct Notice
    {
        public uint To, About;
        public News What;
    }

    internal static class Error
    {
        internal static int Check(int status)
        {
            if (status < 0) throw Of((Status)status, Words(status));
            return status;
        }

        internal static unsafe string Words(int status)
        {
            return Text((byte*)Native.viewcell_status_text(status));
        }

        internal static unsafe string Text(byte* text)
        {
            int length = 0;
            while (text[length] != 0) length++;
            return Encoding.UTF8.GetString(text, length);
        }

        internal static Exception Of(Status status, string words)
        {
            switch (status)
            {
                case Status.Outside: return new ArgumentOutOfRangeException(null, words);
                case Status.Argument: return new ArgumentException(words);
                case Status.Buffer: return new ArgumentException(words);
                case Status.Closed: return new ObjectDisposedException("viewcell", words);
                case Status.IO: return new System.IO.IOException(words);
                default: return new ViewcellException(status, words);
            }
        }
    }
}
