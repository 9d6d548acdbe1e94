//! The GPUs that code is made for, and what they have.

use simt::analysis::lockstep::Waves;

/// One of AMD's processors, or one of LLVM's generic ones, whose code runs on all of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// LLVM's name: `gfx1100`.
    pub name: &'static str,
    /// Lanes of a wave: 32, or 64, which are two warps.
    pub wave: u32,
    /// Bytes of LDS that a block may have.
    pub lds: u32,
    pub matrix: MatrixUnit,
    /// There are instructions of images.
    pub images: bool,
}

/// Instructions of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixUnit {
    None,
    /// MFMA of CDNA 1, 2, 3 and 4.
    Mfma1,
    Mfma2,
    Mfma3,
    Mfma4,
    /// WMMA of RDNA 3 and 4.
    Wmma3,
    Wmma4,
}

const KIB: u32 = 1024;

const fn gpu(name: &'static str, wave: u32, lds: u32, matrix: MatrixUnit, images: bool) -> Gpu {
    Gpu { name, wave, lds: lds * KIB, matrix, images }
}

use MatrixUnit::{Mfma1, Mfma2, Mfma3, Mfma4, None as NoMatrix, Wmma3, Wmma4};

/// The family `gfx9-4-generic` has what gfx942 has, gfx950 included.
pub const GPUS: &[Gpu] = &[
    gpu("gfx900", 64, 64, NoMatrix, true),
    gpu("gfx902", 64, 64, NoMatrix, true),
    gpu("gfx906", 64, 64, NoMatrix, true),
    gpu("gfx908", 64, 64, Mfma1, true),
    gpu("gfx90a", 64, 64, Mfma2, true),
    gpu("gfx90c", 64, 64, NoMatrix, true),
    gpu("gfx942", 64, 64, Mfma3, false),
    gpu("gfx950", 64, 160, Mfma4, false),
    gpu("gfx1010", 32, 64, NoMatrix, true),
    gpu("gfx1011", 32, 64, NoMatrix, true),
    gpu("gfx1012", 32, 64, NoMatrix, true),
    gpu("gfx1030", 32, 64, NoMatrix, true),
    gpu("gfx1031", 32, 64, NoMatrix, true),
    gpu("gfx1032", 32, 64, NoMatrix, true),
    gpu("gfx1033", 32, 64, NoMatrix, true),
    gpu("gfx1034", 32, 64, NoMatrix, true),
    gpu("gfx1035", 32, 64, NoMatrix, true),
    gpu("gfx1036", 32, 64, NoMatrix, true),
    gpu("gfx1100", 32, 64, Wmma3, true),
    gpu("gfx1101", 32, 64, Wmma3, true),
    gpu("gfx1102", 32, 64, Wmma3, true),
    gpu("gfx1103", 32, 64, Wmma3, true),
    gpu("gfx1150", 32, 64, Wmma3, true),
    gpu("gfx1151", 32, 64, Wmma3, true),
    gpu("gfx1152", 32, 64, Wmma3, true),
    gpu("gfx1153", 32, 64, Wmma3, true),
    gpu("gfx1200", 32, 64, Wmma4, true),
    gpu("gfx1201", 32, 64, Wmma4, true),
    gpu("gfx9-generic", 64, 64, NoMatrix, true),
    gpu("gfx9-4-generic", 64, 64, Mfma3, false),
    gpu("gfx10-1-generic", 32, 64, NoMatrix, true),
    gpu("gfx10-3-generic", 32, 64, NoMatrix, true),
    gpu("gfx11-generic", 32, 64, Wmma3, true),
    gpu("gfx12-generic", 32, 64, Wmma4, true),
];

impl Gpu {
    /// By LLVM's name, or by HIP's, which may say more: `gfx90a:sramecc+:xnack-`.
    pub fn named(name: &str) -> Option<&'static Gpu> {
        let processor = name.split(':').next().unwrap_or_default();
        GPUS.iter().find(|gpu| gpu.name == processor)
    }

    /// Of the code object. ROCm reads version 5 from 5.7 on; generic processors need version 6, of ROCm 6.3.
    pub fn code_object_version(&self) -> u32 {
        if self.name.ends_with("-generic") { 6 } else { 5 }
    }

    /// Of the functions that are code already: LLVM's generic processor whose code the GPU runs, or the GPU itself.
    pub fn family(&self) -> &'static str {
        match self.name {
            "gfx900" | "gfx902" | "gfx90c" => "gfx9-generic",
            "gfx942" | "gfx950" => "gfx9-4-generic",
            "gfx1010" | "gfx1011" | "gfx1012" => "gfx10-1-generic",
            name if name.ends_with("-generic") => name,
            name if name.starts_with("gfx103") => "gfx10-3-generic",
            name if name.starts_with("gfx11") => "gfx11-generic",
            name if name.starts_with("gfx12") => "gfx12-generic",
            name => name,
        }
    }

    /// A wave holds two warps.
    pub fn is_wave64(&self) -> bool {
        self.wave == 64
    }

    /// The warps of a wave, for analyses.
    pub(crate) fn waves(&self) -> Waves {
        if self.is_wave64() { Waves::TwoWarps } else { Waves::OneWarp }
    }

    /// All names, for those who ask for another one.
    pub fn names() -> String {
        GPUS.iter().map(|gpu| gpu.name).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::Gpu;

    #[test]
    fn processors_have_hip_names_too() {
        let name = |text| Gpu::named(text).map(|gpu| (gpu.name, gpu.wave));
        assert_eq!(name("gfx90a:sramecc+:xnack-"), Some(("gfx90a", 64)));
        assert_eq!(name("gfx1100"), Some(("gfx1100", 32)));
        assert_eq!(name("gfx110"), None);
    }
}
