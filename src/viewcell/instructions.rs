//! Runtime dispatch on the processor's instruction set (AVX2 on x86-64): kernels are compiled once more with wider SIMD, and
//! that is called where the processor has it.
//!
//! A kernel is a closure that is always inlined, so that it is compiled with the instructions of the function around it. AVX2
//! brings lanes of eight and no fused multiply-add, so that answers are the same, bit for bit.

/// Which instructions kernels are to use: found out once, for it takes longer than a small kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instructions {
    #[cfg(target_arch = "x86_64")]
    has_avx2: bool,
}

impl Instructions {
    /// Those of this processor.
    pub(crate) fn detect() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            has_avx2: std::arch::is_x86_feature_detected!("avx2"),
        }
    }

    /// Calls a kernel with these.
    #[inline(always)]
    pub(crate) fn vectorize<T>(self, kernel: impl FnOnce() -> T) -> T {
        #[cfg(target_arch = "x86_64")]
        if self.has_avx2 {
            // SAFETY: the processor has AVX2, as `detect` found out.
            #[allow(unsafe_code)]
            return unsafe { with_avx2(kernel) };
        }
        kernel()
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<T>(kernel: impl FnOnce() -> T) -> T {
    kernel()
}
