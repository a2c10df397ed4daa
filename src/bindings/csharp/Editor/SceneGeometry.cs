#if UNITY_EDITOR
using System;
using System.Collections.Generic;
using UnityEngine;
using UnityEngine.AI;
using UnityEngine.Rendering;

namespace Viewcell.Editor
{
    // What hides in the open scene: what is static and drawn, at LOD 0, and terrains; and where players can be.
    public static class SceneGeometry
    {
        // The first queue of materials whose pixels may be left out.
        private const int AlphaTest = 2450;
        // What the soles of a place are lifted by, so that they touch no floor.
        private const float Lift = 0.05f;

        public static LevelExport Collect(LevelOptions options, IEnumerable<Transform> spawns, List<string> notes)
        {
            LevelExport level = new LevelExport();
            HashSet<Renderer> lower = Lower();
            // The order of what Unity finds is not defined.
            List<MeshRenderer> found = new List<MeshRenderer>(UnityEngine.Object.FindObjectsOfType<MeshRenderer>());
            found.Sort((a, b) => string.CompareOrdinal(Name(a.transform), Name(b.transform)));
            foreach (MeshRenderer renderer in found)
                if (!lower.Contains(renderer) && renderer.enabled && IsIn(renderer.gameObject, options) && renderer.gameObject.isStatic && renderer.shadowCastingMode != ShadowCastingMode.ShadowsOnly)
                    Add(level, renderer, notes);
            foreach (Terrain terrain in UnityEngine.Object.FindObjectsOfType<Terrain>())
                if (IsIn(terrain.gameObject, options) && terrain.drawHeightmap) Add(level, terrain);
            foreach (Transform spawn in spawns) if (spawn != null) level.AddPlace(spawn.position + new Vector3(0, Lift, 0));
            if (options.useNavMesh)
            {
                NavMeshTriangulation walkable = NavMesh.CalculateTriangulation();
                for (int i = 0; i + 2 < walkable.indices.Length; i += 3)
                    level.AddPlace((walkable.vertices[walkable.indices[i]] + walkable.vertices[walkable.indices[i + 1]] + walkable.vertices[walkable.indices[i + 2]]) * (1f / 3) + new Vector3(0, Lift, 0));
            }
            if (level.Triangles == 0) throw new InvalidOperationException("nothing in the scene hides: mark what does not move as Static");
            if (level.Places == 0) throw new InvalidOperationException("no place is known where players can be: add a spawn point, or bake a NavMesh");
            return level;
        }

        // Renderers that are drawn from afar only. Bakes take LOD 0 for all distances.
        private static HashSet<Renderer> Lower()
        {
            HashSet<Renderer> lower = new HashSet<Renderer>(), first = new HashSet<Renderer>();
            foreach (LODGroup group in UnityEngine.Object.FindObjectsOfType<LODGroup>())
            {
                LOD[] lods = group.GetLODs();
                for (int i = 0; i < lods.Length; i++)
                    foreach (Renderer renderer in lods[i].renderers) if (renderer != null) (i == 0 ? first : lower).Add(renderer);
            }
            lower.ExceptWith(first);
            return lower;
        }

        private static bool IsIn(GameObject of, LevelOptions options) { return of.activeInHierarchy && (options.leftOut.value & 1 << of.layer) == 0; }

        private static string Name(Transform of)
        {
            Vector3 at = of.position;
            return (of.parent == null ? "" : Name(of.parent) + "/") + of.name + " " + at.x.ToString("R") + " " + at.y.ToString("R") + " " + at.z.ToString("R");
        }

        private static void Add(LevelExport level, MeshRenderer renderer, List<string> notes)
        {
            MeshFilter filter = renderer.GetComponent<MeshFilter>();
            Mesh mesh = filter == null ? null : filter.sharedMesh;
            if (mesh == null) return;
            Transform at = renderer.transform;
            Vector3[] corners = mesh.vertices;
            for (int i = 0; i < corners.Length; i++) corners[i] = at.TransformPoint(corners[i]);
            bool isMirrored = at.localToWorldMatrix.determinant < 0;
            Material[] materials = renderer.sharedMaterials;
            for (int part = 0; part < mesh.subMeshCount; part++)
            {
                if (mesh.GetTopology(part) != MeshTopology.Triangles) { notes.Add(renderer.name + ": what is no triangle is left out"); continue; }
                // More materials than parts are drawn over the last; fewer leave parts undrawn.
                bool isOpaque = part < materials.Length && materials[part] != null && materials[part].renderQueue < AlphaTest;
                int[] triangles = mesh.GetTriangles(part);
                if (isMirrored) Array.Reverse(triangles);
                level.Add(corners, triangles, isOpaque);
            }
        }

        // Both triangles of each square as Unity draws them near by, but for holes.
        private static void Add(LevelExport level, Terrain terrain)
        {
            TerrainData data = terrain.terrainData;
            int side = data.heightmapResolution;
            float[,] heights = data.GetHeights(0, 0, side, side);
            bool[,] isThere = data.GetHoles(0, 0, side - 1, side - 1);
            Vector3 corner = terrain.transform.position, scale = data.heightmapScale;
            Vector3[] corners = new Vector3[side * side];
            List<int> triangles = new List<int>();
            for (int z = 0; z < side; z++)
                for (int x = 0; x < side; x++)
                {
                    int at = z * side + x;
                    corners[at] = corner + new Vector3(x * scale.x, heights[z, x] * scale.y, z * scale.z);
                    if (x + 1 < side && z + 1 < side && isThere[z, x]) triangles.AddRange(new int[] { at, at + side, at + side + 1, at, at + side + 1, at + 1 });
                }
            level.Add(corners, triangles.ToArray(), true);
        }
    }
}
#endif
