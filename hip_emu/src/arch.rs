//! The differences between generations of AMD GPUs, as far as the machine has to know.

/// A generation of instruction sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// gfx900, gfx906, gfx908
    Gfx9,
    Gfx90a,
    /// gfx942, gfx950
    Gfx940,
    Gfx10,
    Gfx11,
    Gfx12,
}

/// An architecture that is emulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arch {
    /// `gfx1100`
    pub name: String,
    pub generation: Generation,
    /// Lanes of a wave.
    pub lanes: usize,
}

impl Arch {
    /// By the name that LLVM and HIP have for it.
    pub fn parse(name: &str) -> Option<Arch> {
        let number = name.strip_prefix("gfx")?;
        let generation = match number {
            "900" | "906" | "908" => Generation::Gfx9,
            "90a" => Generation::Gfx90a,
            "942" | "950" => Generation::Gfx940,
            "1010" | "1030" | "1031" | "1032" => Generation::Gfx10,
            "1100" | "1101" | "1102" | "1103" | "1150" | "1151" => Generation::Gfx11,
            "1200" | "1201" => Generation::Gfx12,
            _ => return None,
        };
        let lanes = if generation <= Generation::Gfx940 { 64 } else { 32 };
        Some(Arch { name: name.to_owned(), generation, lanes })
    }

    /// Whether `v0` holds all three numbers of a work item, 10 bits each.
    pub fn packs_work_items(&self) -> bool {
        match self.generation {
            Generation::Gfx9 | Generation::Gfx10 => false,
            Generation::Gfx90a | Generation::Gfx940 | Generation::Gfx11 | Generation::Gfx12 => true,
        }
    }

    /// Whether the hardware itself gives each wave its scratch memory, so that scratch instructions need no
    /// address from the kernel.
    pub fn has_architected_scratch(&self) -> bool {
        matches!(self.generation, Generation::Gfx940 | Generation::Gfx11 | Generation::Gfx12)
    }

    /// Whether numbers of workgroups come in trap registers.
    pub fn has_architected_groups(&self) -> bool {
        self.generation == Generation::Gfx12
    }

    /// Whether results of 16 bits clear the upper half of their register.
    pub fn clears_upper_half(&self) -> bool {
        self.generation <= Generation::Gfx940
    }

    /// Whether formats of eight bits have no negative zero, whose bits are NaN.
    pub fn has_unsigned_zeros(&self) -> bool {
        self.name == "gfx942"
    }

    /// Whether `v_cmpx` writes a mask besides EXEC.
    pub fn cmpx_writes_mask(&self) -> bool {
        self.generation <= Generation::Gfx940
    }
}
