// Players who walk through two rooms with a door between them, and who of them the library says must be sent to whom: what the
// tests of components compare a framework's clients with.

using System;
using System.Collections.Generic;
using System.IO;
using UnityEngine;
using Viewcell;

class Frames
{
    public const int Players = 3;
    public const float Speed = 320, Up = 300;
    public const double Interval = 0.05, Jitter = 0.05, Hold = 0.5, MaxAhead = 0.3;
    public const uint Work = 100000;
    // In seconds; one has none.
    public static readonly double[] Pings = { 0, 0.08, 0.5 };

    public readonly Bundle Bundle;
    // Where each is now, in the level's coordinates.
    public readonly Position[] At = new Position[Players];
    public readonly bool[,] Expected = new bool[Players, Players];
    public double Now;

    readonly Watch watch;
    readonly double[,] until = new double[Players, Players];
    readonly Position[] goal = new Position[Players];
    readonly System.Random dice = new System.Random(5);
    int hidden, changes;

    // Opens the level with the axes of Unity, as a bake with `--from unity` writes them; leaves it where ViewcellWorld looks for it.
    public Frames(string root, string folder)
    {
        byte[] bytes = File.ReadAllBytes(Path.Combine(root, "tests/golden/v1/solid.vcb"));
        int at = -1;
        for (int i = 0; i + 4 <= bytes.Length; i++)
            if (bytes[i] == 1 && bytes[i + 1] == 2 && bytes[i + 2] == 3 && bytes[i + 3] == 1) { Check(at < 0, "axes and units, once"); at = i; }
        Check(at >= 0, "axes and units");
        new byte[] { 255, 253, 2 }.CopyTo(bytes, at);
        Directory.CreateDirectory(folder);
        string path = Path.Combine(folder, "level.vcb");
        File.WriteAllBytes(path, bytes);
        Application.streamingAssetsPath = folder;
        Bundle = Bundle.Open(path);
        Check(Bundle.Axes.Equals(Axes.Unity), "axes of Unity");
        watch = new Watch(Bundle, Players, MaxAhead);
        for (int i = 0; i < Players; i++) At[i] = goal[i] = Somewhere();
    }

    public static void Check(bool holds, string what) { if (!holds) throw new Exception("does not hold: " + what); }

    // The world as the components are to keep it.
    public static ViewcellWorld AddWorld(GameObject on)
    {
        World world = on.AddComponent<World>();
        Check(Debug.Errors.Count == 0, string.Join("; ", Debug.Errors));
        Check(world.Sets.IsWatched, "a watch");
        return world;
    }

