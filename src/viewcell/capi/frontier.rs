//! Frontier sets.

use super::bundle::{source, viewcell_bundle};
use super::handle::{Kept, Table, close, get, get_mut, keep};
use super::status::{
    Answer, VIEWCELL_ARGUMENT, VIEWCELL_BUFFER, VIEWCELL_FORMAT, VIEWCELL_OK, answer, buffer, flag,
    given, place, slice, status_of_place, viewcell_status,
};
use super::terrain::viewcell_sample;
use crate::frontier::{
    Frontier, FrontierBuilder, FrontierOptions, Grow, Merge, Neighbours, Order, Region, Side, Turns,
};
use crate::query::OwnedBundle;
use crate::query::Sample;

/// Grows frontier sets, one after the other, in memory of its own. One thread at a time; take one
/// a thread.
#[derive(Debug)]
pub struct viewcell_frontier {
    builder: FrontierBuilder<'static>,
    /// What the builder borrows from.
    _source: OwnedBundle,
}

impl Kept for viewcell_frontier {
    const KIND: usize = 3;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_frontier> = Table::new();
        &TABLE
    }
}

/// One half of a frontier set that stands by itself, such as one that a peer has sent. Any number
/// of threads may look at it.
#[derive(Debug)]
pub struct viewcell_region {
    frontier: Frontier,
}

impl Kept for viewcell_region {
    const KIND: usize = 5;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_region> = Table::new();
        &TABLE
    }
}

/// Nowhere in particular, in viewcell_frontier_options.toward.
pub const VIEWCELL_NOWHERE: u32 = u32::MAX;

/// How frontier sets are grown. Begin with viewcell_frontier_defaults. The same options on the
/// same bundle give the same set on every machine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_frontier_options {
    /// 0: quads of all sizes. 1: single samples.
    pub simple: u32,
    /// 0: PVSs are joined by their union. 1: lossy, as in Avni's thesis. 2: by their union, but
    /// one that takes more than `pairs` pairs of blocks to put together joins by whole blocks of
    /// 8 x 8 samples, which takes little time.
    pub merge: u32,
    /// For merge 2.
    pub pairs: u32,
    /// How many quads are next to a quad: 4 or 8.
    pub neighbours: u32,
    /// Which quad is tried next. 0: first in, first out. 1: the larger first. 2: what differs
    /// least in height from where the player stands. 3: what adds most for the least that its PVS
    /// takes from the other player. 4: what lies nearest to where each player is expected to go,
    /// as toward says.
    pub order: u32,
    /// For order 4: where player a and player b are expected to go. A place outside the grid is
    /// as good as any. A column of VIEWCELL_NOWHERE: nobody knows; that player's half grows around
    /// where they stand.
    pub toward: [viewcell_sample; 2],
    /// 0: the two grow by turns. 1: the smaller one grows.
    pub balance: u32,
    /// Level of the smallest quads tried; UINT32_MAX for 4, or five levels below the root of small
    /// terrains.
    pub finest: u32,
    /// 1: leave it at the two samples where no larger quads are mutually invisible.
    pub give_up: u32,
    /// 1: when one can grow no more, the other goes on.
    pub extend: u32,
    /// 1: at the end, give the smaller half all that the other does not see, as far as it is
    /// connected.
    pub tighten: u32,
    /// Stop growing after so many quads; 0 for no limit.
    pub budget: u32,
}

impl From<FrontierOptions> for viewcell_frontier_options {
    fn from(options: FrontierOptions) -> Self {
        Self {
            simple: u32::from(options.grow == Grow::Simple),
            merge: match options.merge {
                Merge::Lossless => 0,
                Merge::Lossy => 1,
                Merge::Blocks(_) => 2,
            },
            pairs: match options.merge {
                Merge::Blocks(pairs) => pairs,
                _ => FrontierOptions::PAIRS,
            },
            neighbours: match options.neighbours {
                Neighbours::Four => 4,
                Neighbours::Eight => 8,
            },
            order: match options.order {
                Order::Fifo => 0,
                Order::Coarse => 1,
                Order::Ground => 2,
                Order::Gain => 3,
                Order::Toward(..) => 4,
            },
            toward: match options.order {
                Order::Toward(a, b) => [a, b],
                _ => [None, None],
            }
            .map(|goal| {
                let nowhere = Sample::new(VIEWCELL_NOWHERE, VIEWCELL_NOWHERE);
                let Sample { column, row } = goal.unwrap_or(nowhere);
                viewcell_sample { column, row }
            }),
            balance: u32::from(options.turns == Turns::Balance),
            finest: options.finest.unwrap_or(u32::MAX),
            give_up: options.give_up.into(),
            extend: options.extend.into(),
            tighten: options.tighten.into(),
            budget: options.limit.unwrap_or(0),
        }
    }
}

