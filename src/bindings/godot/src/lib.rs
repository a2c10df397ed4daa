//! The extension for Godot: the classes `ViewcellBundle` and `ViewcellSession`, and a loader of `.vcb` files.

mod bundle;
mod loader;
mod session;

use godot::prelude::*;

struct Viewcell;

// SAFETY: as long as Godot calls the library's entry point and nobody else does.
#[gdextension]
unsafe impl ExtensionLibrary for Viewcell {
    fn on_stage_init(stage: InitStage) {
        if stage == InitStage::Scene {
            loader::register();
        }
    }

    fn on_stage_deinit(stage: InitStage) {
        if stage == InitStage::Scene {
            loader::unregister();
        }
    }
}
