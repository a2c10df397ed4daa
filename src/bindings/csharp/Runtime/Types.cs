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

    // A sample of a terrain: the column counts from 0 in the west, the row from 0 in the north.
    [StructLayout(LayoutKind.Sequential)]
    public struct Sample : IEquatable<Sample>
    {
        public uint Column;
        public uint Row;

        public Sample(uint column, uint row) { Column = column; Row = row; }

        public bool Equals(Sample other) { return Column == other.Column && Row == other.Row; }
        public override bool Equals(object other) { return other is Sample && Equals((Sample)other); }
        public override int GetHashCode() { return unchecked((int)(Column * 0x9E3779B1u ^ Row)); }
        public override string ToString() { return "(" + Column + ", " + Row + ")"; }
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct TerrainInfo
    {
        public uint Width, Height, Levels;
        internal uint mutual;
        // Metres between columns, and between rows.
        public double Dx, Dy;
        public double EyeHeight, PlayerHeight;
        // Words of a PVS; sample (c, r) is bit r % 8 * 8 + c % 8 of word r / 8 * BlockColumns + c / 8.
        public ulong Blocks, BlockColumns;

        public bool Mutual { get { return mutual == 1; } }
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct LevelInfo
    {
        public uint Cells;
        // Words of a PVS; cell c is bit c % 64 of word c / 64.
        public uint Words;
        public uint GreatestDistance;
        internal uint mutual, hasBsp, hasNeighbours;

        public bool Mutual { get { return mutual == 1; } }
        public bool HasBsp { get { return hasBsp == 1; } }
        public bool HasNeighbours { get { return hasNeighbours == 1; } }
    }

    // A position in a solid level, in its units and axes.
    [StructLayout(LayoutKind.Sequential)]
    public struct Point
    {
        public double X, Y, Z;

        public Point(double x, double y, double z) { X = x; Y = y; Z = z; }

        public override string ToString() { return "(" + X + ", " + Y + ", " + Z + ")"; }
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct SolidInfo
    {
        public uint Cells;
        // What hides: convex solids, and faces of no solid.
        public uint Solids, Faces;
        internal uint mutual;
        // Size of the smallest cells, by axis.
        public Point Cell;
        // Least and greatest corner of the body, from the player's origin.
        public Point HullLow, HullHigh;
        // Heights of the eye over the origin: crouched, standing.
        public double EyeLow, EyeHigh;
        // Length and CRC-32 of the file that the level was read from.
        public ulong InputBytes;
        public uint InputCrc32;

        public bool Mutual { get { return mutual == 1; } }
        // Words of a PVS; cell c is bit c % 64 of word c / 64.
        public int Words { get { return (int)((Cells + 63) / 64); } }
    }

    public enum Growth : uint { Hierarchical = 0, Simple = 1 }
    public enum Merge : uint { Lossless = 0, Lossy = 1, Blocks = 2 }
    public enum Order : uint { Fifo = 0, Coarse = 1, Ground = 2, Gain = 3, Toward = 4 }
    public enum Turns : uint { Alternate = 0, Balance = 1 }

    // How frontier sets of a terrain are grown. Begin with FrontierOptions.Default.
    [StructLayout(LayoutKind.Sequential)]
    public struct FrontierOptions
    {
        public Growth Grow;
        public Merge Merge;
        public uint Pairs, Neighbours;
        public Order Order;
        // For Order.Toward; a column of uint.MaxValue: nobody knows.
        public Sample TowardA, TowardB;
        public Turns Turns;
        public uint Finest;
        internal uint giveUp, extend, tighten;
        // Stop growing after so many quads; 0 for no limit.
        public uint Budget;

        public bool GiveUp { get { return giveUp == 1; } set { giveUp = value ? 1u : 0; } }
        public bool Extend { get { return extend == 1; } set { extend = value ? 1u : 0; } }
        public bool Tighten { get { return tighten == 1; } set { tighten = value ? 1u : 0; } }

        public static unsafe FrontierOptions Default
        {
            get
            {
                FrontierOptions options;
                Error.Check(Native.viewcell_frontier_defaults(&options));
                return options;
            }
        }
    }

    // How frontier sets of a level of cells are made.
    public enum Construction : uint { Published = 0, Tightened = 1, Grown = 2, Widened = 3 }

    // How a session keeps its players silent. Begin with SessionOptions.Default.
    [StructLayout(LayoutKind.Sequential)]
    public struct SessionOptions
    {
        public FrontierOptions Frontier;
        // Margin is of terrains alone.
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
