//! Files of formats that are not read: what they are, and the command that converts them.

use super::source::WITHOUT_GDAL;

/// A format, how its files begin, and what converts one.
struct Format {
    name: &'static str,
    begins: &'static [&'static [u8]],
    /// Also a text with one of these words at its beginning.
    has: &'static [&'static str],
    remedy: &'static str,
}

/// Of lengths in metres and with y up, as glTF has them.
const ASSIMP: &str = "convert it: `assimp export IN OUT.glb -fglb2`, whose lengths are those of IN, taken as metres; if its z axis is up, \
                      say so with `up`";
const COLLADA: &str = "convert it: `assimp export IN OUT.glb -fglb2`";
const FBX: &str = "convert it: `blender -b --python-expr \"import bpy; bpy.ops.wm.read_factory_settings(use_empty=True); \
                   bpy.ops.import_scene.fbx(filepath='IN'); bpy.ops.export_scene.gltf(filepath='OUT.glb', use_visible=True)\"`";
const USD: &str = "convert it: `blender -b --python-expr \"import bpy; bpy.ops.wm.read_factory_settings(use_empty=True); \
                   bpy.ops.wm.usd_import(filepath='IN'); bpy.ops.export_scene.gltf(filepath='OUT.glb', use_visible=True)\"`";
const BLEND: &str = "export it: `blender -b IN --python-expr \"import bpy; \
                     bpy.ops.export_scene.gltf(filepath='OUT.glb', use_visible=True)\"`";
const CITY: &str = "convert it: `citygml-tools to-cityjson IN`";
const IFC: &str = "convert it: `IfcConvert IN OUT.glb`";

/// The most bytes of a text that are looked at.
const HEAD: usize = 4096;

#[rustfmt::skip]
const FORMATS: &[Format] = &[
    Format { name: "an FBX file", begins: &[b"Kaydara FBX Binary", b"; FBX"], has: &[], remedy: FBX },
    Format { name: "a COLLADA file", begins: &[], has: &["<COLLADA"], remedy: COLLADA },
    Format { name: "a CityGML file", begins: &[], has: &["CityModel"], remedy: CITY },
    Format { name: "an STL file", begins: &[], has: &["facet normal"], remedy: ASSIMP },
    Format { name: "a PLY file", begins: &[b"ply\n", b"ply\r"], has: &[], remedy: ASSIMP },
    Format { name: "an OFF file", begins: &[b"OFF\n", b"OFF\r", b"OFF ", b"COFF"], has: &[], remedy: ASSIMP },
    Format { name: "a file of DirectX", begins: &[b"xof 0"], has: &[], remedy: ASSIMP },
    Format { name: "a file of AC3D", begins: &[b"AC3D"], has: &[], remedy: ASSIMP },
    Format { name: "a file of Blitz3D", begins: &[b"BB3D"], has: &[], remedy: ASSIMP },
    Format { name: "a model of Quake", begins: &[b"IDP2", b"IDP3", b"IDPO"], has: &[], remedy: ASSIMP },
    Format { name: "an X3D or VRML file", begins: &[b"#VRML", b"#X3D"], has: &["<X3D"], remedy: ASSIMP },
    Format { name: "a file of Blender", begins: &[b"BLENDER"], has: &[], remedy: BLEND },
    Format { name: "a USD file", begins: &[b"#usda", b"PXR-USDC"], has: &[], remedy: USD },
    Format { name: "an IFC or STEP file", begins: &[b"ISO-10303-21"], has: &[], remedy: IFC },
];

