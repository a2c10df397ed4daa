//! Interest matching: the matcher for production against its slow twin, on worlds that are made to
//! trip it.

mod awareness;
mod bundle;
mod changes;
mod common;
mod hunt;
mod polynomials;
mod refused;
mod steady;
mod sweeps;
