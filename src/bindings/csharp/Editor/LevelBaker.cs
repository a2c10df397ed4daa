#if UNITY_EDITOR
using System;
using System.Collections.Generic;
using System.IO;
using UnityEditor;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace Viewcell.Editor
{
    // Bakes the open scene: Tools > Viewcell > Bake Level. What it was baked from is kept beside the scene.
    public sealed class LevelBaker : EditorWindow
    {
        private static readonly string[] Qualities = { "draft", "good", "best", "samples" };

        [SerializeField] private string program = "viewcell", output = "Assets/StreamingAssets/level.vcb", spawnTag = "Respawn";
        [SerializeField] private LevelOptions options = new LevelOptions();
        private string state = "";

        [MenuItem("Tools/Viewcell/Bake Level")]
        private static void Open() { GetWindow<LevelBaker>("Viewcell level"); }

        private void OnEnable()
        {
            LevelBake before = AssetDatabase.LoadAssetAtPath<LevelBake>(AssetOf(SceneManager.GetActiveScene().path));
            if (before == null) return;
            output = before.bundle;
            options = before.options;
        }

        private void OnGUI()
        {
            program = EditorGUILayout.TextField("Program", program);
            output = EditorGUILayout.TextField("Bundle", output);
            spawnTag = EditorGUILayout.TagField("Tag of spawn points", spawnTag);
            options.useNavMesh = EditorGUILayout.Toggle("Places of the NavMesh", options.useNavMesh);
            options.leftOut = EditorGUILayout.MaskField("Layers left out", options.leftOut.value, Layers());
            options.width = EditorGUILayout.FloatField("Body: width (m)", options.width);
            options.height = EditorGUILayout.FloatField("Body: height (m)", options.height);
            options.eyeCrouched = EditorGUILayout.FloatField("Eye: crouched (m)", options.eyeCrouched);
            options.eyeStanding = EditorGUILayout.FloatField("Eye: standing (m)", options.eyeStanding);
            options.quality = Qualities[EditorGUILayout.Popup("Quality", Math.Max(0, Array.IndexOf(Qualities, options.quality)), Qualities)];
            if (GUILayout.Button("Bake")) Try(Bake);
            if (GUILayout.Button("Is the bundle up to date?")) Try(() => state = Say(IsStale()));
            if (state != "") EditorGUILayout.HelpBox(state, MessageType.Info);
        }

        private static string[] Layers()
        {
            string[] names = new string[32];
            for (int i = 0; i < names.Length; i++) { string name = LayerMask.LayerToName(i); names[i] = string.IsNullOrEmpty(name) ? "Layer " + i : name; }
            return names;
        }

        private void Try(Action what)
        {
            try { what(); }
            catch (Exception error)
            {
                state = error.Message;
                UnityEngine.Debug.LogError("viewcell: " + error.Message);
            }
        }

        private static string Say(bool? isStale)
        {
            return isStale == null ? "This scene has not been baked." : isStale.Value ? "Stale: the scene or the options have changed since the bake." : "Up to date.";
        }

        private static string AssetOf(string scene) { return Path.ChangeExtension(scene, ".viewcell.asset"); }

        private LevelExport Collect(List<string> notes)
        {
            List<Transform> spawns = new List<Transform>();
            foreach (GameObject spawn in GameObject.FindGameObjectsWithTag(spawnTag)) spawns.Add(spawn.transform);
            return SceneGeometry.Collect(options, spawns, notes);
        }

        // Whether the scene has changed since it was baked; null where it was not.
        public bool? IsStale()
        {
            LevelBake before = AssetDatabase.LoadAssetAtPath<LevelBake>(AssetOf(SceneManager.GetActiveScene().path));
            if (before == null || !File.Exists(before.bundle)) return null;
            return Collect(new List<string>()).Digest(options.Arguments()) != before.digest;
        }

        public void Bake()
        {
            string scene = SceneManager.GetActiveScene().path;
            if (string.IsNullOrEmpty(scene)) throw new InvalidOperationException("the scene has no file yet: save it first");
            List<string> notes = new List<string>();
            LevelExport level = Collect(notes);
            string folder = Path.Combine(Path.GetTempPath(), "viewcell-" + Guid.NewGuid().ToString("N"));
            Directory.CreateDirectory(folder);
            try
            {
                level.Write(folder);
                string baked = Path.Combine(folder, "level.vcb");
                string words = Run(string.Format("bake solid \"{0}\" -o \"{1}\" --no-checkpoint --reach \"{2}\" {3}",
                    Path.Combine(folder, "level.obj"), baked, Path.Combine(folder, "places.csv"), options.Arguments()));
                if (words == null) { state = "Cancelled; the bundle is as it was."; return; }
                Put(baked);
                Keep(scene, level.Digest(options.Arguments()));
                state = "Baked " + level.Triangles + " triangles, from " + level.Places + " places: " + output;
                UnityEngine.Debug.Log("viewcell: " + output + "\n" + words + string.Join("\n", notes));
            }
            finally
            {
                Directory.Delete(folder, true);
            }
        }

        // A bundle that is open must not be written to: another takes its name.
        private void Put(string baked)
        {
            string part = output + ".part";
            Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(output)));
            File.Copy(baked, part, true);
            if (File.Exists(output)) File.Replace(part, output, null); else File.Move(part, output);
        }

        // What the program said; null where it was cancelled.
        private string Run(string arguments)
        {
            using (BakeRun run = new BakeRun(program, arguments))
                try
                {
                    while (!run.HasEnded)
                    {
                        if (EditorUtility.DisplayCancelableProgressBar("viewcell", run.Stage, run.Done)) { run.Cancel(); return null; }
                        System.Threading.Thread.Sleep(100);
                    }
                    return run.Finish();
                }
                finally { EditorUtility.ClearProgressBar(); }
        }

        private void Keep(string scene, string digest)
        {
            string path = AssetOf(scene);
            LevelBake kept = AssetDatabase.LoadAssetAtPath<LevelBake>(path);
            bool isNew = kept == null;
            if (isNew) kept = ScriptableObject.CreateInstance<LevelBake>();
            kept.bundle = output;
            kept.digest = digest;
            kept.options = options;
            if (isNew) AssetDatabase.CreateAsset(kept, path); else EditorUtility.SetDirty(kept);
            AssetDatabase.SaveAssets();
            AssetDatabase.Refresh();
        }
    }
}
#endif