/// Files that are no mesh and no level, by how they begin.
#[rustfmt::skip]
const OTHERS: &[(&[u8], &str, &str)] = &[
    (b"\x89VC", "a file that viewcell wrote", "`viewcell info IN` tells of which file it was made: bake that"),
    (b"\x76\x2f\x31\x01", "a file that looks like OpenEXR", WITHOUT_GDAL),
    (b"\x89HDF", "a file that looks like HDF5 or NetCDF 4", WITHOUT_GDAL),
    (b"CDF", "a file that looks like NetCDF", WITHOUT_GDAL),
    (b"GRIB", "a file that looks like GRIB", WITHOUT_GDAL),
    (b"\0\0\0\x0cjP  ", "a file that looks like JPEG 2000", WITHOUT_GDAL),
    (b"\xff\xd8\xff", "a JPEG, whose heights would be wrong", "take the heights from where the picture was made of them"),
    (b"EHFA_HEA", "a file that looks like Erdas Imagine", WITHOUT_GDAL),
    (b"DSBB", "a file that looks like a Surfer grid", WITHOUT_GDAL),
    (b"PK\x03\x04", "a zip archive", "unpack it: `unzip IN`"),
    (b"\x1f\x8b", "a file packed by gzip", "unpack it: `gunzip IN`"),
    (b"\x28\xb5\x2f\xfd", "a file packed by zstd", "unpack it: `unzstd IN`"),
    (b"BZh", "a file packed by bzip2", "unpack it: `bunzip2 IN`"),
    (b"\xfd7zXZ\0", "a file packed by xz", "unpack it: `unxz IN`"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it: `7z x IN`"),
];

/// Levels as text, by their first word.
const LEVELS: [(&str, &str, &str); 2] = [
    (
        "Version",
        "a map of Doom 3 or Quake 4",
        "export the level as OBJ, and bake that with `viewcell bake solid`",
    ),
    (
        "versioninfo",
        "a map of Hammer (VMF)",
        "compile it with vbsp, and bake the .bsp",
    ),
];

/// What a level as text is whose format is not read, by its first word after comments, and the remedy.
fn level(text: &str) -> Option<(&'static str, &'static str)> {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("//"))?;
    let word = first.split([' ', '\t', '{']).next();
    let (_, found, remedy) = LEVELS.iter().find(|(head, ..)| word == Some(head))?;
    Some((found, remedy))
}

/// What a file of a format that is not read is, by how it begins and its length, and the remedy.
pub(super) fn other(head: &[u8], length: u64) -> Option<(&'static str, &'static str)> {
    let begins = |(magic, ..): &&(&[u8], _, _)| head.starts_with(magic);
    let found = || OTHERS.iter().find(begins);
    format(head, length).or_else(|| found().map(|(_, name, remedy)| (*name, *remedy)))
}

/// The same of a mesh or a level.
pub(super) fn format(head: &[u8], length: u64) -> Option<(&'static str, &'static str)> {
    let head = &head[..head.len().min(HEAD)];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = String::from_utf8_lossy(head);
    let begins = |format: &&Format| {
        format.begins.iter().any(|magic| head.starts_with(magic))
            || format.has.iter().any(|word| text.contains(word))
    };
    let found = FORMATS.iter().find(begins);
    let number = |at: usize| {
        let bytes = head.get(at..)?.first_chunk::<4>()?;
        Some(u64::from(u32::from_le_bytes(*bytes)))
    };
    if let Some(Format { name, remedy, .. }) = found {
        Some((name, remedy))
    } else if number(80).is_some_and(|faces| faces > 0 && length == 84 + 50 * faces) {
        Some(("an STL file", ASSIMP))
    } else if head.starts_with(b"MM") && number(2) == Some(length) {
        Some(("a 3DS file", ASSIMP))
    } else if head.starts_with(b"FORM") && head.get(8..11) == Some(b"LWO") {
        Some(("a file of LightWave", ASSIMP))
    } else if head.starts_with(b"PK\x03\x04") && text.contains(".usd") {
        Some(("a USD file", USD))
    } else if head.starts_with(b"PK\x03\x04") && text.to_lowercase().contains("3dmodel") {
        Some(("a 3MF file", ASSIMP))
    } else {
        level(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row of the tables, by a file that begins so.
    #[test]
    fn each_format_has_its_own_remedy() {
        for (magic, name, remedy) in OTHERS {
            let head = [magic, &b"      "[..]].concat();
            assert_eq!(other(&head, 99), Some((*name, *remedy)), "{name}");
            assert_eq!(format(&head, 99), None, "{name}");
        }
        for of in FORMATS {
            let words = of.has.iter().map(|word| word.as_bytes());
            for head in words.chain(of.begins.iter().copied()) {
                assert_eq!(other(head, 99), Some((of.name, of.remedy)), "{}", of.name);
            }
        }
        for (word, name, remedy) in LEVELS {
            assert_eq!(other(word.as_bytes(), 99), Some((name, remedy)));
        }
        let stl = [&[b' '; 80][..], &2_u32.to_le_bytes(), &[0; 100]].concat();
        assert_eq!(other(&stl, 184), Some(("an STL file", ASSIMP)));
        assert_eq!(other(b"ncols 3", 99), None);
    }
}
