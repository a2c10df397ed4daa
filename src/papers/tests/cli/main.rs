//! The program `viewcell-experiment`, by way of `viewcell experiment`.

#[path = "../../../../tests/cli/common.rs"]
#[allow(dead_code, unreachable_pub)]
mod common;
#[path = "../../../../tests/common/data.rs"]
#[allow(dead_code, unreachable_pub)]
mod data;
mod documents;
mod experiment;
mod growth;
mod interest;
mod layered;
mod program;
mod refused;
#[path = "../../../../tests/cli/schema.rs"]
#[allow(unreachable_pub)]
mod schema;
mod schemes;
mod solid;
