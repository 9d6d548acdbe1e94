//! The instructions that the processor has, as its name and features say.

use crate::Options;

impl Options {
    fn has(&self, feature: &str, from_level: u32) -> bool {
        let mut has = match self.cpu.as_str() {
            "haswell" => from_level <= 3,
            cpu => cpu
                .strip_prefix("x86-64-v")
                .and_then(|level| level.parse::<u32>().ok())
                .is_some_and(|level| level >= from_level),
        };
        for word in self.features.split(',') {
            match word.split_at_checked(1) {
                Some(("+", name)) if name == feature => has = true,
                Some(("-", name)) if name == feature => has = false,
                _ => {}
            }
        }
        has
    }

    /// The processor has AVX2.
    pub(crate) fn avx2(&self) -> bool {
        self.has("avx2", 3)
    }

    /// The processor has AVX-512F.
    pub(crate) fn avx512(&self) -> bool {
        self.has("avx512f", 4)
    }

    /// The processor has fused multiply-adds.
    pub(crate) fn fuses(&self) -> bool {
        self.has("fma", 3)
    }

    /// The processor converts to and from half precision.
    pub(crate) fn converts_half(&self) -> bool {
        self.has("f16c", 3)
    }

    /// The processor computes with half precision.
    pub(crate) fn computes_half(&self) -> bool {
        // No level of x86-64 has it.
        self.has("avx512fp16", u32::MAX) && self.has("avx512vl", 4)
    }

    /// The processor tells zeros and NaNs from other floats by an instruction.
    pub(crate) fn classifies(&self) -> bool {
        self.has("avx512dq", 4)
    }

    /// The processor masks loads and stores of elements of `size` bytes.
    pub(crate) fn masks_rows_of(&self, size: u64) -> bool {
        match size {
            4 | 8 => self.avx2(),
            1 | 2 => self.has("avx512bw", 4),
            _ => false,
        }
    }

    /// The processor keeps masks of 32 lanes in registers of their own.
    pub(crate) fn has_mask_registers(&self) -> bool {
        self.has("avx512bw", 4)
    }

    /// The processor gathers elements of `size` bytes.
    pub(crate) fn gathers(&self, size: u64) -> bool {
        matches!(size, 4 | 8) && self.avx2()
    }

    /// The processor scatters elements of `size` bytes.
    pub(crate) fn scatters(&self, size: u64) -> bool {
        matches!(size, 4 | 8) && self.avx512()
    }

    /// The features, with what tells LLVM to use gathers where they were asked for.
    pub(crate) fn target_features(&self) -> String {
        if !self.avx2() {
            return self.features.clone();
        }
        let separator = if self.features.is_empty() { "" } else { "," };
        format!("{}{separator}+fast-gather", self.features)
    }

    /// Bits of the vectors that LLVM should use.
    pub(crate) fn vector_width(&self) -> u32 {
        if self.avx512() { 512 } else { 256 }
    }

    /// How many warps may go on together, if each keeps so many bytes in registers, of which half are for what is computed.
    pub(crate) fn warps_that_fit(&self, kept: u64) -> Option<u64> {
        let width = u64::from(self.vector_width()) / 8;
        let registers = if self.avx512() { 32 } else { 16 };
        [4, 2].into_iter().find(|warps| 2 * warps * kept <= width * registers)
    }
}
