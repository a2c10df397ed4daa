//! Which instructions the kernels use.

use fearless_simd::Level;

/// Which instructions the kernels use. No choice changes a bit of any result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simd {
    /// The best that the processor has.
    #[default]
    Auto,
    /// AVX-512 as of Ice Lake.
    Avx512,
    /// AVX2 and FMA.
    Avx2,
    /// What every processor of the kind has: SSE2, NEON.
    Baseline,
}

impl Simd {
    /// The level to run kernels at; `None` if the processor does not have it.
    pub fn level(self) -> Option<Level> {
        let best = Level::new();
        match self {
            Self::Auto => Some(best),
            Self::Baseline => Some(Level::baseline()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => best.as_avx512().map(Level::Avx512),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => best.as_avx2().map(Level::Avx2),
            #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
            Self::Avx512 | Self::Avx2 => None,
        }
    }

    /// Its name on the command line; for `Auto` that of the best level.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Baseline => "baseline",
            Self::Auto => [Self::Avx512, Self::Avx2]
                .into_iter()
                .find(|simd| simd.level().is_some())
                .map_or("baseline", Self::name),
        }
    }
}

/// Calls a kernel (`#[simd]`) at a level. Each level is machine code of its own: x86 has the three
/// of [`Simd`], since those between them are rare and compiling takes long.
macro_rules! at_level {
    ($level:expr, $simd:ident => $call:expr) => {{
        let level: fearless_simd::Level = $level;
        #[cfg(target_arch = "x86_64")]
        if let Some($simd) = level.as_avx512() {
            $call
        } else if let Some($simd) = level.as_avx2() {
            $call
        } else {
            let $simd = level.as_sse2().expect("every x86-64 has SSE2");
            $call
        }
        #[cfg(not(target_arch = "x86_64"))]
        fearless_simd::dispatch!(level, $simd => $call)
    }};
}
pub(crate) use at_level;
