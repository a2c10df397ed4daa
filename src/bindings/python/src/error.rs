//! Exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError};
use pyo3::prelude::*;
use viewcell::query::OpenError;

create_exception!(
    viewcell,
    ViewcellError,
    PyException,
    "What went wrong with a bundle or a bake."
);
create_exception!(
    viewcell,
    FormatError,
    ViewcellError,
    "No bundle, or a damaged one."
);
create_exception!(
    viewcell,
    KindError,
    ViewcellError,
    "Cells where a terrain is wanted, or the other way round."
);
create_exception!(
    viewcell,
    ClosedError,
    ViewcellError,
    "The bundle was closed."
);
create_exception!(
    viewcell,
    OutsideError,
    ViewcellError,
    "A place off the map."
);
create_exception!(
    viewcell,
    VoidError,
    ViewcellError,
    "A void: no terrain, nobody stands there."
);
create_exception!(
    viewcell,
    BakeError,
    ViewcellError,
    "Why a bake ended without a bundle."
);

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("ViewcellError", py.get_type::<ViewcellError>())?;
    module.add("FormatError", py.get_type::<FormatError>())?;
    module.add("KindError", py.get_type::<KindError>())?;
    module.add("ClosedError", py.get_type::<ClosedError>())?;
    module.add("OutsideError", py.get_type::<OutsideError>())?;
    module.add("VoidError", py.get_type::<VoidError>())?;
    module.add("BakeError", py.get_type::<BakeError>())
}

/// What the file system says becomes an `OSError` of the kind that Python has for it.
pub fn of_open(error: OpenError) -> PyErr {
    match error {
        OpenError::Io { path, error } => match error.raw_os_error() {
            Some(number) => PyOSError::new_err((number, error.to_string(), path)),
            None => PyOSError::new_err(format!("{}: {error}", path.display())),
        },
        error => FormatError::new_err(error.to_string()),
    }
}
