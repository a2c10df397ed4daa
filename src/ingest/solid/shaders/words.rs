//! Words of shader scripts: what each says of sight, for all engines in one table.
//!
//! A word that is in no row may let sight through in an engine that is not known: its shader hides nothing. Most words
//! say nothing of sight, and are here so that walls with them hide.
//!
//! Sources: the renderers of Quake III, Quake3e, ET: Legacy, Daemon, OpenJK, OpenMoHAA (tr_shader), qfusion (r_shader)
//! and DarkPlaces (model_shared); q3map2 for `q3map_*` and `surfaceparm`.

/// What a word between the braces of a shader says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// Nothing of sight.
    Nothing,
    /// Nothing of sight, nor does what follows on its line.
    Line,
    /// Sight goes through, or it is drawn elsewhere or at times only.
    Through,
    /// It is drawn from behind as well.
    TwoSided,
    /// It has a value: of `surfaceparm`.
    Parm,
    /// Which side is drawn.
    Cull,
    /// When it is drawn.
    Sort,
    /// A stage of one image.
    Stage(Covers),
}

/// What a stage does to the surface below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Covers {
    /// All of it, as long as no word says otherwise.
    All,
    /// Some of it, or none: one sees what is below.
    Some,
    /// Nothing that one can rely on: the next stage decides.
    Next,
}

/// Words of shaders. What ends with `*` begins so.
#[rustfmt::skip]
pub(super) const SHADER: &[(Says, &[&str])] = &[
    (Says::Through, &[
        // Drawn elsewhere than the level says.
        "deformvertexes", "deform", "q3map_offset", "q3map_invert",
        // Another shader in its place, or none.
        "q3map_remapshader", "q3map_baseshader", "q3map_deprecateshader", "when", "template",
        "if", "ifstatic", "ifcvar", "ifcvarnot", "elif", "else", "endif", "distancecull", "spectrum",
        "dpshaderkillifcvar*", "dpnoshaderkillifcvar*",
        // What is behind it, or another place.
        "fogparms", "fogonly", "portal", "mirror", "translucent", "refractive", "dprefract", "dpreflect",
        "dpwater", "dpcamera", "decal_macro", "decal_alphatest_macro",
        // Lights, which are no surfaces.
        "blendlight", "foglight", "ambientlight", "volumetriclight", "lightfalloffimage",
        "backsided",
    ]),
    (Says::TwoSided, &["twosided"]),
    (Says::Parm, &["surfaceparm"]),
    (Says::Cull, &["cull"]),
    (Says::Sort, &["sort"]),
    (Says::Stage(Covers::All), &["implicitmap", "diffusemap"]),
    (Says::Stage(Covers::Some), &["implicitmask", "implicitblend"]),
    (Says::Stage(Covers::Next), &[
        "normalmap", "bumpmap", "specularmap", "glowmap", "reflectionmap", "reflectionmapblended", "dpreflectcube",
    ]),
    (Says::Line, &[
        "qer*", "q3map*", "q3gl2*", "dp*", "vmap*", "xmap*", "description", "renderbump", "guisurf", "skyparms*",
        "hitlocation", "hitmaterial", "material", "materialtype", "decalinfo", "sun", "sunshader", "fogvars",
        "skyfogvars", "waterfogvars", "foggradient", "tesssize", "parallax", "lightcolor", "spritegen",
    ]),
    (Says::Nothing, &[
        "light", "nopicmip", "nomipmap", "nomipmaps", "nocompress", "allowcompress", "fitscreen", "nofiltering",
        "imagemindimension", "imagemaxdimension", "smallestmipmapsize", "highquality", "forcehighquality",
        "uncompressed", "nearest", "linear", "force32bit", "polygonoffset", "entitymergable", "nomerge", "notc",
        "clamp", "noclamp", "edgeclamp", "zeroclamp", "alphazeroclamp", "clamptime", "implicitmapgl1",
        "noshadow", "noshadows", "noselfshadow", "forceshadows", "stencilshadows", "nomodulativedlights",
        "nooverlays", "forceoverlays", "nofragment", "forceopaque", "forcesolid", "solid", "unsmoothedtangents",
        "novlcollapse", "nofog", "noglfog", "noportalfog", "surfacelight", "surfacedensity", "subdivisions",
        "lightgridmulamb", "lightgridmuldir", "glossexponent", "glossintensity", "offsetmappingscale",
    ]),
];