    // A world without a bundle, of another engine's axes, or of a terrain that is not there says so once, and hides nobody.
    public static void Refusals(string root, string folder)
    {
        string golden = Path.Combine(root, "tests/golden");
        File.Copy(Path.Combine(golden, "v1/40x9-pairs.vcb"), Path.Combine(folder, "terrain.vcb"), true);
        File.Copy(Path.Combine(golden, "axes/unreal.vcb"), Path.Combine(folder, "unreal.vcb"), true);
        foreach (string[] wrong in new string[][] {
            new string[] { "nothing.vcb", "no such file" }, new string[] { "unreal.vcb", "--from unity" }, new string[] { "terrain.vcb", "Terrain" },
        })
        {
            Other.File = wrong[0];
            ViewcellWorld world = new GameObject("other").AddComponent<Other>();
            Check(Debug.Errors.Count == 1 && Debug.Errors[0].Contains(wrong[0]) && Debug.Errors[0].Contains(wrong[1]), wrong[0] + ": " + string.Join("; ", Debug.Errors));
            Debug.Errors.Clear();
            world.Put(1, world.transform, 0);
            Check(world.Sets == null && world.Observes(1, 2) && world.Knows(1), "everybody observes everybody");
            bool isDriven = false;
            world.Drive = time => isDriven = true;
            GameObject.Send(world, "LateUpdate");
            Check(!isDriven, "nothing to drive");
            GameObject.Send(world, "OnDisable");
            Check(ViewcellWorld.Active == null, "none is active");
        }
        // A terrain whose corner is at (100, 0, 50), 8 spacings from south to north.
        Other.File = "terrain.vcb";
        Terrain terrain = new GameObject("terrain").AddComponent<Terrain>();
        terrain.transform.position = new Vector3(100, 0, 50);
        using (Bundle bundle = Bundle.Open(Path.Combine(folder, "terrain.vcb")))
        {
            float side = (float)(8 * bundle.Info.Dy);
            terrain.terrainData = new TerrainData { size = new Vector3((float)(39 * bundle.Info.Dx), 10, side) };
            Other.On = terrain;
            ViewcellWorld world = new GameObject("hills").AddComponent<Other>();
            Check(Debug.Errors.Count == 0 && world.Sets != null && !world.Sets.IsWatched, "a terrain: " + string.Join("; ", Debug.Errors));
            uint place;
            // The north-western corner, and the south-eastern one.
            Check(bundle.Locate(world.At(new Vector3(100, 3, 50 + side)), out place) && place == bundle.PlaceOf(0, 0), "north-west");
            Check(bundle.Locate(world.At(new Vector3(100 + (float)(39 * bundle.Info.Dx), 3, 50)), out place) && place == bundle.PlaceOf(39, 8), "south-east");
            Check(!bundle.Locate(world.At(new Vector3(99 - (float)bundle.Info.Dx, 3, 50)), out place), "west of it");
            GameObject.Send(world, "OnDisable");
            Other.On = null;
        }
    }

    // From the end of the short arm of an L the gizmo draws cells of that arm and of the corner, and none of the long arm's end.
    public static void Gizmo(string root)
    {
        string before = Application.streamingAssetsPath;
        Application.streamingAssetsPath = Path.Combine(root, "tests/golden/axes");
        GameObject eye = new GameObject("eye");
        eye.transform.position = new Vector3(1.5f, 0.1f, 7);
        PvsGizmo gizmo = eye.AddComponent<PvsGizmo>();
        gizmo.bundleFile = "unity.vcb";
        gizmo.everyNth = 1;
        GameObject.Send(gizmo, "OnDrawGizmosSelected");
        int north = 0;
        foreach (Vector3 cube in Gizmos.Cubes)
        {
            Check(cube.x > 0 && cube.x < 10 && cube.y >= 0 && cube.y < 3 && cube.z > 0 && cube.z < 8, "a visible cell");
            if (cube.z > 4) north++;
        }
        Check(north > 5 && Gizmos.Cubes.Count > north, north + " of " + Gizmos.Cubes.Count + " cells in the short arm");
        GameObject.Send(gizmo, "OnDisable");
        Application.streamingAssetsPath = before;
    }

    class Other : ViewcellWorld
    {
        public static string File;
        public static Terrain On;
        public Other() { bundleFile = File; terrain = On; }
    }

    // A position of the level as the bundle is asked with: x is mirrored, and y is up.
    static Position Asked(Position of) { return new Position(-of.X, of.Z, -of.Y); }

    // The same for a transform.
    public static Vector3 Unity(Position of) { return new Vector3((float)-of.X, (float)of.Z, (float)-of.Y); }

    Position Somewhere()
    {
        while (true)
        {
            Position at = new Position(528 * dice.NextDouble(), 256 * dice.NextDouble(), 32);
            uint cell;
            if (Bundle.Locate(Asked(at), out cell)) return at;
        }
    }

