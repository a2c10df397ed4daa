//! Keys by which an entity of a `.map` tells its compiler to leave its brushes out, not to draw them, or to put them
//! elsewhere: for the compilers of Quake, Half-Life and Quake III in one table.
//!
//! Sources: the manual of ericw-tools; `map.cpp` of ZHLT, VHLT and SDHLT; `map.cpp` of q3map2.

use super::entities::Entity;

/// What is not as its brushes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Keyed {
    /// One walks through them.
    Walked,
    /// They stop players, and what is seen of them is not known, or nothing is.
    Unseen,
    /// They are not there, or elsewhere.
    Gone,
}

/// Which values of a key count.
#[derive(Clone, Copy)]
enum When {
    /// Any that is not empty.
    Given,
    /// Any but 0.
    Set,
    /// A number below 1.
    BelowOne,
    /// A number other than 0 whose lowest bit is not set.
    NotFirst,
}

#[rustfmt::skip]
const KEYS: &[(&str, When, Keyed)] = &[
    // ericw-tools
    ("_omitbrushes",   When::Set,      Keyed::Gone),
    ("_hulls",         When::NotFirst, Keyed::Gone),
    // ZHLT, VHLT, SDHLT
    ("zhlt_invisible", When::Set,      Keyed::Unseen),
    ("zhlt_noclip",    When::Set,      Keyed::Walked),
    ("zhlt_usemodel",  When::Given,    Keyed::Gone),
    ("zhlt_transform", When::Given,    Keyed::Gone),
    // Engines draw by these what is a model of its own; a compiler may make it one.
    ("rendermode",     When::Set,      Keyed::Unseen),
    ("alpha",          When::BelowOne, Keyed::Unseen),
    ("_alpha",         When::BelowOne, Keyed::Unseen),
    // q3map2: shaders from an image take the place of those of the sides.
    ("_indexmap",      When::Given,    Keyed::Unseen),
    ("alphamap",       When::Given,    Keyed::Unseen),
    ("_shader",        When::Given,    Keyed::Unseen),
    ("shader",         When::Given,    Keyed::Unseen),
];

/// The key of an entity that changes most, and what it does.
pub(super) fn keyed(entity: &Entity) -> Option<(&'static str, Keyed)> {
    let says = |(key, when, keyed): &(&'static str, When, Keyed)| {
        let value = entity.get(key)?.trim();
        let number = value.parse::<f64>();
        let counts = !value.is_empty()
            && match when {
                When::Given => true,
                // What is no number may count.
                When::Set => number != Ok(0.0),
                When::BelowOne => !number.is_ok_and(|alpha| alpha >= 1.0),
                When::NotFirst => {
                    number.map_or(true, |hulls| hulls != 0.0 && hulls.rem_euclid(2.0) != 1.0)
                }
            };
        counts.then_some((*key, *keyed))
    };
    KEYS.iter().filter_map(says).max_by_key(|(_, keyed)| *keyed)
}
