#if UNITY_EDITOR
using UnityEngine;

namespace Viewcell.Editor
{
    // What a bundle was baked from: beside the scene, so that a stale one is noticed.
    public sealed class LevelBake : ScriptableObject
    {
        public string bundle, digest;
        public LevelOptions options = new LevelOptions();
    }
}
#endif
