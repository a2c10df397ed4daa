//! What a handle of C's points to.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

use super::status::{Answer, VIEWCELL_CLOSED, VIEWCELL_NULL};

/// Something that is open until it is closed, at an address that stays its own.
#[derive(Debug)]
pub(super) struct Handle<T> {
    open: AtomicU32,
    /// Boxed, so that little is left of what has been closed.
    value: UnsafeCell<Option<Box<T>>>,
}

const OPEN: u32 = 0x4e45_504f;

impl<T> Handle<T> {
    pub(super) fn new(value: T) -> Self {
        Self {
            open: AtomicU32::new(OPEN),
            value: UnsafeCell::new(Some(Box::new(value))),
        }
    }

    fn check(&self) -> Answer<()> {
        match self.open.load(Ordering::Acquire) {
            OPEN => Ok(()),
            _ => Err(VIEWCELL_CLOSED),
        }
    }

    /// The value, to look at.
    ///
    /// # Safety
    ///
    /// While it is borrowed, nobody may change or close it: the header tells the caller so.
    pub(super) unsafe fn get(&self) -> Answer<&T> {
        self.check()?;
        // Safe as the caller promises.
        unsafe { &*self.value.get() }
            .as_deref()
            .ok_or(VIEWCELL_CLOSED)
    }

    /// The value, to change.
    ///
    /// # Safety
    ///
    /// While it is borrowed, nobody else may use it: the header tells the caller so.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn get_mut(&self) -> Answer<&mut T> {
        self.check()?;
        // Safe as the caller promises.
        unsafe { &mut *self.value.get() }
            .as_deref_mut()
            .ok_or(VIEWCELL_CLOSED)
    }

    /// Drops the value; the handle stays, and says that it is closed.
    ///
    /// # Safety
    ///
    /// Nobody else may use it at the same time: the header tells the caller so.
    pub(super) unsafe fn close(&self) -> Answer<()> {
        self.open
            .compare_exchange(OPEN, 0, Ordering::AcqRel, Ordering::Acquire)
            .map_err(|_| VIEWCELL_CLOSED)?;
        // Safe as the caller promises: whoever comes later finds it closed.
        drop(unsafe { &mut *self.value.get() }.take());
        Ok(())
    }
}

/// What a pointer of the caller's points to.
///
/// # Safety
///
/// Null, or a handle that this library gave out.
pub(super) unsafe fn handle<'a, T>(pointer: *const T) -> Answer<&'a T> {
    // Safe as the caller promises; handles are never freed.
    unsafe { pointer.as_ref() }.ok_or(VIEWCELL_NULL)
}