impl viewcell_frontier_options {
    pub(super) fn options(&self) -> Answer<FrontierOptions> {
        let goal = |goal: viewcell_sample| match goal.column {
            VIEWCELL_NOWHERE => None,
            _ => Some(Sample::from(goal)),
        };
        Ok(FrontierOptions {
            grow: if flag(self.simple)? {
                Grow::Simple
            } else {
                Grow::Hierarchical
            },
            merge: match self.merge {
                0 => Merge::Lossless,
                1 => Merge::Lossy,
                2 => Merge::Blocks(self.pairs),
                _ => return Err(VIEWCELL_ARGUMENT),
            },
            neighbours: match self.neighbours {
                4 => Neighbours::Four,
                8 => Neighbours::Eight,
                _ => return Err(VIEWCELL_ARGUMENT),
            },
            order: match self.order {
                0 => Order::Fifo,
                1 => Order::Coarse,
                2 => Order::Ground,
                3 => Order::Gain,
                4 => {
                    let [a, b] = self.toward.map(goal);
                    Order::Toward(a, b)
                }
                _ => return Err(VIEWCELL_ARGUMENT),
            },
            turns: if flag(self.balance)? {
                Turns::Balance
            } else {
                Turns::Alternate
            },
            finest: (self.finest != u32::MAX).then_some(self.finest),
            give_up: flag(self.give_up)?,
            extend: flag(self.extend)?,
            tighten: flag(self.tighten)?,
            limit: (self.budget > 0).then_some(self.budget),
        })
    }
}

fn side(side: u32) -> Answer<Side> {
    match side {
        0 => Ok(Side::A),
        1 => Ok(Side::B),
        _ => Err(VIEWCELL_ARGUMENT),
    }
}

unsafe fn looking_at<'a>(frontier: *const viewcell_frontier, of: u32) -> Answer<Region<'a>> {
    // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
    let growing = unsafe { get(frontier) }?;
    Ok(growing.builder.region(side(of)?))
}

/// The default options. Returns VIEWCELL_OK or VIEWCELL_NULL. Any thread, any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_defaults(
    options: *mut viewcell_frontier_options,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(options) }? = FrontierOptions::default().into();
        Ok(VIEWCELL_OK)
    })
}

/// Makes room for frontier sets of a bundle: some two bytes a sample, allocated here and nowhere
/// else. *frontier becomes the handle, or null; close it with viewcell_frontier_close. Returns
/// VIEWCELL_OK, VIEWCELL_KIND (for cells there is viewcell_cells_frontier), VIEWCELL_FULL,
/// VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_new(
    bundle: *const viewcell_bundle,
    frontier: *mut *mut viewcell_frontier,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(frontier) }?;
        *out = core::ptr::null_mut();
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?.clone();
        *out = keep(viewcell_frontier {
            builder: FrontierBuilder::new(source.terrain()?),
            _source: source,
        })?;
        Ok(VIEWCELL_OK)
    })
}

/// Closes it. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was closed
/// before. No other call may use the handle at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_close(
    frontier: *mut viewcell_frontier,
) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(frontier) })
}

/// Begins the frontier set of two players; the set before it is forgotten. options may be null:
/// the defaults. Players who see each other have an empty set, which is no failure. Returns
/// VIEWCELL_OK, VIEWCELL_OUTSIDE, VIEWCELL_VOID, VIEWCELL_ARGUMENT, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_begin(
    frontier: *mut viewcell_frontier,
    a: viewcell_sample,
    b: viewcell_sample,
    options: *const viewcell_frontier_options,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let growing = unsafe { get_mut(frontier) }?;
        let options = if options.is_null() {
            FrontierOptions::default()
        } else {
            // SAFETY: null, or readable during the call: the header tells the caller so.
            unsafe { given(options) }?.options()?
        };
        let begun = growing.builder.begin(a.into(), b.into(), &options);
        begun.map_err(status_of_place)?;
        Ok(VIEWCELL_OK)
    })
}

