namespace Viewcell
{
    // From Unity's coordinates (left-handed, y up, metres) to a bundle's.
    public struct Placement
    {
        private Axes axes;
        private Position origin;

        // Of a level that was baked with `--from unity`, or whose Axes are otherwise told.
        public static Placement OfLevel(Axes axes) { return new Placement { axes = axes }; }

        // Of a terrain: its least corner, and its size from south to north. Row 0 of a bundle is in the north, a terrain's first in
        // the south.
        public static Placement OfTerrain(double cornerX, double cornerZ, double size)
        {
            return new Placement { axes = new Axes { X = 1, Y = -3, Z = 2, Scale = 1 }, origin = new Position(cornerX, 0, cornerZ + size) };
        }

        public Position At(double x, double y, double z) { return axes.ToLevel(new Position(x - origin.X, y - origin.Y, z - origin.Z)); }

        public Position Direction(double x, double y, double z) { return axes.ToLevel(new Position(x, y, z)); }
    }
}
