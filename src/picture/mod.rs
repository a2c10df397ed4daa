//! Hillshade and overlays.
