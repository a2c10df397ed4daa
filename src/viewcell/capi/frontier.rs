//! Frontier sets.

use super::bundle::{source, viewcell_bundle};
use super::handle::{Kept, Table, close, get, get_mut, keep};
use super::place::{VIEWCELL_NOWHERE, known, numbered, viewcell_place};
use super::status::{
    Outcome, VIEWCELL_ARGUMENT, VIEWCELL_BUFFER, VIEWCELL_FORMAT, VIEWCELL_OK, answer, buffer,
    flag, place, slice, status_of_place, viewcell_status,
};
use crate::format::{Sample, SolidParameters, bits};
use crate::frontier::cells::Construction;
use crate::frontier::{
    FrontierBuilder, FrontierOptions, Grow, Merge, Neighbours, Order, Side, Turns,
};
use crate::query::{CellBundle, OwnedBundle, Place, World};
use crate::session::{CellHalf, CellSets, Half, SessionOptions, SessionWorld};

/// Grows frontier sets, one after the other, in memory of its own. One thread at a time; take one
/// a thread.
#[derive(Debug)]
pub struct viewcell_frontier {
    sets: Sets,
    /// What they borrow from.
    source: OwnedBundle,
}

/// What makes sets in each kind of world.
#[allow(clippy::large_enum_variant, reason = "one a handle, which is boxed")]
#[derive(Debug)]
enum Sets {
    /// Of samples: those of a terrain, or the cells of a solid level.
    Samples(FrontierBuilder<'static>),
    /// Of cells.
    Cells(CellSets<'static>),
}

impl Kept for viewcell_frontier {
    const KIND: usize = 3;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_frontier> = Table::new();
        &TABLE
    }
}

impl viewcell_frontier {
    /// Whether a place is in a half.
    fn contains(&self, side: Side, place: Place) -> bool {
        match &self.sets {
            Sets::Samples(builder) => builder.region(side).contains(sample_of(place)),
            Sets::Cells(sets) => {
                let Place::Cell(cell) = place else {
                    return false;
                };
                bits::has(sets.half(side as usize), cell as usize)
            }
        }
    }

    /// A half that stands by itself, without what lies within a margin of its edge.
    fn half(&mut self, side: Side, margin: u32) -> Half {
        match (&mut self.sets, self.source.world()) {
            (Sets::Cells(sets), _) => Half::Cells(CellHalf::of(sets.half(side as usize))),
            (Sets::Samples(builder), World::Solid(_)) => Half::Solid(builder.core(side, margin)),
            (Sets::Samples(builder), _) => Half::Terrain(builder.core(side, margin)),
        }
    }
}

/// The sample that stands for a place in sets of samples.
fn sample_of(place: Place) -> Sample {
    match place {
        Place::Sample(sample) => sample,
        Place::Cell(cell) => SolidParameters::sample(cell),
    }
}

/// One half of a frontier set that stands by itself, such as one that a peer has sent. Any number
/// of threads may look at it.
#[derive(Debug)]
pub struct viewcell_region {
    half: Half,
    source: OwnedBundle,
}

impl Kept for viewcell_region {
    const KIND: usize = 5;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_region> = Table::new();
        &TABLE
    }
}

/// Regions by the equations of Steed and Angus: a's are the cells nearer to a than to b, b's those
/// nearer to b by more than one step.
pub const VIEWCELL_PUBLISHED: u32 = 0;
/// The same region for a; b's is everything that no cell of it sees. Larger than the published
/// one, and a few times as slow to make.
pub const VIEWCELL_TIGHTENED: u32 = 1;
/// Regions that grow over cells that touch, in turn, and so are connected: whoever leaves one does
/// so through its rim. Slower by far. Only for bundles that know which cells touch.
pub const VIEWCELL_GROWN: u32 = 2;
/// Regions that grow over cells that touch, the nearest first, and then take in all that the other does not see,
/// connected or not: the largest. Slower still. Only for bundles that know which cells touch.
pub const VIEWCELL_WIDENED: u32 = 3;

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
    /// For order 4: where player a and player b are expected to go. VIEWCELL_NOWHERE: nobody knows;
    /// that player's half grows around where they stand.
    pub toward: [viewcell_place; 2],
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
    /// Of a level of cells, in which nothing of the above is asked for: VIEWCELL_PUBLISHED,
    /// VIEWCELL_TIGHTENED, VIEWCELL_GROWN or VIEWCELL_WIDENED.
    pub construction: u32,
}