/// What a word between the braces of a stage says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InStage {
    /// Nothing of sight.
    Nothing,
    /// An image, named next.
    Map,
    /// How it is mixed with what is below, or what sort of image it is, in words that follow.
    Blend,
    /// How its depth is compared.
    DepthFunc,
    /// What sort of stage it is.
    Kind,
    Is(Covers),
}

#[rustfmt::skip]
pub(super) const STAGE: &[(InStage, &[&str])] = &[
    (InStage::Map, &[
        "map", "clampmap", "clampmapx", "clampmapy", "map16", "map32", "mapcomp", "mapnocomp", "lightmap", "videomap",
        "diffusemap", "colormap", "cubemap", "cameracubemap", "shadecubemap",
    ]),
    (InStage::Blend, &["blendfunc", "blend"]),
    (InStage::DepthFunc, &["depthfunc"]),
    (InStage::Kind, &["stage"]),
    (InStage::Is(Covers::Some), &[
        "alphafunc", "alphatest", "alphamap", "depthfade", "maskdepth", "nodepthtest",
        // What is behind it, or another place.
        "screenmap", "portalmap", "mirrormap", "heathazemap", "liquidmap", "skyboxmap", "refractionmap",
        "dispersionmap", "distortion", "remoterendermap", "mirrorrendermap",
        // Programs, which may do anything.
        "program", "vertexprogram", "fragmentprogram", "fragmentmap", "megatexture",
    ]),
    (InStage::Is(Covers::Next), &[
        "detail", "if", "ifstatic", "ifcvar", "ifcvarnot", "wireframe", "polymode", "dlight", "surfacesprites", "stencil",
        "maskred", "maskgreen", "maskblue", "maskcolor", "maskcoloralpha", "reflectionmap", "reflectionmapblended",
        "attenuationmapxy", "attenuationmapz",
    ]),
    (InStage::Nothing, &[
        "animmap", "animmapcomp", "animmapnocomp", "animmaponce", "animmapphase", "oneshotanimmap", "clampanimmap",
        "animclampmap", "oneshotclampanimmap", "normalmap", "normalheightmap", "normalparallaxmap", "bumpmap",
        "bumpparallaxmap", "heightmap", "specularmap", "specmap", "physicalmap", "glowmap", "rmomap", "rmosmap",
        "moxrmap", "mosrmap", "ormmap", "ormsmap", "nextbundle", "material", "glow", "gloss", "roughness", "cloth",
        "rgbgen", "rawrgbgen", "linearrgbgen", "rawcolormap", "linearcolormap", "rawspecularmap", "linearspecularmap",
        "alphagen", "tcgen", "texgen", "tcmod", "scroll", "translate", "scale", "centerscale", "shear", "rotate",
        "red", "green", "blue", "alpha", "rgb", "rgba", "color", "colored", "vertexcolor", "inversevertexcolor",
        "vertexparm", "depthwrite", "maskalpha", "ignorealphatest", "privatepolygonoffset", "nopicmip", "nomipmap",
        "nomipmaps", "nearest", "linear", "clamp", "noclamp", "edgeclamp", "zeroclamp", "alphazeroclamp", "fitscreen",
        "uncompressed", "highquality", "forcehighquality", "fog", "nolightmap", "grayscale", "greyscale",
        "specularexponent", "specularexponentmin", "specularexponentmax", "specularscale", "specularreflectance",
        "refractionindex", "fresnelpower", "fresnelscale", "fresnelbias", "normalformat", "normalscale",
        "normalintensity", "normalzfade", "parallaxbias", "parallaxdepth", "depthscale", "deformmagnitude",
        "fogdensity", "blurmagnitude", "wraparoundlighting", "ss*", "force32bit",
    ]),
];

/// Kinds of stages, behind `stage` and `blend`: images that go into the light of the one that covers.
const KINDS: &[(Covers, &[&str])] = &[
    (Covers::All, &["diffusemap", "colormap"]),
    (
        Covers::Next,
        &[
            "normalmap",
            "bumpmap",
            "specularmap",
            "physicalmap",
            "glowmap",
            "reflectionmap",
        ],
    ),
];

/// What a value of `surfaceparm` says of the brushes that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solid) enum Surface {
    /// Nothing: materials, sounds, how it is lit.
    Wall,
    /// Sight goes through.
    Through,
    /// It is no wall: a liquid, a mark for the compiler.
    NoWall,
    /// One walks through it.
    NonSolid,
    /// It stops players, and is not drawn.
    Clip,
    /// It is put into the level after the compiler has found out who sees whom.
    Detail,
    Sky,
    /// It is not drawn.
    Undrawn,
}

