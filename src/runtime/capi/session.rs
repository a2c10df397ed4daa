//! Sessions: many players, and who must be told what.

use super::bundle::{source, viewcell_bundle};
use super::frontier::{put_code, viewcell_frontier_options};
use super::handle::{Kept, Table, close, get, get_mut, keep};
use super::status::{
    Answer, VIEWCELL_ARGUMENT, VIEWCELL_BUFFER, VIEWCELL_KIND, VIEWCELL_OK, answer, buffer, flag,
    given, place, status_of_place, viewcell_status,
};
use super::terrain::viewcell_sample;
use crate::runtime::OwnedBundle;
use crate::runtime::cell_frontier;
use crate::runtime::frontier::{News, Notice, Session, SessionOptions};

/// The most players that a session takes.
pub const VIEWCELL_MOST_PLAYERS: u32 = 4096;

/// The players on a terrain or in a level, and the frontier sets between them: moves go in, and out
/// comes who must be told what. One thread at a time.
#[derive(Debug)]
pub struct viewcell_session {
    pub(super) session: Either,
    players: u32,
    /// What the session borrows from.
    _source: OwnedBundle,
}

impl Kept for viewcell_session {
    const KIND: usize = 7;

    fn table() -> &'static Table<Self> {
        static TABLE: Table<viewcell_session> = Table::new();
        &TABLE
    }
}

/// A session of either kind of world.
// One a handle, and boxed there.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(super) enum Either {
    Terrain(Session<'static>),
    Cells(cell_frontier::Session<'static>),
}

impl Either {
    fn tick(&mut self) {
        match self {
            Self::Terrain(session) => session.tick(),
            Self::Cells(session) => session.tick(),
        }
    }

    fn sets(&self) -> u64 {
        match self {
            Self::Terrain(session) => session.sets(),
            Self::Cells(session) => session.sets(),
        }
    }

    fn age(&self, [player, other]: [usize; 2]) -> Option<u64> {
        match self {
            Self::Terrain(session) => session.age(player, other),
            Self::Cells(session) => session.age(player, other),
        }
    }

    fn terrain(&self) -> Answer<&Session<'static>> {
        match self {
            Self::Terrain(session) => Ok(session),
            Self::Cells(_) => Err(VIEWCELL_KIND),
        }
    }

    pub(super) fn cells_mut(&mut self) -> Answer<&mut cell_frontier::Session<'static>> {
        match self {
            Self::Cells(session) => Ok(session),
            Self::Terrain(_) => Err(VIEWCELL_KIND),
        }
    }

    pub(super) fn cells(&self) -> Answer<&cell_frontier::Session<'static>> {
        match self {
            Self::Cells(session) => Ok(session),
            Self::Terrain(_) => Err(VIEWCELL_KIND),
        }
    }
}

impl viewcell_session {
    fn player(&self, player: u32) -> Answer<usize> {
        (player < self.players)
            .then_some(player as usize)
            .ok_or(VIEWCELL_ARGUMENT)
    }

    pub(super) fn pair(&self, [player, other]: [u32; 2]) -> Answer<[usize; 2]> {
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
    /// How frontier sets are grown.
    pub frontier: viewcell_frontier_options,
    /// Renegotiate so many steps before the edge of a half is reached: what a player walks while
    /// the news is on its way.
    pub margin: u32,
    /// A frontier set that lasted for fewer ticks was not worth its while: that pair waits for as
    /// long before it gets another, twice as long after each further one, up to eight times.
    pub patience: u32,
    /// 0: the session is a server that knows all positions, and tells only what may be seen.
    /// 1: the players are peers who know of each other what they are told and nothing else: a pair
    /// without a frontier set exchanges positions on every move (Steed and Angus, figure 4).
    pub peers: u32,
}

impl From<SessionOptions> for viewcell_session_options {
    fn from(options: SessionOptions) -> Self {
        Self {
            frontier: options.frontier.into(),
            margin: options.margin,
            patience: options.patience,
            peers: options.peers.into(),
        }
    }
}

impl viewcell_session_options {
    fn options(&self) -> Answer<SessionOptions> {
        Ok(SessionOptions {
            frontier: self.frontier.options()?,
            margin: self.margin,
            patience: self.patience,
            peers: flag(self.peers)?,
        })
    }
}

/// Tell them where the other player is.
pub const VIEWCELL_POSITION: u32 = 0;
/// Tell them where the other player is, and that there is a new frontier set: the player's own
/// half of it is what viewcell_session_encode writes. They hear no more until one of the two has
/// left theirs. Among peers alone: a server keeps both halves to itself, since they tell something
/// of where each player is.
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

pub(super) unsafe fn playing<'a>(session: *const viewcell_session) -> Answer<&'a viewcell_session> {
    unsafe { get(session) }
}

/// The default options: a server, no margin. Returns VIEWCELL_OK or VIEWCELL_NULL. Any thread, any
/// time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_defaults(
    options: *mut viewcell_session_options,
) -> viewcell_status {
    answer(|| {
        *unsafe { place(options) }? = SessionOptions::default().into();
        Ok(VIEWCELL_OK)
    })
}

