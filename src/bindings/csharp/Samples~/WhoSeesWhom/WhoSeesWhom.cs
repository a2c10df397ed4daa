#if UNITY_5_3_OR_NEWER
using System.IO;
using UnityEngine;
using Viewcell;

// Says in the console when two objects on a baked terrain may begin to see each other, and when that has ended.
public sealed class WhoSeesWhom : MonoBehaviour
{
    public Terrain terrain;
    public Transform alice, bob;
    public string bundleFile = "level.vcb";

    private Bundle bundle;
    private bool before;

    private void Start() { bundle = Bundle.Open(Path.Combine(Application.streamingAssetsPath, bundleFile)); }

    private void OnDestroy() { if (bundle != null) bundle.Dispose(); }

    private void Update()
    {
        uint a, b;
        if (!At(alice, out a) || !At(bob, out b)) return;
        bool now = bundle.Visible(a, b);
        if (now != before) Debug.Log(now ? "they may see each other" : "they no longer see each other");
        before = now;
    }

    private bool At(Transform body, out uint place)
    {
        Vector3 here = body.position - terrain.transform.position;
        double north = (bundle.Info.Height - 1) * bundle.Info.Dy;
        return bundle.Locate(new Position(here.x, north - here.z), out place);
    }
}
#endif
