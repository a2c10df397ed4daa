//! Motion that is made up.
