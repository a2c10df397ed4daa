#if UNITY_5_3_OR_NEWER
using System;
using System.IO;
using UnityEngine;

namespace Viewcell
{
    // Draws in the editor what a bundle says may be seen from where this object stands: a cube on each visible block's samples of a
    // terrain, or the box of each visible view cell of a level. Put it on an object that moves through the scene that was baked.
    [ExecuteAlways]
    public sealed class PvsGizmo : MonoBehaviour
    {
        [Tooltip("The terrain that was baked, whose corner is sample (0, 0) of the last row; none for a level of meshes.")]
        public Terrain terrain;
        [Tooltip("A bundle in StreamingAssets.")]
        public string bundleFile = "level.vcb";
        [Range(1, 16)] public int everyNth = 4;
        public Color colour = new Color(0.2f, 0.9f, 0.3f, 0.6f);

        private Bundle bundle;
        private string opened;
        private ulong[] words;

        private void OnDisable() { Close(); }

        private void Close()
        {
            if (bundle != null) bundle.Dispose();
            bundle = null;
            opened = null;
        }

        private void OnDrawGizmosSelected()
        {
            string path = Path.Combine(Application.streamingAssetsPath, bundleFile);
            if (!File.Exists(path)) return;
            if (opened != path)
            {
                Close();
                bundle = Bundle.Open(path);
                opened = path;
                words = new ulong[bundle.Info.Words];
            }
            Gizmos.color = colour;
            if (bundle.Kind == WorldKind.Terrain) { if (terrain != null) DrawTerrain(); } else if (bundle.Kind == WorldKind.Solid) DrawLevel();
        }

        private void DrawTerrain()
        {
            WorldInfo info = bundle.Info;
            Vector3 corner = terrain.transform.position;
            double north = terrain.terrainData.size.z;
            uint at;
            if (!bundle.Locate(Placement.OfTerrain(corner.x, corner.z, north).At(transform.position.x, 0, transform.position.z), out at)) return;
            bundle.Pvs(at, words);
            Vector3 size = new Vector3((float)info.Dx, 0.1f, (float)info.Dy) * (0.8f * everyNth);
            for (uint row = 0; row < info.Height; row += (uint)everyNth)
                for (uint column = 0; column < info.Width; column += (uint)everyNth)
                {
                    if (!bundle.Contains(words, bundle.PlaceOf(column, row))) continue;
                    Vector3 place = corner + new Vector3((float)(column * info.Dx), 0, (float)(north - row * info.Dy));
                    place.y = terrain.SampleHeight(place) + corner.y;
                    Gizmos.DrawCube(place, size);
                }
        }

        private void DrawLevel()
        {
            uint at;
            if (!bundle.Locate(new Position(transform.position.x, transform.position.y, transform.position.z), out at)) return;
            bundle.Pvs(at, words);
            for (uint cell = 0; cell < bundle.Info.Places; cell += (uint)everyNth)
            {
                Box box;
                if (!bundle.Contains(words, cell) || !bundle.Bounds(cell, out box)) continue;
                Position low = box.Low, high = box.High, middle = box.Middle;
                Vector3 size = new Vector3((float)(high.X - low.X), (float)(high.Y - low.Y), (float)(high.Z - low.Z));
                Gizmos.DrawCube(new Vector3((float)middle.X, (float)middle.Y, (float)middle.Z), size * 0.9f);
            }
        }
    }
}
#endif
