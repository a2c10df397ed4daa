// The baking window on a scene of stand-ins: an L-shaped level is exported, baked by the program, and asked with Unity's positions.
// EditorTest.exe PROGRAM FOLDER.

using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityEngine.AI;
using UnityEngine.SceneManagement;
using Viewcell;
using Viewcell.Editor;

static class EditorTest
{
    static void Check(bool holds, string what) { if (!holds) throw new Exception("does not hold: " + what); }

    static void Set(object of, string field, object to) { of.GetType().GetField(field, BindingFlags.Instance | BindingFlags.NonPublic).SetValue(of, to); }

    static T Get<T>(object of, string field) { return (T)of.GetType().GetField(field, BindingFlags.Instance | BindingFlags.NonPublic).GetValue(of); }

    static int Main(string[] arguments)
    {
        string folder = arguments[1], bundle = Path.Combine(folder, "l.vcb");
        if (Directory.Exists(folder)) Directory.Delete(folder, true);
        Directory.CreateDirectory(folder);
        Scene();
        LevelBaker window = new LevelBaker();
        Set(window, "program", arguments[0]);
        Set(window, "output", bundle);
        LevelOptions options = Get<LevelOptions>(window, "options");
        options.quality = "samples";
        options.leftOut = 1 << 5;
        Refusals(window, options, arguments[0]);

        Check(window.IsStale() == null, "not baked yet");
        window.Bake();
        Check(window.IsStale() == false, "up to date");
        LevelBake kept = AssetDatabase.LoadAssetAtPath<LevelBake>(Path.Combine(folder, "l.viewcell.asset"));
        Check(kept != null && kept.bundle == bundle && kept.digest.Length == 64, "the asset");
        byte[] before = File.ReadAllBytes(bundle);
        Answers(bundle);

        // Cancelled: the old bundle stays, and nothing lies about.
        EditorUtility.Cancels = (stage, done) => true;
        window.Bake();
        Check(Get<string>(window, "state").StartsWith("Cancelled") && Directory.GetFiles(folder).Length == 1, "cancelled");
        byte[] after = File.ReadAllBytes(bundle);
        Check(before.Length == after.Length, "a cancelled bake leaves the bundle");
        for (int i = 0; i < before.Length; i++) Check(before[i] == after[i], "a cancelled bake leaves the bundle");

        Gizmo(folder);
        Progress();
        // What changes makes the bundle stale; what is left out does not.
        Transform chair = Box("chair", 10, 0.2f, 1, 0.4f, 0.4f, 0.4f).transform;
        Check(window.IsStale() == true, "a chair");
        chair.gameObject.layer = 5;
        Check(window.IsStale() == false, "a chair that is left out");
        options.height = 1.9f;
        Check(window.IsStale() == true, "a taller body");
        Hills(options);
        Console.WriteLine("the baking window: an L-shaped level, baked and asked with right and with 47 wrong axes");
        return 0;
    }

