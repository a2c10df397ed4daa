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
    /// SSE 4.2.
    Sse42,
    /// None: one lane at a time.
    Scalar,
}

impl Simd {
    /// The level to run kernels at; `None` if the processor does not have it.
    pub fn level(self) -> Option<Level> {
        let best = Level::new();
        match self {
            Self::Auto => Some(best),
            Self::Scalar => Some(Level::fallback()),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => best.as_avx512().map(Level::Avx512),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => best.as_avx2().map(Level::Avx2),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse42 => best.as_sse4_2().map(Level::Sse4_2),
            #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
            Self::Avx512 | Self::Avx2 | Self::Sse42 => None,
        }
    }

    /// Its name on the command line; for `Auto` that of the best level.
    pub fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Sse42 => "sse4.2",
            Self::Scalar => "scalar",
            Self::Auto => [Self::Avx512, Self::Avx2, Self::Sse42]
                .into_iter()
                .find(|simd| simd.level().is_some())
                .map_or("auto", Self::name),
        }
    }
}
