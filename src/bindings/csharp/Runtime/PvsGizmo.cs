#if UNITY_5_3_OR_NEWER
using System;
using System.IO;
using UnityEngine;

namespace Viewcell
{
    // Draws in the editor what a bundle says may be seen from where this object stands: a cube on each visible
    // block's samples. Put it on an object that moves over the terrain that was baked.
    [ExecuteAlways]
    public sealed class PvsGizmo : MonoBehaviour
    {
        [Tooltip("The terrain that was baked; its corner is sample (0, 0) of the last row.")]
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
            if (terrain == null || !File.Exists(path)) return;
            if (opened != path)
            {
                Close();
                bundle = Bundle.Open(path);
                opened = path;
                words = new ulong[bundle.Info.Words];
            }
            WorldInfo info = bundle.Info;
            Vector3 corner = terrain.transform.position;
            Vector3 here = transform.position - corner;
            // Row 0 of a bundle is in the north, a terrain's first row in the south.
            double north = (info.Height - 1) * info.Dy;
            uint at;
            if (!bundle.Locate(new Position(here.x, north - here.z), out at)) return;
            bundle.Pvs(at, words);
            Gizmos.color = colour;
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
    }
}
#endif
