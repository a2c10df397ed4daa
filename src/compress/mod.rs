//! PVS bitmaps to bytes.