    // An L of 20 m to the east and 8 m to the north, 3 m wide and high; in the long arm a screen that hides from the west alone.
    static void Scene()
    {
        SceneManager.Path = Path.Combine("unused", "l.unity");
        Box("floor", 10, -0.5f, 4, 21, 1, 9);
        Box("ceiling", 10, 3.5f, 4, 21, 1, 9);
        Box("south", 10, 1.5f, -0.25f, 21, 3, 0.5f);
        Box("west", -0.25f, 1.5f, 4, 0.5f, 3, 9);
        Box("north", 1.5f, 1.5f, 8.25f, 4, 3, 0.5f);
        Box("east", 20.25f, 1.5f, 1.5f, 0.5f, 3, 4);
        // The inner corner, by a transform that mirrors it.
        Box("inside", 11.75f, 1.5f, 5.5f, -17.5f, 3, 5);
        Mesh quad = new Mesh { vertices = new Vector3[] { new Vector3(0, 0, -3), new Vector3(0, 3, -3), new Vector3(0, 3, 0), new Vector3(0, 0, 0) }, triangles = new int[] { 2, 1, 0, 3, 2, 0 } };
        Transform screen = Static("screen", quad);
        screen.position = new Vector3(12, 0, 0);
        // A mirrored transform: Unity draws the sides that were the fronts.
        screen.lossyScale = new Vector3(1, 1, -1);

        // What is not to hide anybody: it moves, is glass, is drawn from afar alone, is not drawn, or is left out.
        Box("cart", 6, 1.5f, 1.5f, 0.5f, 3, 3).isStatic = false;
        Box("window", 6, 1.5f, 1.5f, 0.02f, 3, 3).GetComponent<MeshRenderer>().sharedMaterials[0].renderQueue = 3000;
        Box("shadow", 6, 1.5f, 1.5f, 0.5f, 3, 3).GetComponent<MeshRenderer>().shadowCastingMode = UnityEngine.Rendering.ShadowCastingMode.ShadowsOnly;
        Box("off", 6, 1.5f, 1.5f, 0.5f, 3, 3).GetComponent<MeshRenderer>().enabled = false;
        Box("gone", 6, 1.5f, 1.5f, 0.5f, 3, 3).activeInHierarchy = false;
        Box("debug", 6, 1.5f, 1.5f, 0.5f, 3, 3).layer = 5;
        MeshRenderer near = Box("pebble", 5, 0.05f, 0.2f, 0.1f, 0.1f, 0.1f).GetComponent<MeshRenderer>();
        MeshRenderer far = Box("pebble from afar", 6, 1.5f, 1.5f, 0.5f, 3, 3).GetComponent<MeshRenderer>();
        new GameObject("pebble group").AddComponent<LODGroup>().lods = new LOD[] { new LOD { renderers = new Renderer[] { near } }, new LOD { renderers = new Renderer[] { far } } };
        GameObject spawn = new GameObject("spawn") { tag = "Respawn" };
        spawn.transform.position = new Vector3(1.5f, 0, 1.5f);
        // East of the window, and of the screen.
        NavMesh.Triangulation = new NavMeshTriangulation
        {
            vertices = new Vector3[] { new Vector3(8, 0, 1), new Vector3(9, 0, 2), new Vector3(10, 0, 1), new Vector3(15, 0, 1), new Vector3(16, 0, 2), new Vector3(17, 0, 1) },
            indices = new int[] { 0, 1, 2, 3, 4, 5 },
        };
    }

    static Transform Static(string name, Mesh mesh)
    {
        GameObject made = new GameObject(name) { isStatic = true };
        made.AddComponent<MeshFilter>().sharedMesh = mesh;
        made.AddComponent<MeshRenderer>();
        return made.transform;
    }

