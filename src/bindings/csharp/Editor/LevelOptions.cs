using System;
using System.Globalization;
using UnityEngine;

namespace Viewcell.Editor
{
    // How a level is baked: players in metres from the point between their feet, and how much work is done.
    [Serializable]
    public sealed class LevelOptions
    {
        public float width = 0.6f, height = 1.8f, eyeCrouched = 1.0f, eyeStanding = 1.7f;
        public string quality = "good";
        public LayerMask leftOut;
        public bool useNavMesh = true;

        // Those of `viewcell bake solid` that change the result.
        public string Arguments()
        {
            if (!(width > 0) || !(height > 0)) throw new ArgumentException("expected a body of more than 0 m, found " + width + " x " + height);
            if (!(eyeCrouched >= 0) || !(eyeCrouched <= eyeStanding) || !(eyeStanding <= height))
                throw new ArgumentException("expected eyes from crouched to standing, below the head at " + height + " m, found " + eyeCrouched + " and " + eyeStanding);
            return string.Format(CultureInfo.InvariantCulture, "--from unity --quality {0} --hull {1:R},{1:R},0,{2:R},{2:R},{3:R} --eye {4:R},{5:R}",
                quality, -width / 2, width / 2, height, eyeCrouched, eyeStanding);
        }
    }
}
