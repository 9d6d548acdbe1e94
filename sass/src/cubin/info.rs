//! Attributes in `.nv.info` and `.nv.info.NAME`.
//!
//! Each begins with four bytes: a format, a number, and a value of two bytes; format 4 has as many bytes behind as the value
//! says. Words are little-endian.

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Such as [`code::REGCOUNT`].
    pub code: u8,
    /// The bytes of a sized entry, the one or two of a short one, or none.
    pub value: Vec<u8>,
}

/// The numbers of attributes (`EIATTR_*`).
pub mod code {
    pub const CTAIDZ_USED: u8 = 0x04;
    pub const MAX_THREADS: u8 = 0x05;
    pub const PARAM_CBANK: u8 = 0x0a;
    pub const EXTERNS: u8 = 0x0f;
    pub const REQNTID: u8 = 0x10;
    pub const FRAME_SIZE: u8 = 0x11;
    pub const MIN_STACK_SIZE: u8 = 0x12;
    pub const KPARAM_INFO: u8 = 0x17;
    pub const CBANK_PARAM_SIZE: u8 = 0x19;
    pub const MAXREG_COUNT: u8 = 0x1b;
    pub const EXIT_INSTR_OFFSETS: u8 = 0x1c;
    pub const CRS_STACK_SIZE: u8 = 0x1e;
    pub const MAX_STACK_SIZE: u8 = 0x23;
    pub const COOP_GROUP_INSTR_OFFSETS: u8 = 0x28;
    pub const COOP_GROUP_MASK_REGIDS: u8 = 0x29;
    pub const REGCOUNT: u8 = 0x2f;
    pub const INDIRECT_BRANCH_TARGETS: u8 = 0x34;
    pub const CTA_PER_CLUSTER: u8 = 0x3d;
    pub const EXPLICIT_CLUSTER: u8 = 0x3e;
    pub const SYSCALL_OFFSETS: u8 = 0x46;
    pub const NUM_BARRIERS: u8 = 0x4c;
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Which one, from 0 on.
    pub ordinal: u16,
    /// From the beginning of the parameters, in bytes.
    pub offset: u16,
    /// In bytes.
    pub size: u32,
}

/// Where parameters lie in bank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterBank {
    pub offset: u16,
    pub size: u16,
}

/// A jump by a register, and where it may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndirectBranch {
    /// The offset of the instruction.
    pub offset: u32,
    pub targets: Vec<u32>,
}

/// What the file says of a function. Offsets are those in the section of code, symbols are indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// By their ordinals.
    pub parameters: Vec<Parameter>,
    pub parameter_bank: Option<ParameterBank>,
    /// Bytes of local memory of the function alone.
    pub frame_size: u32,
    /// Bytes of local memory that a thread needs at least, with what is called; none where nobody knows, as with recursion.
    pub min_stack_size: Option<u32>,
    pub registers: Option<u32>,
    pub max_registers: Option<u16>,
    /// Threads of a block at most (`.maxntid`), as x, y and z.
    pub max_threads: Option<[u32; 3]>,
    /// Threads of a block exactly (`.reqntid`).
    pub required_threads: Option<[u32; 3]>,
    /// Blocks of a cluster, by axis (`.reqnctapercluster`).
    pub required_blocks: Option<[u32; 3]>,
    /// It is launched in clusters (`.explicitcluster`).
    pub has_clusters: bool,
    /// Barriers of a block.
    pub barriers: u8,
    /// System calls and other functions from outside.
    pub externs: Vec<u32>,
    pub exits: Vec<u32>,
    /// Calls of the system.
    pub system_calls: Vec<u32>,
    /// Instructions that work on all lanes that are active together, as shuffles.
    pub cooperative: Vec<u32>,
    pub indirect_branches: Vec<IndirectBranch>,
    /// All others.
    pub others: Vec<Attribute>,
}

