//! The bytes of a bundle, defined once for writer and reader: no I/O, no allocation, no unsafe, no panic.

#![forbid(unsafe_code)]
