//! Sessions: many players, and who must be told what.

use super::bundle::{source, viewcell_bundle};
use super::frontier::{VIEWCELL_BUDGET, options, put_code};
use super::handle::{Kept, Table, close, get, get_mut, keep};
use super::place::{known, numbered, viewcell_place};
use super::status::{
    Outcome, VIEWCELL_ARGUMENT, VIEWCELL_BUFFER, VIEWCELL_OK, answer, buffer, flag, place,
    status_of_place, viewcell_status,
};
use crate::query::{Extent, OwnedBundle, Place, World};
use crate::session::{Half, News, Notice, Session, SessionOptions};

/// The most players that a session takes.
pub const VIEWCELL_MOST_PLAYERS: u32 = 4096;

/// The players in a world, and the frontier sets between them: takes moves, and returns
/// who must be told what. One thread at a time.
#[derive(Debug)]
pub struct viewcell_session {
    session: Session<OwnedBundle>,
}

impl Kept for viewcell_session {
    const KIND: usize = 7;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_session> = Table::new();
        &TABLE
    }
}

impl viewcell_session {
    fn player(&self, player: u32) -> Outcome<usize> {
        let player = player as usize;
        (player < self.session.players())
            .then_some(player)
            .ok_or(VIEWCELL_ARGUMENT)
    }

    fn pair(&self, [player, other]: [u32; 2]) -> Outcome<[usize; 2]> {
        if player == other {
            return Err(VIEWCELL_ARGUMENT);
        }
        Ok([self.player(player)?, self.player(other)?])
    }
}

/// How a session keeps its players silent. Begin with viewcell_session_defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_session_options {
    /// Of a terrain and of a solid level: a frontier set grows until so many quads have been tried, 0 for no limit.
    pub budget: u32,
    /// Of a terrain: renegotiate so many steps before the edge of a half is reached: as far as a player walks while
    /// the message is under way.
    pub margin: u32,
    /// A frontier set that lasted for fewer ticks did not pay: that pair waits for so many ticks before
    /// it gets another, twice as long after each further one, up to eight times. UINT32_MAX for the default of
    /// the kind of world: 20, or 0 in a level of cells, whose sets take microseconds.
    pub patience: u32,
    /// 0: the session is a server that knows all positions, and sends only who may be seen.
    /// 1: the players are peers who know of each other only what they are sent: a pair
    /// without a frontier set exchanges positions on every move (Steed and Angus, figure 4).
    pub peers: u32,
}

impl Default for viewcell_session_options {
    /// The defaults of the library.
    fn default() -> Self {
        let options = SessionOptions::default();
        Self {
            budget: VIEWCELL_BUDGET,
            margin: options.margin,
            patience: options.patience.unwrap_or(u32::MAX),
            peers: options.peers.into(),
        }
    }
}

impl viewcell_session_options {
    fn options(&self) -> Outcome<SessionOptions> {
        Ok(SessionOptions {
            frontier: options(self.budget),
            margin: self.margin,
            patience: (self.patience != u32::MAX).then_some(self.patience),
            peers: flag(self.peers)?,
        })
    }
}

/// Tell them where the other player is.
pub const VIEWCELL_POSITION: u32 = 0;
/// Tell them where the other player is, and that there is a new frontier set: the player's own
/// half of it is what viewcell_session_encode writes. They hear no more until one of the two has
/// left theirs. Only among peers: a server keeps both halves to itself, since they reveal roughly
/// where each player is.
pub const VIEWCELL_FRONTIER: u32 = 1;

/// Something to tell a player.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct viewcell_notice {
    /// Whom to tell.
    pub to: u32,
    /// About whom.
    pub about: u32,
    /// What: VIEWCELL_POSITION or VIEWCELL_FRONTIER.
    pub what: u32,
}

/// The default options: a server, no margin. Returns VIEWCELL_OK or VIEWCELL_NULL. Any thread, any
/// time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_defaults(
    options: *mut viewcell_session_options,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(options) }? = viewcell_session_options::default();
        Ok(VIEWCELL_OK)
    })
}

/// A session of so many players, numbered from 0, none of whom is anywhere yet, in a bundle of any kind.
/// options may be null: the defaults. *session becomes the handle, or null; close it with viewcell_session_close.
/// Allocates: some two bytes a sample or a cell of a solid level, and 40 bytes a pair of players.
///
/// Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (peers is neither 0 nor 1; more than VIEWCELL_MOST_PLAYERS), VIEWCELL_FULL,
/// VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_new(
    bundle: *const viewcell_bundle,
    players: u32,
    options: *const viewcell_session_options,
    session: *mut *mut viewcell_session,
) -> viewcell_status {
    answer(|| {
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(session) }?;
        *out = core::ptr::null_mut();
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let source = unsafe { source(bundle) }?;
        // SAFETY: null, or readable during the call: the header tells the caller so.
        let options = unsafe { options.as_ref() }.copied().unwrap_or_default();
        let options = options.options()?;
        if players > VIEWCELL_MOST_PLAYERS {
            return Err(VIEWCELL_ARGUMENT);
        }
        *out = keep(viewcell_session {
            session: Session::new(source, players as usize, options),
        })?;
        Ok(VIEWCELL_OK)
    })
}

/// Closes it. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was closed
/// before. No other call may use the handle at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_close(session: *mut viewcell_session) -> viewcell_status {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    answer(|| unsafe { close(session) })
}

/// Lets a tick pass: the unit of ages and of patience. Returns VIEWCELL_OK, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_tick(session: *mut viewcell_session) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let playing = unsafe { get_mut(session) }?;
        playing.session.tick();
        Ok(VIEWCELL_OK)
    })
}