/// The entries of a section. After an error there are no more.
pub(super) fn attributes(data: &[u8]) -> impl Iterator<Item = Result<Attribute, &'static str>> {
    let mut rest = data;
    std::iter::from_fn(move || {
        let ([format, code, low, high], after) = match rest.split_first_chunk() {
            Some((head, after)) => (*head, after),
            None if rest.is_empty() => return None,
            None => {
                rest = &[];
                return Some(Err("an attribute is cut off"));
            }
        };
        let (value, after) = match format {
            1 => (Vec::new(), after),
            2 => (vec![low], after),
            3 => (vec![low, high], after),
            4 => match after.split_at_checked(u16::from_le_bytes([low, high]).into()) {
                Some((value, after)) => (value.to_vec(), after),
                None => {
                    rest = &[];
                    return Some(Err("an attribute ends outside"));
                }
            },
            _ => {
                rest = &[];
                return Some(Err("an attribute has an unknown format"));
            }
        };
        rest = after;
        Some(Ok(Attribute { code, value }))
    })
}

impl Attribute {
    fn words(&self) -> Vec<u32> {
        self.value.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    fn word(&self, index: usize) -> Result<u32, &'static str> {
        self.words().get(index).copied().ok_or("an attribute is too short")
    }

    fn half(&self) -> Result<u16, &'static str> {
        self.value
            .first_chunk()
            .map(|bytes| u16::from_le_bytes(*bytes))
            .ok_or("an attribute is too short")
    }

    /// The symbol that an attribute of the whole file is about.
    pub(super) fn symbol(&self) -> Option<usize> {
        let is_of_one = matches!(
            self.code,
            code::FRAME_SIZE | code::MIN_STACK_SIZE | code::MAX_STACK_SIZE | code::REGCOUNT
        );
        is_of_one.then(|| self.word(0).ok()).flatten().map(|symbol| symbol as usize)
    }

    /// Up to three extents; those that are missing are 1.
    fn extents(&self) -> [u32; 3] {
        let words = self.words();
        std::array::from_fn(|index| words.get(index).copied().unwrap_or(1))
    }
}

impl Info {
    /// Adds what an entry says. An error says what is wrong with it.
    pub(super) fn add(&mut self, attribute: Attribute) -> Result<(), &'static str> {
        match attribute.code {
            code::KPARAM_INFO => {
                // The index, then the ordinal and the offset, then alignment, bank and size.
                let place = attribute.word(1)?;
                let (ordinal, offset) = (place as u16, (place >> 16) as u16);
                let size = attribute.word(2)? >> 18;
                let at = self.parameters.partition_point(|known| known.ordinal < ordinal);
                if self.parameters.get(at).is_some_and(|known| known.ordinal == ordinal) {
                    return Err("a parameter is there twice");
                }
                self.parameters.insert(at, Parameter { ordinal, offset, size });
            }
            code::PARAM_CBANK => {
                let place = attribute.word(1)?;
                self.parameter_bank =
                    Some(ParameterBank { offset: place as u16, size: (place >> 16) as u16 });
            }
            code::FRAME_SIZE => self.frame_size = attribute.word(1)?,
            code::MIN_STACK_SIZE => {
                self.min_stack_size = Some(attribute.word(1)?).filter(|size| *size != u32::MAX);
            }
            code::REGCOUNT => self.registers = Some(attribute.word(1)?),
            code::MAXREG_COUNT => self.max_registers = Some(attribute.half()?),
            code::MAX_THREADS => self.max_threads = Some(attribute.extents()),
            code::REQNTID => self.required_threads = Some(attribute.extents()),
            code::CTA_PER_CLUSTER => self.required_blocks = Some(attribute.extents()),
            code::EXPLICIT_CLUSTER => self.has_clusters = true,
            code::NUM_BARRIERS => self.barriers = attribute.value.first().copied().unwrap_or(0),
            code::EXTERNS => self.externs.extend(attribute.words()),
            code::EXIT_INSTR_OFFSETS => self.exits.extend(attribute.words()),
            code::SYSCALL_OFFSETS => self.system_calls.extend(attribute.words()),
            code::COOP_GROUP_INSTR_OFFSETS => self.cooperative.extend(attribute.words()),
            code::INDIRECT_BRANCH_TARGETS => {
                let words = attribute.words();
                let mut rest = &words[..];
                // The offset, two halves that are zero, how many targets, and these.
                while let [offset, _, count, after @ ..] = rest {
                    let (targets, after) = after
                        .split_at_checked(*count as usize)
                        .ok_or("targets of a branch end outside")?;
                    self.indirect_branches
                        .push(IndirectBranch { offset: *offset, targets: targets.to_vec() });
                    rest = after;
                }
                if !rest.is_empty() {
                    return Err("a branch is cut off");
                }
            }
            _ => self.others.push(attribute),
        }
        Ok(())
    }
}