    // Everybody goes on for a frame; now and then somebody is put elsewhere. What the library says then.
    void Step(bool[] isThere)
    {
        Now += Interval;
        for (int i = 0; i < Players; i++)
        {
            double x = goal[i].X - At[i].X, y = goal[i].Y - At[i].Y, way = Math.Sqrt(x * x + y * y), most = 0.9 * Speed * Interval;
            uint cell;
            Position next = way <= most ? goal[i] : new Position(At[i].X + x / way * most, At[i].Y + y / way * most, At[i].Z);
            // Single precision, as Unity has it.
            next = new Position((float)next.X, (float)next.Y, (float)next.Z);
            if (way <= most || !Bundle.Locate(Asked(next), out cell)) goal[i] = Somewhere(); else At[i] = next;
            if (dice.Next(400) == 0) { Position put = Somewhere(); At[i] = new Position((float)put.X, (float)put.Y, put.Z); }
            if (!isThere[i]) { watch.Remove(i); continue; }
            Mover mover = new Mover { Position = Asked(At[i]), Limits = MotionLimits.OfSpeed(Speed, Up) };
            Watched watched = new Watched { Sees = mover, Shown = mover, Step = 18 };
            double ahead = Pings[i] + Interval + Jitter;
            watched.Sees.Until = ahead <= MaxAhead ? ahead : double.PositiveInfinity;
            watched.Shown.Until = Interval + Jitter;
            watch.Set(i, watched);
        }
        watch.Begin();
        watch.Look(Work);
        for (int a = 0; a < Players; a++)
            for (int b = 0; b < Players; b++)
            {
                if (!isThere[a] || !isThere[b]) { until[a, b] = 0; continue; }
                if (watch.Sends(a, b)) until[a, b] = Now + Hold; else if (a != b) hidden++;
                bool observes = a == b || watch.Sends(a, b) || Now < until[a, b];
                if (observes != Expected[a, b]) changes++;
                Expected[a, b] = observes;
            }
    }

    // Players join one after the other, and `leaver` leaves and comes again. After each frame judge(viewer, player, expected, what)
    // is called for everybody who may observe a player who is there.
    public void Play(string framework, ViewcellWorld world, int leaver, Action<int> join, Action<int> leave, Func<int, Transform> find, Action<int, int, bool, string> judge)
    {
        const int Count = 4000;
        bool[] isThere = new bool[Players];
        for (int frame = 0; frame < Count; frame++)
        {
            for (int i = 0; i < Players; i++)
            {
                bool comes = frame >= 3 * i && (i != leaver || frame % 500 < 450);
                if (comes && !isThere[i]) join(i);
                if (!comes && isThere[i]) leave(i);
                isThere[i] = comes;
            }
            Step(isThere);
            for (int i = 0; i < Players; i++) if (isThere[i]) find(i).position = Unity(At[i]);
            Time.realtimeSinceStartupAsDouble = Now;
            GameObject.Send(world, "LateUpdate");
            for (int a = 0; a < Players; a++)
                for (int b = 0; b < Players; b++)
                {
                    bool expected = !isThere[a] || Expected[a, b];
                    if (isThere[b]) judge(a, b, expected, "frame " + frame + ": " + a + " observes " + b + " is " + expected);
                }
        }
        Report(framework, Count);
    }

    void Report(string name, int frames)
    {
        Check(hidden > frames / 2 && changes > 50, "something is hidden, and changes: " + hidden + ", " + changes);
        Console.WriteLine(name + ": " + frames + " frames, " + hidden + " times hidden, observers changed " + changes + " times, all as the library says");
    }

    // With work in place of microseconds, and the speeds of Quake.
    class World : ViewcellWorld
    {
        public World()
        {
            speed = Speed;
            verticalSpeed = Up;
            stepHeight = 18;
            interval = (float)Interval * 0.5f;
            jitter = (float)(Interval + Jitter) - interval;
            hold = (float)Hold;
        }

        protected override ObserverOptions Tune(ObserverOptions options)
        {
            options.Work = Work;
            options.Interval = Interval + Jitter;
            options.MaxAhead = MaxAhead;
            return options;
        }
    }
}
