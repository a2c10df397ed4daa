//! A live view of bundles: a page in a browser, and the server on the loopback that answers it.
//!
//! The page draws; who sees whom it asks here, and here the [`viewcell::query`] says it: there is
//! no second implementation of visibility. A bundle that is replaced on disk is opened anew, and
//! the page, which finds the generation of an answer changed, loads itself again.
//!
//! What was never baked is shown, too ([`Unbaked`]): what is seen from one place a kernel of a bake says.
//!
//! With a [`viewcell_bake::live::Rebaker`] the ground can be dug in: then answers are those of its snapshots.
//!
//! Only this machine is answered, and of it only the page that came from here: the guard refuses
//! requests for another host name (an attacker's, made to point at the loopback) and from pages
//! of other origins. What is served is the page and what it asks about the bundles; no request
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
