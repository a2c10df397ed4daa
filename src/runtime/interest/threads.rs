//! Two things at a time.

/// Does two things, at the same time if `together`.
pub(super) fn both(together: bool, one: impl FnOnce() + Send, other: impl FnOnce()) {
    if together {
        std::thread::scope(|scope| {
            scope.spawn(one);
            other();
        });
    } else {
        one();
        other();
    }
}
