//! Writing, verifying and dumping bundles.
