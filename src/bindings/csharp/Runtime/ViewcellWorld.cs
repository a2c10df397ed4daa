#if UNITY_5_3_OR_NEWER
using System;
using System.IO;
using UnityEngine;

namespace Viewcell
{
    // Who observes whom in the scene that was baked: what the components for Mirror, Netcode for GameObjects and FishNet ask. One
    // to a scene, on the server. Where the bundle cannot be opened it says so once, and everybody observes everybody.
    [DefaultExecutionOrder(-100)]
    public class ViewcellWorld : MonoBehaviour
    {
        // The one that is enabled.
        public static ViewcellWorld Active { get; private set; }

        [Tooltip("A bundle in StreamingAssets.")]
        public string bundleFile = "level.vcb";
        [Tooltip("The terrain that was baked; none for a level of meshes.")]
        public Terrain terrain;
        [Tooltip("Greatest speed of a player along the ground, dashes and knock-back included, in metres a second.")]
        public float speed = 10;
        [Tooltip("Greatest speed of a player up or down, in metres a second.")]
        public float verticalSpeed = 20;
        [Tooltip("How high stairs may bring a player at once, in metres.")]
        public float stepHeight = 0.4f;
        [Tooltip("Of the players' transforms: from the point between the feet to the transform's position.")]
        public Vector3 pivot;
        [Tooltip("Seconds between two updates of who observes whom.")]
        public float interval = 0.05f;
        [Tooltip("The longest time by which an update may come later than that: the longest frame of the server.")]
        public float jitter = 0.05f;
        [Tooltip("Whoever sees further ahead than so many seconds, by their ping, observes everybody.")]
        public float maxAhead = 0.3f;
        [Tooltip("Seconds for which a player is kept after sight has ended.")]
        public float hold = 1;
        [Tooltip("Microseconds that an update may take; who is not come to is observed.")]
        public int budget = 500;
        [Tooltip("The most players at a time. Of more than 256 no watch is kept, which hides less.")]
        public int players = 128;

        private Bundle bundle;
        private Placement placement;
        private double last = double.NegativeInfinity;

        // Null where the bundle could not be opened.
        public ObserverSets Sets { get; private set; }

        protected virtual void OnEnable()
        {
            Active = this;
            string path = Path.Combine(Application.streamingAssetsPath, bundleFile);
            try { Open(Bundle.Open(path)); }
            catch (Exception error)
            {
                Debug.LogError("viewcell: " + error.Message + ". Until there is a bundle everybody observes everybody: see the book's page of Unity for how one is baked.", this);
            }
        }

        protected virtual void OnDisable()
        {
            if (Active == this) Active = null;
            if (Sets != null) Sets.Dispose();
            if (bundle != null) bundle.Dispose();
            Sets = null;
            bundle = null;
        }

        private void Open(Bundle of)
        {
            bundle = of;
            if (of.Kind == WorldKind.Terrain)
            {
                if (terrain == null) throw new InvalidOperationException(bundleFile + " is of a terrain: set the field Terrain");
                Vector3 corner = terrain.transform.position;
                placement = Placement.OfTerrain(corner.x, corner.z, terrain.terrainData.size.z);
            }
            else
            {
                if (!of.Axes.Equals(Axes.Unity))
                    throw new InvalidOperationException(bundleFile + " was baked for coordinates " + of.Axes + ", expected those of Unity, " + Axes.Unity + ": bake it with --from unity");
                placement = Placement.OfLevel();
            }
            ObserverOptions options = ObserverOptions.OfSpeed(speed, verticalSpeed);
            options.StepHeight = stepHeight;
            options.Interval = interval + jitter;
            options.MaxAhead = maxAhead;
            options.Hold = hold;
            options.Microseconds = (uint)Mathf.Max(0, budget);
            options.Players = players;
            Sets = new ObserverSets(of, Tune(options));
        }

        // For accelerations, or a fixed amount of work.
        protected virtual ObserverOptions Tune(ObserverOptions options) { return options; }

        // Where a player is who goes by a key, and the round trip to their client in seconds. To be called in Drive for everybody
        // who is there, and before Observes for who has just come.
        public void Put(long key, Transform player, double ping)
        {
            if (Sets == null) return;
            Vector3 at = player.position - pivot;
            Sets.Put(key, placement.At(at.x, at.y, at.z), ping, Clock);
        }

        // A position of the scene, as the bundle has it.
        public Position At(Vector3 of) { return placement.At(of.x, of.y, of.z); }

        // What is called once an interval: it puts everybody, calls Sets.Update, and has the observers of those built anew who have
        // changed.
        public Action<double> Drive;

        // Seconds that do not stop when the game is paused.
        protected virtual double Clock { get { return Time.realtimeSinceStartupAsDouble; } }

        protected virtual void LateUpdate()
        {
            double time = Clock;
            if (Sets == null || Drive == null || time - last < interval && time >= last) return;
            last = time;
            Drive(time);
        }

        public bool Observes(long viewer, long other) { return Sets == null || Sets.Observes(viewer, other); }

        public bool Knows(long key) { return Sets == null || Sets.Knows(key); }
    }
}
#endif
