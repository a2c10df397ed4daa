//! `.vcb` files as resources: in the editor, and in exported games from their packs.

use std::cell::RefCell;

use godot::classes::{IResourceFormatLoader, ResourceLoader};
use godot::global;
use godot::prelude::*;

use crate::bundle::ViewcellBundle;

/// Loads `.vcb` files: `load("res://level.vcb")` gives a `ViewcellBundle`.
#[derive(GodotClass)]
#[class(tool, init, base = ResourceFormatLoader)]
struct ViewcellLoader {}

#[godot_api]
impl IResourceFormatLoader for ViewcellLoader {
    fn get_recognized_extensions(&self) -> PackedStringArray {
        PackedStringArray::from(&[GString::from("vcb")])
    }

    fn handles_type(&self, type_: StringName) -> bool {
        ["ViewcellBundle", "Resource"].contains(&type_.to_string().as_str())
    }

    fn get_resource_type(&self, path: GString) -> GString {
        let is_ours = path.to_string().to_lowercase().ends_with(".vcb");
        GString::from(if is_ours { "ViewcellBundle" } else { "" })
    }

    fn load(&self, path: GString, _original_path: GString, _threads: bool, _cache: i32) -> Variant {
        let mut bundle = ViewcellBundle::new_gd();
        // Why it is none has been said by then.
        match bundle.bind_mut().open(path) {
            global::Error::OK => {}
            error => return error.to_variant(),
        }
        bundle.to_variant()
    }
}

thread_local! {
    /// Registered with the engine, which asks for it again when the library is let go.
    static LOADER: RefCell<Option<Gd<ViewcellLoader>>> = const { RefCell::new(None) };
}

pub fn register() {
    let loader = ViewcellLoader::new_gd();
    ResourceLoader::singleton().add_resource_format_loader(&loader);
    LOADER.set(Some(loader));
}

pub fn unregister() {
    if let Some(loader) = LOADER.take() {
        ResourceLoader::singleton().remove_resource_format_loader(&loader);
    }
}