    // A cube as Unity has it, by middle and size: front faces are clockwise.
    static GameObject Box(string name, float x, float y, float z, float width, float height, float depth)
    {
        Vector3[] corners = new Vector3[8];
        for (int i = 0; i < 8; i++) corners[i] = new Vector3((i & 1) - 0.5f, (i >> 1 & 1) - 0.5f, (i >> 2) - 0.5f);
        int[] triangles = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3 };
        Transform at = Static(name, new Mesh { vertices = corners, triangles = triangles });
        at.position = new Vector3(x, y, z);
        at.lossyScale = new Vector3(width, height, depth);
        return at.gameObject;
    }

    static void Answers(string path)
    {
        Position corner = new Position(1.5, 0.1, 1.5), shortEnd = new Position(1.5, 0.1, 7), west = new Position(9, 0.1, 1.5), east = new Position(18, 0.1, 1.5);
        using (Bundle bundle = Bundle.Open(path))
        {
            Check(bundle.Axes.Equals(Axes.Unity), "axes " + bundle.Axes);
            Func<Position, Position, bool> sees = (a, b) => { uint from, to; return !bundle.Locate(a, out from) | !bundle.Locate(b, out to) || bundle.Visible(from, to); };
            // What is to hold, of positions that are asked by some axes.
            Func<Axes, bool> holds = axes =>
            {
                Position[] at = { axes.ToLevel(corner), axes.ToLevel(shortEnd), axes.ToLevel(west), axes.ToLevel(east) };
                uint place;
                foreach (Position of in at) if (!bundle.Locate(of, out place)) return false;
                return sees(at[0], at[1]) && sees(at[1], at[0]) && sees(at[0], at[2]) && sees(at[2], at[0])
                    && !sees(at[1], at[2]) && !sees(at[2], at[1]) && !sees(at[1], at[3])
                    // The screen is one-sided.
                    && !sees(at[2], at[3]) && sees(at[3], at[2]);
            };
            Check(holds(bundle.Axes), "the L, as Unity has it");
            int wrong = 0;
            int[][] orders = { new[] { 1, 2, 3 }, new[] { 1, 3, 2 }, new[] { 2, 1, 3 }, new[] { 2, 3, 1 }, new[] { 3, 1, 2 }, new[] { 3, 2, 1 } };
            foreach (int[] order in orders)
                for (int signs = 0; signs < 8; signs++)
                {
                    Axes axes = new Axes { X = order[0], Y = order[1], Z = order[2], Scale = 1 };
                    if ((signs & 1) != 0) axes.X = -axes.X;
                    if ((signs & 2) != 0) axes.Y = -axes.Y;
                    if ((signs & 4) != 0) axes.Z = -axes.Z;
                    if (axes.Equals(Axes.Unity)) continue;
                    Check(!holds(axes), "axes " + axes + " are noticed");
                    wrong++;
                }
            Check(wrong == 47, "all others");
        }
    }

    // From the end of the short arm the gizmo draws cells of that arm and of the corner, and none of the long arm's end.
    static void Gizmo(string folder)
    {
        Application.streamingAssetsPath = folder;
        GameObject eye = new GameObject("eye");
        eye.transform.position = new Vector3(1.5f, 0.1f, 7);
        PvsGizmo gizmo = eye.AddComponent<PvsGizmo>();
        gizmo.bundleFile = "l.vcb";
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
    }

    static void Progress()
    {
        string line = "{\\\"stage\\\":\\\"visibility\\\",\\\"unit\\\":\\\"pairs\\\",\\\"done\\\":30,\\\"total\\\":120}";
        using (BakeRun run = new BakeRun("sh", "-c \"echo '" + line + "' >&2; echo a note >&2; echo ignored\""))
        {
            Check(run.Finish() == "a note\n", "words for people");
            Check(run.Stage == "visibility" && run.Done == 0.25f, "progress: " + run.Stage + " " + run.Done);
        }
        using (BakeRun run = new BakeRun("sh", "-c \"exec sleep 60\"")) { run.Cancel(); Check(run.HasEnded, "cancelled"); }
    }

    // A terrain of 4 squares, one of them a hole; its triangles face up.
    static void Hills(LevelOptions options)
    {
        int before = SceneGeometry.Collect(options, new Transform[0], new List<string>()).Triangles;
        Terrain terrain = new GameObject("hills").AddComponent<Terrain>();
        terrain.drawHeightmap = true;
        terrain.transform.position = new Vector3(100, 0, 0);
        terrain.terrainData = new TerrainData
        {
            heightmapResolution = 3, heightmapScale = new Vector3(2, 10, 2), heights = new float[3, 3], holes = new bool[,] { { true, true }, { false, true } },
        };
        LevelExport level = SceneGeometry.Collect(options, new Transform[0], new List<string>());
        Check(level.Triangles == before + 6, "squares without the hole");
        string folder = Path.Combine(Path.GetTempPath(), "viewcell-hills-" + Guid.NewGuid().ToString("N"));
        Directory.CreateDirectory(folder);
        level.Write(folder);
        List<float[]> corners = new List<float[]>();
        int up = 0;
        foreach (string line in File.ReadAllLines(Path.Combine(folder, "level.obj")))
        {
            string[] words = line.Split(' ');
            if (words[0] == "v") corners.Add(new[] { float.Parse(words[1]), float.Parse(words[2]), float.Parse(words[3]) });
            if (words[0] != "f") continue;
            float[] a = corners[int.Parse(words[1]) - 1], b = corners[int.Parse(words[2]) - 1], c = corners[int.Parse(words[3]) - 1];
            if (a[0] > -100) continue;
            // The height of the normal of a right-handed file.
            Check((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0, "faces up");
            up++;
        }
        Directory.Delete(folder, true);
        Check(up == 6, "triangles of the terrain: " + up);
    }

    static void Refusals(LevelBaker window, LevelOptions options, string program)
    {
        SceneManager.Path = "";
        Refuses(window, "save it first");
        SceneManager.Path = Path.Combine(Path.GetDirectoryName(Get<string>(window, "output")), "l.unity");
        Set(window, "program", "/no/such/program");
        Refuses(window, "/no/such/program");
        Set(window, "program", program);
        options.eyeStanding = 3;
        Refuses(window, "below the head");
        options.eyeStanding = 1.7f;
        options.quality = "great";
        Refuses(window, "great");
        options.quality = "samples";
        GameObject.FindGameObjectsWithTag("Respawn")[0].tag = "";
        options.useNavMesh = false;
        Refuses(window, "spawn point");
        options.useNavMesh = true;
        foreach (Transform of in UnityEngine.Object.FindObjectsOfType<Transform>()) if (of.gameObject.name == "spawn") of.gameObject.tag = "Respawn";
    }

    static void Refuses(LevelBaker window, string words)
    {
        try { window.Bake(); }
        catch (Exception error)
        {
            Check(error.Message.Contains(words), words + ": " + error.Message);
            Check(!File.Exists(Get<string>(window, "output")), "nothing is written");
            return;
        }
        throw new Exception("expected an error of: " + words);
    }
}