/// Goes on for at most so many quads: 1 if the set has come to its end, 0 if there is more to
/// do. The set may be used at any time. Or VIEWCELL_NULL, VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_step(
    frontier: *mut viewcell_frontier,
    quads: u32,
) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| Ok(unsafe { get_mut(frontier) }?.builder.step(quads).into()))
}

/// Whether a sample is in the half of player a (side 0) or b (side 1): 1 or 0, and 0 outside the
/// grid. Or VIEWCELL_ARGUMENT, VIEWCELL_NULL, VIEWCELL_CLOSED: compare with 1, since a failure is
/// no leave to be silent. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_contains(
    frontier: *const viewcell_frontier,
    side: u32,
    sample: viewcell_sample,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let region = unsafe { looking_at(frontier, side) }?;
        Ok(region.contains(sample.into()).into())
    })
}

/// Number of samples in a half. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_area(
    frontier: *const viewcell_frontier,
    side: u32,
    samples: *mut u64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let region = unsafe { looking_at(frontier, side) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(samples) }? = region.area();
        Ok(VIEWCELL_OK)
    })
}

/// Writes the compact form of a half, some hundred bytes, without what lies within margin steps
/// of its edge (0: all of it). *length becomes the number of bytes that it takes, also if that is
/// more than size: then nothing is written. bytes may be null if size is 0. Allocates. Returns
/// VIEWCELL_OK, VIEWCELL_BUFFER, VIEWCELL_ARGUMENT, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_encode(
    frontier: *mut viewcell_frontier,
    of: u32,
    margin: u32,
    bytes: *mut u8,
    size: usize,
    length: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let growing = unsafe { get_mut(frontier) }?;
        let code = growing.builder.core(side(of)?, margin).region().encode();
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        unsafe { put_code(&code, bytes, size, length) }
    })
}

/// Writes the compact form of a region into the caller's buffer.
pub(super) unsafe fn put_code(
    code: &[u8],
    bytes: *mut u8,
    size: usize,
    length: *mut usize,
) -> Answer<viewcell_status> {
    // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
    let length = unsafe { place(length) }?;
    // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
    let out = unsafe { buffer(bytes, size) }?;
    *length = code.len();
    out.get_mut(..code.len())
        .ok_or(VIEWCELL_BUFFER)?
        .copy_from_slice(code);
    Ok(VIEWCELL_OK)
}

/// Reads the compact form of a half. *region becomes the handle, or null; close it with
/// viewcell_region_close. Allocates. Returns VIEWCELL_OK, VIEWCELL_FORMAT (the bytes are no region
/// of this bundle's grid), VIEWCELL_KIND, VIEWCELL_ARGUMENT, VIEWCELL_FULL, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_region_decode(
    bundle: *const viewcell_bundle,
    bytes: *const u8,
    length: usize,
    region: *mut *mut viewcell_region,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(region) }?;
        *out = core::ptr::null_mut();
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let grid = unsafe { source(bundle) }?.terrain()?.grid();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let code = unsafe { slice(bytes, length) }?;
        let frontier = Frontier::decode(grid, code).map_err(|_| VIEWCELL_FORMAT)?;
        *out = keep(viewcell_region { frontier })?;
        Ok(VIEWCELL_OK)
    })
}

/// Whether a sample is in a region: 1 or 0, and 0 outside the grid. Or VIEWCELL_NULL,
/// VIEWCELL_CLOSED: compare with 1. Constant time, no allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_region_contains(
    region: *const viewcell_region,
    sample: viewcell_sample,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let region = unsafe { get(region) }?;
        Ok(region.frontier.contains(Sample::from(sample)).into())
    })
}

/// Closes a region. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was
/// closed before. No other call may use the handle at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_region_close(region: *mut viewcell_region) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(region) })
}
