//! Sessions of players in a level of cells.

use super::bundle::{source, viewcell_bundle};
use super::cells::construction;
use super::frontier::VIEWCELL_NOWHERE;
use super::session::{Either, moved, open, playing, viewcell_notice, viewcell_session};
use super::status::{Answer, VIEWCELL_OK, VIEWCELL_OUTSIDE, answer, flag, place, viewcell_status};
use crate::runtime::cell_frontier::{Notice, Session, SessionOptions};

/// A session of so many players in a level, numbered from 0, none of whom is anywhere yet. Its
/// frontier sets are made as construction says (VIEWCELL_TIGHTENED); patience and peers are those
/// of viewcell_session_options (0 and 0: sets of cells take microseconds). *session becomes the
/// handle, or null.
///
/// viewcell_session_tick, viewcell_session_age, viewcell_session_sets and viewcell_session_close
/// serve it as well. In a level that is not mutual (viewcell_cells) silence may be wrong for cells
/// that see one way only. Allocates: 40 bytes a pair of players.
///
/// Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (no such construction, as with
/// viewcell_cells_frontier_words; peers is neither 0 nor 1; more players than
/// VIEWCELL_MOST_PLAYERS), VIEWCELL_KIND, VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_session_new(
    bundle: *const viewcell_bundle,
    players: u32,
    construction: u32,
    patience: u32,
    peers: u32,
    session: *mut *mut viewcell_session,
) -> viewcell_status {
    answer(|| {
        let out = unsafe { place(session) }?;
        *out = core::ptr::null_mut();
        let source = unsafe { source(bundle) }?;
        let level = source.cells()?;
        let options = SessionOptions {
            construction: self::construction(level, construction)?,
            patience,
            peers: flag(peers)?,
        };
        *out = open(source, players, |players| {
            Either::Cells(Session::new(level, players, options))
        })?;
        Ok(VIEWCELL_OK)
    })
}

/// A player has moved to a cell, or has come there from nowhere; where cell is VIEWCELL_NOWHERE,
/// the player is gone. Else as viewcell_session_move; VIEWCELL_OUTSIDE where there is no such cell.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_session_move(
    session: *mut viewcell_session,
    player: u32,
    cell: u32,
    notices: *mut viewcell_notice,
    size: usize,
    count: *mut usize,
) -> viewcell_status {
    answer(|| {
        let to = (cell != VIEWCELL_NOWHERE).then_some(cell);
        let step = |session: &mut Either, player, tell: &mut dyn FnMut(Notice)| -> Answer<()> {
            let moved = session.cells_mut()?.move_to(player, to, tell);
            moved.map_err(|_| VIEWCELL_OUTSIDE)
        };
        unsafe { moved(session, player, (notices, size, count), step) }
    })
}

/// Whether a cell is in a player's own half of the frontier set with another: 1 or 0, and 0 if
/// they have no set. Or VIEWCELL_ARGUMENT (no such players), VIEWCELL_KIND, VIEWCELL_NULL,
/// VIEWCELL_CLOSED: compare with 1. Constant time, no allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn viewcell_cells_session_contains(
    session: *const viewcell_session,
    player: u32,
    other: u32,
    cell: u32,
) -> viewcell_status {
    answer(|| {
        let playing = unsafe { playing(session) }?;
        let [player, other] = playing.pair([player, other])?;
        let half = playing.session.cells()?.half(player, other);
        Ok(half.is_some_and(|half| half.contains(cell)).into())
    })
}
