//! Handles: what C holds in place of the objects that this library owns.
//!
//! A handle looks like a pointer to C and points nowhere. It is a number: the kind, a *slot* in
//! the table of that kind, and the slot's *generation*. A slot is used again after it was closed,
//! with the next generation, so that memory is bounded by what is open at a time; a handle that was
//! closed is known by its generation, whatever lies in its slot by then. A slot whose generations
//! are used up is not used again: no two handles are ever the same.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::status::{
    Outcome, VIEWCELL_CLOSED, VIEWCELL_FULL, VIEWCELL_NULL, VIEWCELL_OK, viewcell_status,
};

/// Bits of the kind. They are the lowest ones and no kind is even, so that the address of an object
/// that is given in place of a handle is none.
const KIND_BITS: u32 = 5;

/// Bits of the slot, of 32 and of 64. Handles have at most 47 bits in all, as addresses do: some
/// scripting languages store pointers in no more.
const SLOT_BITS: u32 = if usize::BITS < 64 { 18 } else { 24 };
const GENERATION_BITS: u32 = if usize::BITS < 64 { 9 } else { 18 };

const MOST_SLOTS: usize = 1 << SLOT_BITS;
const GENERATIONS: u32 = 1 << GENERATION_BITS;

/// Slots of the first part of a table; each further part doubles the table. Parts never move, so
/// that a slot is found without a lock.
const FIRST_BITS: u32 = 6;
const PARTS: usize = (SLOT_BITS - FIRST_BITS + 1) as usize;

/// What is kept for C in a table of its own.
///
/// Any thread may look at it and close it, which the bounds ask for.
pub(super) trait Kept: Sized + Send + Sync + 'static {
    /// Tells handles of different kinds apart: odd, and other than that of every other type.
    const KIND: usize;

    fn table() -> &'static Table<Self>;
}

/// A place for a value.
#[derive(Debug)]
struct Slot<T> {
    /// Twice the generation; and 1 more while the slot is open.
    state: AtomicU32,
    /// Boxed, so that little is left of what has been closed.
    value: UnsafeCell<Option<Box<T>>>,
}

/// What opening and closing change.
#[derive(Debug)]
struct Free {
    /// Slots that were closed and may be used again.
    slots: Vec<usize>,
    /// How many slots were used so far.
    used: usize,
}

/// All values of a kind.
#[derive(Debug)]
pub(super) struct Table<T> {
    parts: [OnceLock<Box<[Slot<T>]>>; PARTS],
    free: Mutex<Free>,
}

// SAFETY: a value is only reached through its handle, and whoever has that promises (the header says so)
// that nobody changes or closes it meanwhile. Slots are handed over by the lock and by `state`.
unsafe impl<T: Send + Sync> Sync for Table<T> {}

impl<T: Kept> Table<T> {
    pub(super) const fn new() -> Self {
        assert!(T::KIND % 2 == 1 && T::KIND < 1 << KIND_BITS);
        Self {
            parts: [const { OnceLock::new() }; PARTS],
            free: Mutex::new(Free {
                slots: Vec::new(),
                used: 0,
            }),
        }
    }

    /// The part that a slot lies in, how many slots that has, and which of them it is.
    fn part(slot: usize) -> (usize, usize, usize) {
        match slot >> FIRST_BITS {
            0 => (0, 1 << FIRST_BITS, slot),
            rest => {
                let doublings = rest.ilog2();
                let begin = 1 << (FIRST_BITS + doublings);
                (doublings as usize + 1, begin, slot - begin)
            }
        }
    }

    fn slot(&self, slot: usize) -> Option<&Slot<T>> {
        let (part, _, at) = Self::part(slot);
        self.parts.get(part)?.get()?.get(at)
    }

    /// Makes a slot that was not used before.
    fn new_slot(&self, slot: usize) -> Option<&Slot<T>> {
        let (part, slots, at) = Self::part(slot);
        let empty = |_| Slot {
            state: AtomicU32::new(0),
            value: UnsafeCell::new(None),
        };
        let part = self.parts.get(part)?;
        part.get_or_init(|| (0..slots).map(empty).collect()).get(at)
    }