impl Default for viewcell_frontier_options {
    /// The defaults of the library.
    fn default() -> Self {
        let options = FrontierOptions::default();
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
            toward: [VIEWCELL_NOWHERE; 2],
            balance: u32::from(options.turns == Turns::Balance),
            finest: options.finest.unwrap_or(u32::MAX),
            give_up: options.give_up.into(),
            extend: options.extend.into(),
            tighten: options.tighten.into(),
            budget: options.limit.unwrap_or(0),
            construction: VIEWCELL_TIGHTENED,
        }
    }
}

impl viewcell_frontier_options {
    /// The caller's options, or the defaults where there are none.
    ///
    /// # Safety
    ///
    /// Null, or as the header says.
    unsafe fn given(at: *const Self) -> Self {
        // SAFETY: as the caller promises.
        unsafe { at.as_ref() }.copied().unwrap_or_default()
    }

    /// How sets of samples are grown in a world.
    pub(super) fn options(&self, world: &World<'_>) -> Outcome<FrontierOptions> {
        let goal = |goal| numbered(world, goal).map(|place| place.map(sample_of));
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
                    let [a, b] = self.toward;
                    Order::Toward(goal(a)?, goal(b)?)
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

    /// How sets of cells are made in a level.
    pub(super) fn construction(&self, level: &CellBundle<'_>) -> Outcome<Construction> {
        let construction = Construction::ALL.get(self.construction as usize);
        let can_be = |kind: &&Construction| level.has_neighbours() || !kind.needs_neighbours();
        construction
            .filter(can_be)
            .copied()
            .ok_or(VIEWCELL_ARGUMENT)
    }

    /// What of a session's options is said here, in a world of any kind.
    pub(super) fn session(&self, world: &World<'_>) -> Outcome<SessionOptions> {
        let mut options = SessionOptions {
            frontier: self.options(world)?,
            ..SessionOptions::default()
        };
        if let World::Cells(level) = world {
            options.construction = self.construction(level)?;
        }
        Ok(options)
    }
}

fn side(side: u32) -> Outcome<Side> {
    match side {
        0 => Ok(Side::A),
        1 => Ok(Side::B),
        _ => Err(VIEWCELL_ARGUMENT),
    }
}

/// The default options. Returns VIEWCELL_OK or VIEWCELL_NULL. Any thread, any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_defaults(
    options: *mut viewcell_frontier_options,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(options) }? = viewcell_frontier_options::default();
        Ok(VIEWCELL_OK)
    })
}

/// Makes room for frontier sets in a bundle of any kind: some two bytes a sample or a cell of a solid level, 50 a cell of
/// a level of cells, allocated here and nowhere else. *frontier becomes the handle, or null; close it with
/// viewcell_frontier_close. Returns VIEWCELL_OK, VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED.
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
        let sets = match source.lasting_world() {
            World::Terrain(terrain) => Sets::Samples(FrontierBuilder::new(terrain)),
            World::Solid(level) => Sets::Samples(FrontierBuilder::new(level.sights())),
            World::Cells(level) => {
                // Room for whichever is asked for.
                let construction = if level.has_neighbours() {
                    Construction::Widened
                } else {
                    Construction::Tightened
                };
                Sets::Cells(level.builder(&SessionOptions {
                    construction,
                    ..SessionOptions::default()
                }))
            }
        };
        *out = keep(viewcell_frontier { sets, source })?;
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

