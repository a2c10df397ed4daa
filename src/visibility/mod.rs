//! World to who-sees-whom: the kernels, each beside a slow exact twin.
