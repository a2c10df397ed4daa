namespace Viewcell
{
    // From Unity's coordinates (left-handed, y up, metres) to a bundle's.
    public struct Placement
    {
        private Axes axes;
        private Position origin;

        // Of a level that was baked with `--from unity`, which takes positions of the scene as they are.
        public static Placement OfLevel() { return new Placement { axes = new Axes { X = 1, Y = 2, Z = 3, Scale = 1 } }; }

        // Of a terrain: its least corner, and its size from south to north. Row 0 of a bundle is in the north, a terrain's first in
        // the south.
        public static Placement OfTerrain(double cornerX, double cornerZ, double size)
        {
            return new Placement { axes = new Axes { X = 1, Y = -3, Z = 2, Scale = 1 }, origin = new Position(cornerX, 0, cornerZ + size) };
        }

        public Position At(double x, double y, double z) { return axes.Turn(new Position(x - origin.X, y - origin.Y, z - origin.Z)); }

        public Position Direction(double x, double y, double z) { return axes.Turn(new Position(x, y, z)); }
    }
}
