//! A live view of bundles: a page in a browser, and the server on the loopback that answers it.
//!
//! The page draws; for who sees whom it queries this server, which uses [`viewcell::query`]: there is
//! no second implementation of visibility. A bundle that is replaced on disk is reopened, and
//! the page, which finds the generation of an answer changed, reloads.
//!
//! Heightmaps and levels that were never baked are shown, too ([`Unbaked`]): a kernel of the bake computes what one place
//! sees.
//!
//! With a [`viewcell_bake::live::Rebaker`] the ground can be dug: then answers are those of its snapshots.
//!
//! Only this machine is served, and on it only the page that came from here: the guard refuses
//! requests for another host name (an attacker's, made to point at the loopback) and from pages
//! of other origins. It serves the page and its queries of the bundles; no request
//! names a file.

mod answer;
mod check;
mod colours;
mod connections;
mod dig;
mod guard;
mod http;
mod level;
mod mesh;
mod places;
mod play;
mod played;
mod routes;
mod server;
mod solid;
mod source;
mod terrain;
mod unbaked;
mod walk;

pub use play::Players;
pub use server::{Server, ViewError};
pub use unbaked::Unbaked;
