//! What Python asks of viewcell: the module `viewcell._viewcell`. Arguments are looked at, and words for
//! what is wrong with them are found, in `viewcell/__init__.py`; nothing here trusts that they were.

mod bake;
mod bundle;
mod error;
mod session;
mod sets;
mod watch;

use pyo3::prelude::*;

#[pymodule]
fn _viewcell(module: &Bound<'_, PyModule>) -> PyResult<()> {
    error::add(module)?;
    module.add_class::<bundle::Bundle>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<watch::Watch>()?;
    module.add_function(wrap_pyfunction!(bake::kind_of, module)?)?;
    module.add_function(wrap_pyfunction!(bake::bake_heights, module)?)?;
    module.add_function(wrap_pyfunction!(bake::bake_file, module)?)
}