/// Begins the frontier set of two players at places a and b; the set before it is forgotten. options may be null: the
/// defaults. Players who see each other have an empty set, which is no failure. The same places and options give the same
/// set on every machine, so that peers who know both places need not send it. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (no
/// such place), VIEWCELL_VOID, VIEWCELL_ARGUMENT (no such option, or one that needs to know which cells touch where that is
/// not known), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_begin(
    frontier: *mut viewcell_frontier,
    a: viewcell_place,
    b: viewcell_place,
    options: *const viewcell_frontier_options,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let viewcell_frontier { sets, source } = unsafe { get_mut(frontier) }?;
        let world = source.world();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let options = unsafe { viewcell_frontier_options::given(options) }.session(world)?;
        let places = [known(world, a)?, known(world, b)?];
        match (sets, places.map(sample_of)) {
            (Sets::Cells(sets), _) => CellBundle::begin(sets, a, b, &options),
            (Sets::Samples(builder), [a, b]) => {
                let begun = builder.begin(a, b, &options.frontier);
                begun.map_err(status_of_place)?;
            }
        }
        Ok(VIEWCELL_OK)
    })
}

/// Goes on for at most so many quads: 1 if the set has come to its end, 0 if there is more to
/// do. The set may be used at any time. In a level of cells a set is whole when it has begun. Or VIEWCELL_NULL,
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_step(
    frontier: *mut viewcell_frontier,
    quads: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        Ok(match &mut unsafe { get_mut(frontier) }?.sets {
            Sets::Samples(builder) => builder.step(quads).into(),
            Sets::Cells(_) => 1,
        })
    })
}

/// Whether a place is in the half of player a (side 0) or b (side 1): 1 or 0, and 0 for one that is
/// not there. Or VIEWCELL_ARGUMENT, VIEWCELL_NULL, VIEWCELL_CLOSED: compare with 1, since a failure is
/// no leave to be silent. Constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_contains(
    frontier: *const viewcell_frontier,
    side: u32,
    place: viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let frontier = unsafe { get(frontier) }?;
        let side = self::side(side)?;
        let at = known(frontier.source.world(), place);
        Ok(at.is_ok_and(|at| frontier.contains(side, at)).into())
    })
}

/// Number of places in a half. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_frontier_area(
    frontier: *const viewcell_frontier,
    side: u32,
    places: *mut u64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let frontier = unsafe { get(frontier) }?;
        let side = self::side(side)?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(places) }? = match &frontier.sets {
            Sets::Samples(builder) => builder.region(side).area(),
            Sets::Cells(sets) => bits::count(sets.half(side as usize)),
        };
        Ok(VIEWCELL_OK)
    })
}

/// Writes the compact form of a half, some hundred bytes, of a level of cells a bitmap; of a terrain without what lies
/// within margin steps of its edge (0: all of it). *length becomes the number of bytes that it takes, also if that is
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
        let half = unsafe { get_mut(frontier) }?.half(side(of)?, margin);
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        unsafe { put_code(&half.encode(), bytes, size, length) }
    })
}

/// Writes the compact form of a region into the caller's buffer.
pub(super) unsafe fn put_code(
    code: &[u8],
    bytes: *mut u8,
    size: usize,
    length: *mut usize,
) -> Outcome<viewcell_status> {
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
/// of this bundle's places), VIEWCELL_ARGUMENT, VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED.
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
        let source = unsafe { source(bundle) }?.clone();
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let code = unsafe { slice(bytes, length) }?;
        let half = Half::decode(source.world(), code).ok_or(VIEWCELL_FORMAT)?;
        *out = keep(viewcell_region { half, source })?;
        Ok(VIEWCELL_OK)
    })
}

/// Whether a place is in a region: 1 or 0, and 0 for one that is not there. Or VIEWCELL_NULL,
/// VIEWCELL_CLOSED: compare with 1. Constant time, no allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_region_contains(
    region: *const viewcell_region,
    place: viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let viewcell_region { half, source } = unsafe { get(region) }?;
        let at = known(source.world(), place);
        Ok(at.is_ok_and(|at| half.contains(at)).into())
    })
}

/// Closes a region. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was
/// closed before. No other call may use the handle at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_region_close(region: *mut viewcell_region) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(region) })
}
