//! The C interface, feature `capi`: `viewcell.h` is its manual.
//!
//! Every function checks what C lets it check, calls the library, and turns the outcome into a status. A handle is a
//! number, not an address: a closed one gives `VIEWCELL_CLOSED` for as long as the process lives, also after
//! its slot was reused.

// The only unsafe code beside the memory map: pointers of the caller's, whom the header tells what
// they must point to.
#![allow(unsafe_code)]
// The names that C sees.
#![allow(non_camel_case_types)]
// What a caller must keep to, the header says of each function.
#![allow(clippy::missing_safety_doc)]
// The words are for C, where `[i]` is no link.
#![allow(rustdoc::broken_intra_doc_links)]

// Not in WebAssembly: there are no files. Look-ahead by motion and a watch, a server's questions, are there with the feature
// `server`.
mod bundle;
mod frontier;
mod handle;
mod info;
#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
mod motion;
mod objects;
#[cfg(not(target_arch = "wasm32"))]
mod patched;
mod place;
mod session;
mod status;
mod visible;
#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
mod watch;

pub use bundle::*;
pub use frontier::*;
pub use info::*;
#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
pub use motion::*;
pub use objects::*;
#[cfg(not(target_arch = "wasm32"))]
pub use patched::*;
pub use place::*;
pub use session::*;
pub use status::*;
pub use visible::*;
#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
pub use watch::*;