/// A player has moved to a place, or has appeared there. At VIEWCELL_NOWHERE, where their position was not located, they see
/// all and are seen by all, and all are told. Writes the notices that follow: *count of them, into notices, whose length is
/// size, at least twice the number of the other players.
///
/// A pair that exchanges nothing costs two bit tests. Allocates where a frontier set is grown, which
/// happens here, all at once: some tenths of a millisecond each.
///
/// Returns VIEWCELL_OK; or, and then the player has not moved, VIEWCELL_OUTSIDE (no such place), VIEWCELL_VOID,
/// VIEWCELL_BUFFER, VIEWCELL_ARGUMENT (no such player), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_move(
    session: *mut viewcell_session,
    player: u32,
    to: viewcell_place,
    notices: *mut viewcell_notice,
    size: usize,
    count: *mut usize,
) -> viewcell_status {
    answer(|| {
        let to = |world: &World| numbered(world, to);
        // SAFETY: what the header tells the caller is passed on as it is.
        unsafe { moved(session, player, to, |_| None, (notices, size, count)) }
    })
}

/// A player has left: their frontier sets end, and nobody is notified. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (no such
/// player), VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_leave(
    session: *mut viewcell_session,
    player: u32,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
        let playing = unsafe { get_mut(session) }?;
        let player = playing.player(player)?;
        let gone = playing.session.move_to(player, None, |_| ());
        gone.map_err(status_of_place)?;
        Ok(VIEWCELL_OK)
    })
}

/// A step of a player in a session: to some place or to none, with a reach or without one. Its notices come into
/// the caller's memory: where, how many there is room for, and how many they are.
///
/// # Safety
///
/// As of [`viewcell_session_move`].
pub(super) unsafe fn moved(
    session: *mut viewcell_session,
    player: u32,
    to: impl FnOnce(&World) -> Outcome<Option<Place>>,
    reach: impl FnOnce(&World) -> Option<Extent>,
    (notices, size, count): (*mut viewcell_notice, usize, *mut usize),
) -> Outcome<viewcell_status> {
    // SAFETY: nobody else uses the handle during the call: the header tells the caller so.
    let playing = unsafe { get_mut(session) }?;
    // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
    let count = unsafe { place(count) }?;
    // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
    let out = unsafe { buffer(notices, size) }?;
    let player = playing.player(player)?;
    let session = &mut playing.session;
    if out.len() < 2 * session.players().saturating_sub(1) {
        return Err(VIEWCELL_BUFFER);
    }
    let world = session.world().world();
    let (to, reach) = (to(world)?, reach(world));
    let mut told = 0;
    let tell = |notice: Notice| {
        if let Some(out) = out.get_mut(told) {
            *out = viewcell_notice {
                to: notice.to as u32,
                about: notice.about as u32,
                what: match notice.what {
                    News::Position => VIEWCELL_POSITION,
                    News::Frontier => VIEWCELL_FRONTIER,
                },
            };
            told += 1;
        }
    };
    match reach {
        Some(reach) => session.move_within(player, to, reach, tell),
        None => session.move_to(player, Some(to), tell),
    }
    .map_err(status_of_place)?;
    *count = told;
    Ok(VIEWCELL_OK)
}

/// For how many ticks the frontier set of two players has lasted: 1, and *ticks; 0 if they have
/// none. Or VIEWCELL_ARGUMENT (no such players), VIEWCELL_NULL, VIEWCELL_CLOSED. No allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_age(
    session: *const viewcell_session,
    player: u32,
    other: u32,
    ticks: *mut u64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let playing = unsafe { get(session) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        let out = unsafe { place(ticks) }?;
        let [player, other] = playing.pair([player, other])?;
        let Some(age) = playing.session.age(player, other) else {
            return Ok(0);
        };
        *out = age;
        Ok(1)
    })
}

/// How many frontier sets have been grown so far. Returns VIEWCELL_OK, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_sets(
    session: *const viewcell_session,
    sets: *mut u64,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let playing = unsafe { get(session) }?;
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        *unsafe { place(sets) }? = playing.session.sets();
        Ok(VIEWCELL_OK)
    })
}

/// Whether a place is in a player's own half of the frontier set with another, without the
/// margin: 1 or 0, and 0 if they have no set. Or VIEWCELL_ARGUMENT (no such players),
/// VIEWCELL_NULL, VIEWCELL_CLOSED: compare with 1. Constant time, no allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_contains(
    session: *const viewcell_session,
    player: u32,
    other: u32,
    place: viewcell_place,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let playing = unsafe { get(session) }?;
        let [player, other] = playing.pair([player, other])?;
        let half = playing.session.half(player, other);
        let at = known(playing.session.world().world(), place);
        let is_in = half
            .zip(at.ok())
            .is_some_and(|(half, at)| half.contains(at));
        Ok(is_in.into())
    })
}

/// Writes the compact form of a player's own half of the frontier set with another, to be sent to
/// that player and read with viewcell_region_decode. Else as viewcell_frontier_encode; if they have
/// no set, *length becomes 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_encode(
    session: *const viewcell_session,
    player: u32,
    other: u32,
    bytes: *mut u8,
    size: usize,
    length: *mut usize,
) -> viewcell_status {
    answer(|| {
        // SAFETY: nobody changes or closes the handle during the call: the header tells the caller so.
        let playing = unsafe { get(session) }?;
        let [player, other] = playing.pair([player, other])?;
        let half = playing.session.half(player, other);
        let code = half.map_or(Vec::new(), Half::encode);
        // SAFETY: null, or room that nobody else uses during the call: the header tells the caller so.
        unsafe { put_code(&code, bytes, size, length) }
    })
}
