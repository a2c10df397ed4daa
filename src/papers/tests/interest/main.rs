//! Interest matching: the fastest matcher against its slow twin, on worlds that are made to trip it.

mod changes;
mod common;
mod hunt;
mod polynomials;
mod refused;
mod steady;
mod sweeps;