/// A session of so many players on a terrain, numbered from 0, none of whom is anywhere yet.
/// options may be null: the defaults. *session becomes the handle, or null; close it with
/// viewcell_session_close. Allocates: some two bytes a sample, and 40 bytes a pair of players.
///
/// Returns VIEWCELL_OK, VIEWCELL_KIND, VIEWCELL_ARGUMENT (an option; more than
/// VIEWCELL_MOST_PLAYERS), VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_new(
    bundle: *const viewcell_bundle,
    players: u32,
    options: *const viewcell_session_options,
    session: *mut *mut viewcell_session,
) -> viewcell_status {
    answer(|| {
        let out = unsafe { place(session) }?;
        *out = core::ptr::null_mut();
        let source = unsafe { source(bundle) }?;
        let options = match options.is_null() {
            true => SessionOptions::default(),
            false => unsafe { given(options) }?.options()?,
        };
        let terrain = source.terrain()?;
        *out = open(source, players, |players| {
            Either::Terrain(Session::new(terrain, players, options))
        })?;
        Ok(VIEWCELL_OK)
    })
}

/// A handle of a session of so many players.
pub(super) fn open(
    source: &OwnedBundle,
    players: u32,
    session: impl FnOnce(usize) -> Either,
) -> Answer<*mut viewcell_session> {
    if players > VIEWCELL_MOST_PLAYERS {
        return Err(VIEWCELL_ARGUMENT);
    }
    keep(viewcell_session {
        session: session(players as usize),
        players,
        _source: source.clone(),
    })
}

/// Closes it. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was closed
/// before. No other call may use the handle at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_close(session: *mut viewcell_session) -> viewcell_status {
    answer(|| unsafe { close(session) })
}

/// Lets a tick pass: the unit of ages and of patience. Returns VIEWCELL_OK, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_tick(session: *mut viewcell_session) -> viewcell_status {
    answer(|| {
        let playing = unsafe { get_mut(session) }?;
        playing.session.tick();
        Ok(VIEWCELL_OK)
    })
}

/// A player has moved to a sample, or has come there from nowhere; where to is null, the player is
/// gone. Writes what follows from it: *count notices, in notices, whose length is size, at least
/// twice the number of the other players.
///
/// A pair that keeps silent costs two bit tests. Allocates where a frontier set is grown, which
/// happens here and to its end: some tenths of a millisecond each.
///
/// Returns VIEWCELL_OK; or, and then the player has not moved, VIEWCELL_OUTSIDE, VIEWCELL_VOID,
/// VIEWCELL_BUFFER, VIEWCELL_ARGUMENT (no such player), VIEWCELL_KIND, VIEWCELL_NULL or
/// VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_move(
    session: *mut viewcell_session,
    player: u32,
    to: *const viewcell_sample,
    notices: *mut viewcell_notice,
    size: usize,
    count: *mut usize,
) -> viewcell_status {
    answer(|| {
        // Where to go, or nowhere.
        let to = unsafe { to.as_ref() }.map(|&sample| sample.into());
        let step = |session: &mut Either, player, tell: &mut dyn FnMut(Notice)| match session {
            Either::Terrain(session) => session.move_to(player, to, tell).map_err(status_of_place),
            Either::Cells(_) => Err(VIEWCELL_KIND),
        };
        unsafe { moved(session, player, (notices, size, count), step) }
    })
}

/// A step of a player in a session, and its notices in the caller's memory: where, how many there
/// is room for, and how many they are.
///
/// # Safety
///
/// As of [`viewcell_session_move`].
pub(super) unsafe fn moved(
    session: *mut viewcell_session,
    player: u32,
    (notices, size, count): (*mut viewcell_notice, usize, *mut usize),
    step: impl FnOnce(&mut Either, usize, &mut dyn FnMut(Notice)) -> Answer<()>,
) -> Answer<viewcell_status> {
    let playing = unsafe { get_mut(session) }?;
    let count = unsafe { place(count) }?;
    let out = unsafe { buffer(notices, size) }?;
    let player = playing.player(player)?;
    if out.len() < 2 * (playing.players as usize).saturating_sub(1) {
        return Err(VIEWCELL_BUFFER);
    }
    let mut told = 0;
    step(&mut playing.session, player, &mut |notice| {
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
    })?;
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
        let playing = unsafe { playing(session) }?;
        let out = unsafe { place(ticks) }?;
        let pair = playing.pair([player, other])?;
        let Some(age) = playing.session.age(pair) else {
            return Ok(0);
        };
        *out = age;
        Ok(1)
    })
}

/// How many frontier sets were grown so far. Returns VIEWCELL_OK, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_sets(
    session: *const viewcell_session,
    sets: *mut u64,
) -> viewcell_status {
    answer(|| {
        let playing = unsafe { playing(session) }?;
        *unsafe { place(sets) }? = playing.session.sets();
        Ok(VIEWCELL_OK)
    })
}

/// Whether a sample is in a player's own half of the frontier set with another, without the
/// margin: 1 or 0, and 0 if they have no set. Or VIEWCELL_ARGUMENT (no such players),
/// VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED: compare with 1. Constant time, no allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_session_contains(
    session: *const viewcell_session,
    player: u32,
    other: u32,
    sample: viewcell_sample,
) -> viewcell_status {
    answer(|| {
        let playing = unsafe { playing(session) }?;
        let [player, other] = playing.pair([player, other])?;
        let half = playing.session.terrain()?.half(player, other);
        Ok(half.is_some_and(|half| half.contains(sample.into())).into())
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
        let playing = unsafe { playing(session) }?;
        let [player, other] = playing.pair([player, other])?;
        let half = playing.session.terrain()?.half(player, other);
        let code = half.map_or(Vec::new(), |half| half.region().encode());
        unsafe { put_code(&code, bytes, size, length) }
    })
}