#[rustfmt::skip]
pub(super) const SURFACE: &[(Surface, &[&str])] = &[
    (Surface::Through, &[
        "trans", "translucent", "alphashadow", "lightfilter", "nonopaque", "glass", "forcefield", "forcesight",
        "dmgthrough",
    ]),
    (Surface::NoWall, &[
        "lava", "slime", "slag", "water", "blood", "liquid", "fog", "areaportal", "clusterportal", "antiportal",
        "donotenter", "donotenterlarge", "botclip", "monsterclip", "origin", "trigger", "flashlight_trigger",
        "terrain", "abseil", "inside", "outside", "ai_nosight", "ai_nopass", "ai_nopasslarge", "noalienbuild",
        "nohumanbuild", "nobuild", "aassolid", "aasobstacle",
    ]),
    (Surface::NonSolid, &["nonsolid", "nodrop", "shotclip", "clipshot", "clipmissile", "ladder"]),
    (Surface::Clip, &["playerclip"]),
    (Surface::Detail, &["detail"]),
    (Surface::Sky, &["sky"]),
    (Surface::Undrawn, &["nodraw", "hint", "skip"]),
    (Surface::Wall, &[
        "structural", "slick", "noimpact", "nomarks", "nooverlays", "nodamage", "nosteps", "nolightmap", "pointlight",
        "nodlight", "lightgrid", "dust", "flesh", "splash", "rubble", "landmine", "nomiscents", "nomipmaps", "discrete",
        "nullnormal", "default", "nobuildsurface", "noalienbuildsurface", "nohumanbuildsurface", "monsterslick*",
        "noob", "ob", "antidecal", "*steps", "metal", "wood", "stone", "brick", "tile", "rock", "gravel", "grass",
        "dirt", "mud", "sand", "snow", "ice", "concrete", "cement", "asphalt", "carpet", "cardboard", "paper",
        "plastic", "rubber", "ceramic", "roof", "pavement", "clay", "iron", "steel", "tin", "aluminum", "copper",
        "brass", "titanium", "hardwood", "cloth", "ricochet",
    ]),
];

/// What a word in lower case says in a shader; none if it is not known.
pub(super) fn in_shader(word: &str) -> Option<Says> {
    find(SHADER, word)
}

/// What a word in lower case says in a stage; none if it is not known.
pub(super) fn in_stage(word: &str) -> Option<InStage> {
    find(STAGE, word)
}

/// What sort of stage a word names; none if it is not known.
pub(super) fn kind(word: &str) -> Option<Covers> {
    find(KINDS, word)
}

/// What a value of `surfaceparm` in lower case says; none if it is not known.
pub(in crate::solid) fn surface(value: &str) -> Option<Surface> {
    find(SURFACE, value)
}

fn find<T: Copy>(table: &[(T, &[&str])], word: &str) -> Option<T> {
    let is = |row: &&str| match (row.strip_prefix('*'), row.strip_suffix('*')) {
        (Some(end), _) => word.ends_with(end),
        (_, Some(start)) => word.starts_with(start),
        _ => *row == word,
    };
    let mut rows = table.iter();
    rows.find_map(|(says, words)| words.iter().any(is).then_some(*says))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_in_two_rows() {
        fn once<T>(table: &[(T, &[&str])]) {
            let mut all: Vec<&str> = table
                .iter()
                .flat_map(|(_, words)| *words)
                .copied()
                .collect();
            all.sort_unstable();
            for pair in all.windows(2) {
                assert_ne!(pair[0], pair[1]);
            }
            for word in all {
                assert_eq!(word, word.to_ascii_lowercase());
            }
        }
        once(SHADER);
        once(STAGE);
        once(KINDS);
        once(SURFACE);
    }

    #[test]
    fn words_are_found_by_their_beginning_or_end() {
        assert_eq!(in_shader("q3map_surfacelight"), Some(Says::Line));
        assert_eq!(in_shader("q3map_offset"), Some(Says::Through));
        assert_eq!(in_shader("dpwater"), Some(Says::Through));
        assert_eq!(in_shader("dpoffsetmapping"), Some(Says::Line));
        assert_eq!(surface("metalsteps"), Some(Surface::Wall));
        assert_eq!(in_stage("ssfademax"), Some(InStage::Nothing));
        assert_eq!(in_shader("frobnicate"), None);
    }
}
