//! Who is near whom and may see them, against asking for all pairs.

mod awareness;
mod bundle;
