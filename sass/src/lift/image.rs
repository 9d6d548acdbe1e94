//! What lifting has to know of a module of machine code.

use crate::decode::Encoding;
use crate::flow::{Callees, Code, Place};
use std::collections::{BTreeMap, BTreeSet};

/// A module of machine code.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The architecture of the PTX that it was made of: 80 for sm_80; 0 where that is not known.
    pub compiled_for: u8,
    /// Of its code, which is decoded; it says of which architecture that is.
    pub encoding: Encoding,
    pub code: Vec<Code>,
    pub kernels: Vec<Kernel>,
    pub variables: Vec<Variable>,
    /// Textures and surfaces that programs bind by name.
    pub references: Vec<Reference>,
    /// What bank 4 holds, by offset.
    pub addresses: BTreeMap<u32, Named>,
    /// The kinds of relocations that put something else into bank 4, by offset.
    pub unknown: BTreeMap<u32, u32>,
    /// Instructions whose number is half an address.
    pub halves: BTreeMap<Place, Half>,
    /// Calls of what the driver has, with its name.
    pub system_calls: BTreeMap<Place, String>,
    /// Where functions begin, by their symbols.
    pub functions: BTreeMap<String, Place>,
    /// Those of them that are kernels, which nobody calls.
    pub kernels_begin: BTreeSet<Place>,
    /// Bank 2 of the kernels that count in it with a register, in the order of the file: all of the module's, whichever kernels the
    /// image has, so that variables have the same places in every text that is made of the module.
    pub banks: Vec<Bank>,
    /// It is one kernel of several: what is in memory has its bytes by another text of the module.
    pub is_part: bool,
}

/// Numbers of a kernel that lie in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bank {
    pub kernel: String,
    pub bytes: Vec<u8>,
}

impl Image {
    /// A variable with a relocation of a kind that is not known, and the kind: this one, or one that it has the address of, or that
    /// such a one has.
    pub(crate) fn unknown_behind<'a>(&'a self, variable: &'a Variable) -> Option<(&'a str, u32)> {
        if self.variables.iter().all(|variable| variable.unknown.is_none()) {
            return None;
        }
        let by_symbol: BTreeMap<&str, &Variable> =
            self.variables.iter().map(|variable| (variable.symbol.as_str(), variable)).collect();
        let mut seen = BTreeSet::new();
        let mut open = vec![variable];
        while let Some(variable) = open.pop() {
            if let Some(kind) = variable.unknown {
                return Some((&variable.symbol, kind));
            }
            if seen.insert(variable.symbol.as_str()) {
                let named = variable.addresses.values();
                open.extend(named.filter_map(|named| by_symbol.get(named.symbol.as_str())));
            }
        }
        None
    }

    /// What calls in a kernel's code may mean. `recursive` is not known yet.
    pub(crate) fn callees(&self, kernel: &Kernel) -> Callees {
        let is_code = |place: &Place| !self.kernels_begin.contains(place);
        // Divisions and the like are called by nobody else.
        let of_kernel = self.functions.iter().filter(|(name, place)| {
            place.code == kernel.code && is_code(place) && !name.contains("$__internal_")
        });
        let of_kernel: BTreeSet<Place> = of_kernel.map(|(_, place)| *place).collect();
        // A function's address is a place in bank 2, which has the place of the function in the kernel's section; or, in files of
        // one kernel, that place itself.
        let (offsets, _) = kernel.constants.as_chunks();
        let offsets: BTreeSet<u64> =
            offsets.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let in_bank = of_kernel.iter().copied().filter(|place| offsets.contains(&place.address));
        let mut by_offset: Vec<Place> = in_bank.collect();
        if by_offset.is_empty() {
            by_offset.extend(of_kernel);
        }
        let of_variables = self.variables.iter().flat_map(|variable| variable.addresses.values());
        let of_code = self.halves.values().map(|half| &half.of);
        let named = self.addresses.values().chain(of_variables).chain(of_code);
        // Those of instructions in a function do not count.
        let named = named.filter(|named| named.addend == 0);
        let by_address: BTreeSet<Place> =
            named.filter_map(|named| self.functions.get(&named.symbol).copied()).collect();
        Callees {
            recursive: BTreeSet::new(),
            by_offset,
            by_address: by_address.into_iter().filter(is_code).collect(),
        }
    }
}

/// A texture or a surface that programs bind by name: `.texref` and `.surfref` of PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// In PTX.
    pub name: String,
    pub is_surface: bool,
}

/// Half an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Half {
    pub of: Named,
    pub is_upper: bool,
}

/// An address by its symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub symbol: String,
    pub addend: i64,
}

#[derive(Clone, Debug, Default)]
pub struct Kernel {
    pub name: String,
    pub code: usize,
    /// The first instruction, in its section.
    pub entry: u64,
    pub parameters: Vec<Parameter>,
    /// Offsets in bank 0 of the handles of references, by their names; none where a sampler is apart from its texture.
    pub handles: BTreeMap<u32, Option<String>>,
    /// Bytes of shared memory that are declared.
    pub shared: u32,
    /// Bytes of local memory, as the file says it.
    pub local: u32,
    /// Bytes of the stack: those and some more.
    pub stack: u32,
    /// The stack's pointer is moved by sizes that are known when it runs.
    pub allocates: bool,
    /// Code has its address, to launch it.
    pub is_launched: bool,
    /// Bank 2.
    pub constants: Vec<u8>,
    /// Threads of a block at most, in each direction.
    pub most_threads: Option<[u32; 3]>,
    pub threads: Option<[u32; 3]>,
    /// Blocks of a cluster, by axis, and whether it is launched in clusters whatever they are.
    pub blocks: Option<[u32; 3]>,
    pub has_clusters: bool,
    /// Registers of a thread; 0 where that is not known.
    pub registers: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// From the first byte of the first.
    pub offset: u32,
    pub size: u32,
}

/// A variable of the module.
#[derive(Clone, Debug, Default)]
pub struct Variable {
    /// In the cubin.
    pub symbol: String,
    /// In PTX.
    pub name: String,
    pub is_constant: bool,
    /// In its section.
    pub offset: u64,
    pub size: u64,
    /// Where it is not zero.
    pub bytes: Vec<u8>,
    pub align: u64,
    /// Addresses in it.
    pub addresses: BTreeMap<u64, Named>,
    /// The kind of a relocation that puts something else into it.
    pub unknown: Option<u32>,
    pub is_visible: bool,
    /// The host has it too.
    pub is_managed: bool,
}
