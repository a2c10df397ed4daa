//! Unions up the quadtree.