    fn open(&self, value: T) -> Outcome<usize> {
        let value = Box::new(value);
        // What the lock guards is whole between any two of its statements.
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, slot) = match free.slots.pop() {
            Some(number) => (number, self.slot(number)),
            None if free.used < MOST_SLOTS => {
                let number = free.used;
                let slot = self.new_slot(number);
                free.used += 1;
                (number, slot)
            }
            None => return Err(VIEWCELL_FULL),
        };
        drop(free);
        let slot = slot.ok_or(VIEWCELL_FULL)?;
        // SAFETY: the slot came from the lock, to this call alone, and no handle opens it yet.
        unsafe { *slot.value.get() = Some(value) };
        let state = slot.state.load(Ordering::Relaxed);
        slot.state.store(state | 1, Ordering::Release);
        let generation = (state >> 1) as usize;
        Ok((generation << SLOT_BITS | number) << KIND_BITS | T::KIND)
    }

    /// The number and the slot that a handle names, and the slot's state while it is open.
    fn find(&self, handle: usize) -> Outcome<(usize, &Slot<T>, u32)> {
        if handle == 0 {
            return Err(VIEWCELL_NULL);
        }
        let number = handle >> KIND_BITS & (MOST_SLOTS - 1);
        let generation = handle >> (KIND_BITS + SLOT_BITS);
        if handle & ((1 << KIND_BITS) - 1) != T::KIND || generation >= GENERATIONS as usize {
            return Err(VIEWCELL_CLOSED);
        }
        let slot = self.slot(number).ok_or(VIEWCELL_CLOSED)?;
        Ok((number, slot, (generation as u32) << 1 | 1))
    }

    /// The slot of a handle that is open.
    fn opened(&self, handle: usize) -> Outcome<&Slot<T>> {
        let (_, slot, open) = self.find(handle)?;
        if slot.state.load(Ordering::Acquire) == open {
            Ok(slot)
        } else {
            Err(VIEWCELL_CLOSED)
        }
    }

    fn close(&self, handle: usize) -> Outcome<()> {
        let (number, slot, open) = self.find(handle)?;
        // Of two calls that close it at the same time, one gets past this.
        slot.state
            .compare_exchange(open, open + 1, Ordering::AcqRel, Ordering::Acquire)
            .map_err(|_| VIEWCELL_CLOSED)?;
        // SAFETY: from here on no handle opens the slot, and nobody else gets it before it is free.
        let value = unsafe { &mut *slot.value.get() }.take();
        if (open + 1) >> 1 < GENERATIONS {
            let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
            free.slots.push(number);
        }
        // Last and without the lock, since it may take a while.
        drop(value);
        Ok(())
    }
}

/// Keeps a value: its handle.
pub(super) fn keep<T: Kept>(value: T) -> Outcome<*mut T> {
    let handle = T::table().open(value)?;
    Ok(core::ptr::without_provenance_mut(handle))
}

/// The value of a handle, to look at.
///
/// # Safety
///
/// While it is borrowed, nobody may change or close it: the header tells the caller so.
pub(super) unsafe fn get<'a, T: Kept>(handle: *const T) -> Outcome<&'a T> {
    let slot = T::table().opened(handle.addr())?;
    // SAFETY: as the caller promises.
    unsafe { &*slot.value.get() }
        .as_deref()
        .ok_or(VIEWCELL_CLOSED)
}

/// The value of a handle, to change.
///
/// # Safety
///
/// While it is borrowed, nobody else may use it: the header tells the caller so.
pub(super) unsafe fn get_mut<'a, T: Kept>(handle: *mut T) -> Outcome<&'a mut T> {
    let slot = T::table().opened(handle.addr())?;
    // SAFETY: as the caller promises.
    unsafe { &mut *slot.value.get() }
        .as_deref_mut()
        .ok_or(VIEWCELL_CLOSED)
}

