//! What an engine links: open a bundle, locate a player, ask who sees whom.
