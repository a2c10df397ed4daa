// How players move, and in whose coordinates: structs as the C interface has them.

using System;
using System.Runtime.InteropServices;

namespace Viewcell
{
    // Whose positions a bundle takes and gives: how those of the engine that a solid level was exported from lie in the level.
    [StructLayout(LayoutKind.Sequential)]
    public struct Axes
    {
        // For x, y and z of the level the coordinate of the engine, from 1; less than 0 where it is negated.
        public int X, Y, Z;
        // Of a scene; no part of the axes.
        internal uint objects;
        // Units of the level per unit of the engine.
        public double Scale;

        // Those of `viewcell bake --from unity`.
        public static readonly Axes Unity = new Axes { X = -1, Y = -3, Z = 2, Scale = 1 };

        public bool Equals(Axes other) { return X == other.X && Y == other.Y && Z == other.Z && Scale == other.Scale; }

        // A position or a direction turned by these.
        internal Position Turn(Position of) { return new Position(Along(X, of), Along(Y, of), Along(Z, of)); }

        private double Along(int axis, Position of)
        {
            int which = Math.Abs(axis);
            double at = which == 1 ? of.X : which == 2 ? of.Y : of.Z;
            return (axis < 0 ? -at : at) * Scale;
        }

        public override string ToString() { return "(" + X + ", " + Y + ", " + Z + ") * " + Scale; }
    }

    // A number along the ground (x and y of a level together), and one up or down.
    [StructLayout(LayoutKind.Sequential)]
    public struct Limit
    {
        public double Along, Up;

        public Limit(double along, double up) { Along = along; Up = up; }

        public static readonly Limit None = new Limit(double.PositiveInfinity, double.PositiveInfinity);
        public static readonly Limit Zero = new Limit(0, 0);
    }

    // How players may move, by the rules of the game, in the unit of the bundle. Begin with MotionLimits.OfSpeed.
    [StructLayout(LayoutKind.Sequential)]
    public struct MotionLimits
    {
        // Greatest speed, a second; and greatest acceleration, a second squared.
        public Limit Speed, Acceleration;
        // Greatest sudden changes of velocity, all those of the time that is asked about added up: jumps, knock-back.
        public Limit Impulse;
        // How far a position may be from where the player truly was.
        public Limit Error;

        // No more than a speed: players may turn at once.
        public static MotionLimits OfSpeed(double along, double up)
        {
            return new MotionLimits { Speed = new Limit(along, up), Acceleration = Limit.None, Impulse = Limit.Zero, Error = Limit.Zero };
        }
    }

    // A player in motion: where they are now, what they keep to, and from when until when is asked about.
    [StructLayout(LayoutKind.Sequential)]
    public struct Mover
    {
        public Position Position;
        // A second. Counts after HasVelocity = true.
        public Position Velocity;
        internal uint hasVelocity, reserved;
        public MotionLimits Limits;
        // Seconds from now.
        public double From, Until;

        public bool HasVelocity { get { return hasVelocity == 1; } set { hasVelocity = value ? 1u : 0; } }
    }

    // A player in a frame of a watch.
    [StructLayout(LayoutKind.Sequential)]
    public struct Watched
    {
        // How the player moves while they see by what is sent now: until a round trip and the time to the next frame.
        public Mover Sees;
        // The same player while others are shown where they go: until the next frame.
        public Mover Shown;
        // By how much stairs may bring the player higher at once.
        public double Step;
        internal double eyeLow, eyeHigh;
        internal Box body;
        internal uint hasEye, hasBody;

        // Least and greatest height of the eye over the origin, in place of the bundle's.
        public void Eye(double low, double high) { eyeLow = low; eyeHigh = high; hasEye = 1; }

        // The box of what is seen of the player, with what they carry, from the origin, in place of the bundle's.
        public void Body(Box box) { body = box; hasBody = 1; }
    }

    // A sphere of smoke: its centre, the radius of what is opaque for as long as it stays, and for how many seconds that is.
    [StructLayout(LayoutKind.Sequential)]
    public struct Smoke
    {
        public Position Centre;
        public double Radius, Seconds;
    }

    // What a frame of a watch came to until now: ordered pairs of players who are there.
    [StructLayout(LayoutKind.Sequential)]
    public struct WatchCounts
    {
        // All; hidden of these; hidden by what was proven in a frame before; looked at in this frame; hidden by cells; found in
        // sight by the line that was clear before; and work that was done.
        public uint Pairs, Hidden, Kept, Looked, Baked, InSight, Work;
        internal uint reserved;
    }
}