/// Drops the value of a handle; of null, does nothing.
///
/// # Safety
///
/// Nobody else may use the value at the same time: the header tells the caller so.
pub(super) unsafe fn close<T: Kept>(handle: *mut T) -> Outcome<viewcell_status> {
    if !handle.is_null() {
        T::table().close(handle.addr())?;
    }
    Ok(VIEWCELL_OK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capi::{viewcell_bundle, viewcell_frontier};
    use crate::capi::{viewcell_region, viewcell_session};
    use proptest::prelude::*;
    use std::sync::atomic::AtomicUsize;

    #[derive(Debug)]
    struct Number(u32);

    impl Kept for Number {
        const KIND: usize = 1;

        fn table() -> &'static Table<Self> {
            static TABLE: Table<Number> = Table::new();
            &TABLE
        }
    }

    impl Table<Number> {
        fn number(&self, handle: usize) -> Outcome<u32> {
            let slot = self.opened(handle)?;
            // SAFETY: nobody changes it: the caller is the only one, or only looks.
            unsafe { &*slot.value.get() }
                .as_deref()
                .map(|number| number.0)
                .ok_or(VIEWCELL_CLOSED)
        }

        fn used(&self) -> usize {
            self.free.lock().unwrap().used
        }
    }

    #[test]
    fn kinds_differ() {
        let kinds = [
            viewcell_bundle::KIND,
            viewcell_frontier::KIND,
            viewcell_region::KIND,
            viewcell_session::KIND,
        ];
        for (i, kind) in kinds.iter().enumerate() {
            assert!(!kinds[..i].contains(kind));
        }
    }

    #[test]
    fn a_handle_that_was_closed_is_refused_after_its_slot_is_used_again() {
        let table = Table::new();
        let old = table.open(Number(1)).unwrap();
        assert_eq!(table.number(old), Ok(1));
        assert_eq!(table.close(old), Ok(()));
        assert_eq!(table.number(old), Err(VIEWCELL_CLOSED));
        let new = table.open(Number(2)).unwrap();
        assert_eq!(table.used(), 1, "the slot is used again");
        assert_ne!(old, new);
        assert_eq!(table.number(old), Err(VIEWCELL_CLOSED));
        assert_eq!(table.close(old), Err(VIEWCELL_CLOSED));
        assert_eq!(table.number(new), Ok(2), "and was not closed by that");
    }

    #[test]
    fn ten_million_opens_use_as_many_slots_as_they_have_generations_for() {
        let opens = if cfg!(miri) { 3000 } else { 10_000_000 };
        let table = Table::new();
        let mut last = 0;
        for i in 0..opens {
            let handle = table.open(Number(i)).unwrap();
            // They count upwards, so that none was there before.
            let order = handle.rotate_right(KIND_BITS + SLOT_BITS);
            assert!(order > last || order >> GENERATION_BITS > last >> GENERATION_BITS);
            assert!(handle < 1 << 47 || usize::BITS == 32);
            last = order;
            table.close(handle).unwrap();
        }
        // A slot of 16 bytes in a quarter of a million opens.
        assert_eq!(table.used(), opens.div_ceil(GENERATIONS) as usize);
    }

    #[test]
    fn a_slot_whose_generations_are_used_up_is_left_alone() {
        let table = Table::new();
        let first = table.open(Number(1)).unwrap();
        table.close(first).unwrap();
        let slot = table.slot(0).unwrap();
        slot.state.store((GENERATIONS - 1) << 1, Ordering::Relaxed);
        let last = table.open(Number(2)).unwrap();
        assert_eq!(table.used(), 1);
        assert_eq!(table.number(last), Ok(2));
        table.close(last).unwrap();
        let next = table.open(Number(3)).unwrap();
        assert_eq!(table.used(), 2);
        for old in [first, last] {
            assert_eq!(table.number(old), Err(VIEWCELL_CLOSED));
            assert_eq!(table.close(old), Err(VIEWCELL_CLOSED));
        }
        assert_eq!(table.number(next), Ok(3));
    }

    #[test]
    fn what_is_no_handle_is_refused() {
        let table = Table::new();
        assert_eq!(table.number(0), Err(VIEWCELL_NULL));
        for handle in [1, usize::MAX, &raw const table as usize] {
            assert_eq!(table.number(handle), Err(VIEWCELL_CLOSED));
        }
        let handle = table.open(Number(7)).unwrap();
        for bit in 0..usize::BITS {
            let other = handle ^ 1 << bit;
            assert!(table.number(other).is_err(), "{other:x}");
            assert!(table.close(other).is_err(), "{other:x}");
        }
        assert_eq!(table.number(handle), Ok(7));
    }

    #[test]
    fn a_full_table_says_so_and_stays_as_it_was() {
        let table = Table::new();
        let handle = table.open(Number(1)).unwrap();
        table.free.lock().unwrap().used = MOST_SLOTS;
        assert_eq!(table.open(Number(2)), Err(VIEWCELL_FULL));
        assert_eq!(table.number(handle), Ok(1));
        table.close(handle).unwrap();
        let again = table.open(Number(3)).unwrap();
        assert_eq!(table.number(again), Ok(3));
    }

    #[test]
    fn slots_follow_each_other_through_all_parts() {
        let slots = if cfg!(miri) { 3000 } else { MOST_SLOTS };
        let (mut part, mut at) = (0, 0);
        for slot in 0..slots {
            let (found, slots, place) = Table::<Number>::part(slot);
            if found != part {
                (part, at) = (part + 1, 0);
            }
            assert!(place < slots);
            assert_eq!((found, place), (part, at));
            at += 1;
        }
        assert_eq!(Table::<Number>::part(MOST_SLOTS - 1).0, PARTS - 1);
    }

    #[test]
    fn of_many_threads_that_close_a_handle_one_does() {
        let table = Table::new();
        let rounds = if cfg!(miri) { 5 } else { 2000 };
        let shared = table.open(Number(u32::MAX)).unwrap();
        for round in 0..rounds {
            let contested = table.open(Number(round)).unwrap();
            let closed = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let (table, closed) = (&table, &closed);
                    scope.spawn(move || {
                        closed.fetch_add(table.close(contested).is_ok().into(), Ordering::Relaxed);
                        // Its slot may have gone to another thread already.
                        let own = table.open(Number(thread)).unwrap();
                        assert_eq!(table.number(contested), Err(VIEWCELL_CLOSED));
                        assert_eq!(table.number(own), Ok(thread));
                        assert_eq!(table.number(shared), Ok(u32::MAX));
                        table.close(own).unwrap();
                    });
                }
            });
            assert_eq!(closed.into_inner(), 1);
        }
        assert!(table.used() <= 6, "{}", table.used());
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// The slow twin: a list of all handles ever given out.
        #[test]
        fn what_is_open_is_what_was_opened_and_not_closed(
            steps in prop::collection::vec((0_u32..3, 0_usize..1000), 0..400),
        ) {
            let table = Table::new();
            let mut handles: Vec<(usize, bool)> = Vec::new();
            let mut most = 0;
            for (step, at) in steps {
                if step == 0 || handles.is_empty() {
                    let handle = table.open(Number(handles.len() as u32)).unwrap();
                    prop_assert!(handles.iter().all(|(other, _)| *other != handle));
                    handles.push((handle, true));
                    most = most.max(handles.iter().filter(|(_, open)| *open).count());
                } else {
                    let at = at % handles.len();
                    let (handle, open) = &mut handles[at];
                    prop_assert_eq!(table.close(*handle).is_ok(), *open);
                    *open = false;
                }
                for (i, (handle, open)) in handles.iter().enumerate() {
                    let expected = open.then_some(i as u32).ok_or(VIEWCELL_CLOSED);
                    prop_assert_eq!(table.number(*handle), expected);
                }
            }
            prop_assert_eq!(table.used(), most);
        }
    }
}
