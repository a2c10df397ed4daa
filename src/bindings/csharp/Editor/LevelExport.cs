// A level as an OBJ file with Unity's axes, positions of players, and the digest of both. Without types of the editor.

using System;
using System.Globalization;
using System.IO;
using System.Security.Cryptography;
using System.Text;
using UnityEngine;

namespace Viewcell.Editor
{
    // Triangles in Unity's coordinates, front faces clockwise as Unity draws them. The file is right-handed: x is mirrored and the
    // order of corners turned round, which `viewcell bake solid --from unity` expects.
    public sealed class LevelExport
    {
        private readonly StringBuilder vertices = new StringBuilder(), faces = new StringBuilder(), places = new StringBuilder();
        private int count;
        private string material;

        public int Triangles { get; private set; }
        public int Places { get; private set; }

        // Corners in world coordinates, three to a triangle; what is not opaque stops players and hides nothing.
        public void Add(Vector3[] corners, int[] triangles, bool isOpaque)
        {
            foreach (int corner in triangles)
                if (corner < 0 || corner >= corners.Length)
                    throw new ArgumentException("expected corners below " + corners.Length + ", found " + corner, "triangles");
            string name = isOpaque ? "opaque" : "clear";
            if (name != material) faces.Append("usemtl ").Append(name).Append('\n');
            material = name;
            foreach (Vector3 corner in corners) Line(vertices.Append("v"), ' ', -corner.x, corner.y, corner.z);
            for (int i = 0; i + 2 < triangles.Length; i += 3)
            {
                faces.Append("f ").Append(count + triangles[i] + 1).Append(' ').Append(count + triangles[i + 2] + 1).Append(' ').Append(count + triangles[i + 1] + 1).Append('\n');
                Triangles++;
            }
            count += corners.Length;
        }

        // A position between the feet of a player who stands there, in Unity's coordinates.
        public void AddPlace(Vector3 at)
        {
            places.Append(Number(at.x)).Append(',').Append(Number(at.y)).Append(',').Append(Number(at.z)).Append('\n');
            Places++;
        }

        private static void Line(StringBuilder to, char between, params float[] numbers)
        {
            foreach (float number in numbers) to.Append(between).Append(Number(number));
            to.Append('\n');
        }

        private static string Number(float of) { return of.ToString("R", CultureInfo.InvariantCulture); }

        // Writes level.obj, level.mtl and places.csv into a folder.
        public void Write(string folder)
        {
            File.WriteAllText(Path.Combine(folder, "level.obj"), "mtllib level.mtl\n" + vertices + faces);
            File.WriteAllText(Path.Combine(folder, "level.mtl"), "newmtl opaque\nd 1\nnewmtl clear\nd 0.5\n");
            File.WriteAllText(Path.Combine(folder, "places.csv"), places.ToString());
        }

        // Of the level, the places and the options of the bake.
        public string Digest(string options)
        {
            using (SHA256 sha = SHA256.Create())
            {
                byte[] bytes = sha.ComputeHash(Encoding.UTF8.GetBytes(vertices + "\n" + faces + "\n" + places + "\n" + options));
                return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
            }
        }
    }
}
