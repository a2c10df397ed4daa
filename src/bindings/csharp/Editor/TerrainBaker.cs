#if UNITY_EDITOR
using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using UnityEditor;
using UnityEngine;

namespace Viewcell.Editor
{
    // Writes a terrain's heights as RAW of 16 bits and calls the viewcell program on them: Tools > Viewcell.
    public sealed class TerrainBaker : EditorWindow
    {
        private Terrain terrain;
        private string program = "viewcell";
        private string output = "Assets/StreamingAssets/level.vcb";
        private int mode = 1;
        private static readonly string[] Modes = { "exact", "conservative" };

        [MenuItem("Tools/Viewcell/Bake Terrain")]
        private static void Open() { GetWindow<TerrainBaker>("Viewcell"); }

        private void OnGUI()
        {
            terrain = (Terrain)EditorGUILayout.ObjectField("Terrain", terrain, typeof(Terrain), true);
            program = EditorGUILayout.TextField("Program", program);
            output = EditorGUILayout.TextField("Bundle", output);
            mode = EditorGUILayout.Popup("Visibility", mode, Modes);
            using (new EditorGUI.DisabledScope(terrain == null))
                if (GUILayout.Button("Bake")) Bake();
        }

        private void Bake()
        {
            TerrainData data = terrain.terrainData;
            int side = data.heightmapResolution;
            string raw = Path.Combine(Path.GetTempPath(), "viewcell-" + Guid.NewGuid().ToString("N") + ".raw");
            try
            {
                File.WriteAllBytes(raw, Raw(data.GetHeights(0, 0, side, side)));
                Directory.CreateDirectory(Path.GetDirectoryName(output));
                Run(Arguments(raw, output, Modes[mode], side, data.heightmapScale.x, data.heightmapScale.z, data.size.y));
                AssetDatabase.Refresh();
            }
            finally
            {
                File.Delete(raw);
            }
        }

        // Heights of 0 to 1, the southern row first, as numbers of 16 bits, the northern row first.
        public static byte[] Raw(float[,] heights)
        {
            int rows = heights.GetLength(0), columns = heights.GetLength(1);
            byte[] bytes = new byte[2 * rows * columns];
            for (int row = 0; row < rows; row++)
                for (int column = 0; column < columns; column++)
                {
                    int at = 2 * (row * columns + column);
                    int height = (int)Math.Round(Math.Min(1, Math.Max(0, heights[rows - 1 - row, column])) * 65535);
                    bytes[at] = (byte)height;
                    bytes[at + 1] = (byte)(height >> 8);
                }
            return bytes;
        }

        public static string Arguments(string raw, string output, string mode, int side, double dx, double dy, double highest)
        {
            return string.Format(CultureInfo.InvariantCulture,
                "bake terrain \"{0}\" -o \"{1}\" --force --size {2}x{2} --spacing {3},{4} --vertical-scale {5:R} --visibility {6}",
                raw, output, side, dx, dy, highest / 65535, mode);
        }

        private void Run(string arguments)
        {
            ProcessStartInfo start = new ProcessStartInfo(program, arguments) { UseShellExecute = false, RedirectStandardError = true, CreateNoWindow = true };
            using (Process process = Process.Start(start))
            {
                string words = process.StandardError.ReadToEnd();
                process.WaitForExit();
                if (process.ExitCode != 0) throw new InvalidOperationException(program + " " + arguments + ": exit code " + process.ExitCode + "\n" + words);
                UnityEngine.Debug.Log("viewcell: " + output + "\n" + words);
            }
        }
    }
}
#endif
