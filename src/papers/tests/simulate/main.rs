//! Peers with frontier sets: the tests of the product's schemes, of all of them; and what is their own.

use viewcell_papers::simulate::All;
use viewcell_simulate::scheme::Schemes;

#[path = "../../../../tests/common/baking.rs"]
#[allow(dead_code, unreachable_pub)]
mod baking;
mod culling;
mod frontiers;
#[path = "../../../../tests/simulate/schemes.rs"]
#[allow(unreachable_pub)]
mod schemes;

/// Those that are tried.
const SCHEMES: &dyn Schemes = &All;
