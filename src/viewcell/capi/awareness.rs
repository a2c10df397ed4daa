//! Near and maybe visible: whom each of thousands of players must be told of.

use super::bundle::{source, viewcell_bundle};
use super::handle::{Kept, Table, close, get, get_mut, keep};
use super::place::{numbered, position, viewcell_place, viewcell_position};
use super::status::{
    Outcome, VIEWCELL_ARGUMENT, VIEWCELL_BUFFER, VIEWCELL_FULL, VIEWCELL_OK, answer, buffer, given,
    place, viewcell_status,
};
use crate::interest::{Awareness, InterestError, LookAhead, Senses};
use crate::query::{OwnedBundle, Place, Sample, World};

/// Players on a terrain or in a level, and who of them is near whom and may be seen. One thread at a
/// time.
#[derive(Debug)]
pub struct viewcell_awareness {
    awareness: Awareness<LookAhead<'static>>,
    /// What they are told by.
    source: OwnedBundle,
}

impl Kept for viewcell_awareness {
    const KIND: usize = 9;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_awareness> = Table::new();
        &TABLE
    }
}

impl viewcell_awareness {
    /// The place that has a number; for nowhere a place of the other kind, which sees all and is seen.
    fn place(&self, number: viewcell_place) -> Outcome<Place> {
        let world = self.source.world();
        Ok(numbered(world, number)?.unwrap_or(match world {
            World::Terrain(_) => Place::Cell(number),
            World::Cells(_) | World::Solid(_) => Place::Sample(Sample::new(number, number)),
        }))
    }
}

/// How far a player sees, and how large they are.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_senses {
    /// The player hears of nobody farther away than this, in the unit of positions; 0 or more.
    pub reach: f32,
    /// Nor of anybody farther away than this times their radius; infinite for one who perceives all.
    pub acuity: f32,
    /// The radius of a sphere around the player.
    pub radius: f32,
}

/// A player, and one whom that player begins or ceases to be told of.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_aware {
    /// Who is to be told, or no longer.
    pub observer: u32,
    /// Of whom.
    pub other: u32,
}

/// A world without players, in a bundle of any kind. A look_ahead of more than 0, in metres or in units of the level,
/// asks whether two may see each other before either has gone that far. *awareness becomes the handle, or null.
///
/// Keeps the bundle's data, so that the bundle may be closed. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (no
/// such look_ahead), VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED. Allocates.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_awareness_new(
    bundle: *const viewcell_bundle,
    look_ahead: f64,
    awareness: *mut *mut viewcell_awareness,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(awareness) }?;
        *out = core::ptr::null_mut();
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?;
        if !look_ahead.is_finite() || look_ahead < 0.0 {
            return Err(VIEWCELL_ARGUMENT);
        }
        let watched = LookAhead {
            world: *source.lasting_world(),
            reach: look_ahead,
        };
        *out = keep(viewcell_awareness {
            awareness: Awareness::new(watched),
            source: source.clone(),
        })?;
        Ok(VIEWCELL_OK)
    })
}

/// A player comes to a place, at a position in any unit, of which single precision is kept. At VIEWCELL_NOWHERE they see
/// all who are near, and are seen. *player becomes the player's number, until they go; numbers of players who went are
/// given again. Nobody is told before the next tick.
///
/// Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (a coordinate or the reach is not finite, or the reach is
/// negative), VIEWCELL_OUTSIDE (no such place), VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED. May
/// allocate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_awareness_come(
    awareness: *mut viewcell_awareness,
    position: *const viewcell_position,
    place: viewcell_place,
    senses: *const viewcell_senses,
    player: *mut u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let watching = unsafe { get_mut(awareness) }?;
        let at = watching.place(place)?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let position = unsafe { self::position(position) }?.map(|at| at as f32);
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let senses = unsafe { given(senses) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let player = unsafe { self::place(player) }?;
        let senses = Senses {
            reach: senses.reach,
            acuity: senses.acuity,
            radius: senses.radius,
        };
        let came = watching.awareness.insert(position, at, senses);
        *player = came.map_err(status)?;
        Ok(VIEWCELL_OK)
    })
}

/// A player has moved. VIEWCELL_ARGUMENT where there is no such player; else as
/// viewcell_awareness_come. Does not allocate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_awareness_move(
    awareness: *mut viewcell_awareness,
    player: u32,
    position: *const viewcell_position,
    place: viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let watching = unsafe { get_mut(awareness) }?;
        let at = watching.place(place)?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let position = unsafe { self::position(position) }?.map(|at| at as f32);
        let moved = watching.awareness.move_to(player, position, at);
        moved.map_err(status)?;
        Ok(VIEWCELL_OK)
    })
}

/// A player goes. All who were told of them cease to be in the next tick. Returns VIEWCELL_OK,
/// VIEWCELL_ARGUMENT (no such player), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_awareness_go(
    awareness: *mut viewcell_awareness,
    player: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let watching = unsafe { get_mut(awareness) }?;
        watching.awareness.remove(player).map_err(status)?;
        Ok(VIEWCELL_OK)
    })
}

/// Ends a tick. *began becomes the number of pairs of whom the one is to be told of the other from
/// now on, *ceased the number of those who no longer are; viewcell_awareness_began and
/// viewcell_awareness_ceased write them. Allocates where a player has more others around than those
/// who had that number before.
///
/// Returns VIEWCELL_OK, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_awareness_tick(
    awareness: *mut viewcell_awareness,
    began: *mut usize,
    ceased: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let began = unsafe { place(began) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let ceased = unsafe { place(ceased) }?;
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let changes = unsafe { get_mut(awareness) }?.awareness.tick();
        (*began, *ceased) = (changes.began.len(), changes.ceased.len());
        Ok(VIEWCELL_OK)
    })
}

/// Writes the pairs that began in the last tick, sorted by observer, then by the other. *count
/// becomes their number, also where the buffer is too small for them.
///
/// Returns VIEWCELL_OK, VIEWCELL_BUFFER, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_awareness_began(
    awareness: *const viewcell_awareness,
    pairs: *mut viewcell_aware,
    size: usize,
    count: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let changes = unsafe { get(awareness) }?.awareness.changes();
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        unsafe { put(changes.began, pairs, size, count) }
    })
}

/// Writes the pairs that ceased in the last tick. Else as viewcell_awareness_began.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_awareness_ceased(
    awareness: *const viewcell_awareness,
    pairs: *mut viewcell_aware,
    size: usize,
    count: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let changes = unsafe { get(awareness) }?.awareness.changes();
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        unsafe { put(changes.ceased, pairs, size, count) }
    })
}

/// Closes a handle; does nothing for null. Returns VIEWCELL_OK or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_awareness_close(
    awareness: *mut viewcell_awareness,
) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(awareness) })
}

/// # Safety
///
/// As the functions for C that call it.
unsafe fn put(
    changes: &[[u32; 2]],
    pairs: *mut viewcell_aware,
    size: usize,
    count: *mut usize,
) -> Outcome<viewcell_status> {
    // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
    *unsafe { place(count) }? = changes.len();
    // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
    let pairs = unsafe { buffer(pairs, size) }?;
    let pairs = pairs.get_mut(..changes.len()).ok_or(VIEWCELL_BUFFER)?;
    for (pair, &[observer, other]) in pairs.iter_mut().zip(changes) {
        *pair = viewcell_aware { observer, other };
    }
    Ok(VIEWCELL_OK)
}

fn status(error: InterestError) -> viewcell_status {
    match error {
        InterestError::Full => VIEWCELL_FULL,
        _ => VIEWCELL_ARGUMENT,
    }
}
