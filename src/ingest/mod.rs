//! Files to world, one file per format, sniffed by content.
