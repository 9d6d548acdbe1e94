//! What lifting has to know, from a cubin: of all of its kernels, of one, or of none. What kernels share is found once.

use super::image::{Bank, Half, Image, Kernel, Named, Parameter, Reference, Variable};
use super::launch::Launch;
use super::{division, names, roots, slow};
use crate::cubin::{Cubin, Function, Relocation, Section};
use crate::decode::{Encoding, SIZE};
use crate::flow::{Code, Place};
use crate::instruction::{Bank as Number, File, Immediate, Instruction, Operand, Register};
use std::collections::{BTreeMap, BTreeSet};

/// A cubin, with what all of its kernels share.
#[derive(Debug)]
pub struct Module<'a> {
    cubin: Cubin<'a>,
    /// The sections of code, by their numbers.
    sections: Vec<usize>,
    /// A name for each symbol.
    symbols: Vec<String>,
    /// One that PTX takes.
    names: Vec<String>,
    /// The symbols of kernels, and those of them that kernels launch.
    kernels: BTreeSet<usize>,
    launched: BTreeSet<usize>,
    reach: Reach,
    /// The image without code and kernels.
    common: Image,
}

impl<'a> Module<'a> {
    /// Fails where a variable begins with the address of something that is not there.
    pub fn new(cubin: Cubin<'a>, encoding: Encoding) -> Result<Self, Undefined> {
        let sections = code_sections(&cubin);
        let common = Image { compiled_for: cubin.compiled_for, encoding, ..Image::default() };
        let mut module = Module {
            reach: Reach::new(&cubin, &sections),
            sections,
            symbols: names::distinct(&cubin.symbols, str::to_owned),
            names: names::distinct(&cubin.symbols, names::of_ptx),
            kernels: cubin.kernels().map(|kernel| kernel.symbol).collect(),
            launched: launched(&cubin),
            common,
            cubin,
        };
        let Module { cubin, sections, symbols, names, reach, common, .. } = &module;
        let mut common = Image {
            variables: variables(cubin, symbols, names),
            references: references(cubin, names),
            banks: indexed_banks(cubin, reach, encoding),
            ..common.clone()
        };
        for function in &cubin.functions {
            if let Ok(code) = sections.binary_search(&function.section) {
                let place = Place { code, address: function.offset };
                let symbol = symbols.get(function.symbol).map_or(function.name, String::as_str);
                common.functions.insert(symbol.to_owned(), place);
                if function.is_kernel {
                    common.kernels_begin.insert(place);
                }
            }
        }
        if let Some(bank) = cubin.section(".nv.constant4") {
            let Addresses { known, unknown } = addresses(symbols, bank);
            common.addresses = known.into_iter().map(|(at, named)| (at as u32, named)).collect();
            common.unknown = unknown.into_iter().map(|(at, kind)| (at as u32, kind)).collect();
        }
        check_addresses(&common)?;
        module.common = common;
        Ok(module)
    }

    /// All kernels.
    pub fn all(&self) -> Image {
        self.with(self.common.clone(), |_| true, self.cubin.kernels())
    }

    /// One kernel, and of the code what it may reach. What is in memory has no bytes: [`head`](super::head) has them.
    pub fn kernel(&self, name: &str) -> Option<Image> {
        let kernel = self.cubin.kernels().find(|kernel| kernel.name == name)?;
        let reached = self.reach.of(kernel);
        let mut image = self.common.clone();
        image.is_part = true;
        Some(self.with(image, |section| reached.contains(&section), [kernel]))
    }

    /// All kernels without their code.
    pub fn without_code(&self) -> Image {
        let mut image = self.common.clone();
        image.kernels = self.cubin.kernels().map(|function| kernel(self, function)).collect();
        image
    }

    /// Takes kernels, and those of the sections of code that are wanted; the others are empty.
    fn with<'f>(
        &self,
        mut image: Image,
        is_wanted: impl Fn(usize) -> bool,
        kernels: impl IntoIterator<Item = &'f Function<'f>>,
    ) -> Image {
        for section in &self.sections {
            let code = match is_wanted(*section) {
                true => code(self, *section, &mut image),
                false => Code::default(),
            };
            image.code.push(code);
        }
        for function in kernels {
            let kernel = kernel(self, function);
            let code = image.code.get(kernel.code).into_iter();
            let mut instructions = code.flat_map(|code| &code.instructions).flatten();
            let allocates = instructions.any(moves_stack);
            image.kernels.push(Kernel { allocates, ..kernel });
        }
        image
    }
}

/// A variable begins with the address of something that is not there: the file is to be linked with others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Undefined reference to '{symbol}' in '{variable}'")]
pub struct Undefined {
    pub symbol: String,
    pub variable: String,
}

fn check_addresses(image: &Image) -> Result<(), Undefined> {
    let variables: BTreeSet<&str> =
        image.variables.iter().map(|variable| variable.symbol.as_str()).collect();
    for variable in &image.variables {
        let mut named = variable.addresses.values().map(|named| &named.symbol);
        let is_missing = |symbol: &&String| {
            !variables.contains(symbol.as_str()) && !image.functions.contains_key(*symbol)
        };
        if let Some(symbol) = named.find(is_missing) {
            let (symbol, variable) = (symbol.clone(), variable.symbol.clone());
            return Err(Undefined { symbol, variable });
        }
    }
    Ok(())
}

/// The sections of code, by their numbers.
fn code_sections(cubin: &Cubin) -> Vec<usize> {
    let sections: BTreeSet<usize> =
        cubin.functions.iter().map(|function| function.section).collect();
    sections.into_iter().collect()
}

/// What code is reached from where.
#[derive(Debug, Default)]
struct Reach {
    /// The sections of code that the relocations of a section name, by its number.
    targets: BTreeMap<usize, Vec<usize>>,
    /// Those in bank 4 and in variables, which are anybody's.
    of_data: Vec<usize>,
}

impl Reach {
    fn new(cubin: &Cubin, sections: &[usize]) -> Self {
        let targets = |section: &Section| -> Vec<usize> {
            let symbols = section.relocations.iter().filter_map(|r| cubin.symbols.get(r.symbol));
            let found = symbols.filter_map(|symbol| symbol.section);
            let code = found.filter(|section| sections.binary_search(section).is_ok());
            code.collect::<BTreeSet<usize>>().into_iter().collect()
        };
        let is_data = |section: &&Section| {
            [".nv.constant4", ".nv.constant3"].contains(&section.name)
                || section.name.starts_with(".nv.global")
        };
        Reach {
            targets: sections
                .iter()
                .filter_map(|section| Some((*section, targets(cubin.sections.get(*section)?))))
                .collect(),
            of_data: cubin.sections.iter().filter(is_data).flat_map(targets).collect(),
        }
    }

    /// The sections of code that a kernel may reach: by relocations, and by addresses in data.
    fn of(&self, kernel: &Function) -> BTreeSet<usize> {
        let mut open = self.of_data.clone();
        open.push(kernel.section);
        let mut reached = BTreeSet::new();
        while let Some(section) = open.pop() {
            if reached.insert(section) {
                open.extend(self.targets.get(&section).into_iter().flatten());
            }
        }
        reached
    }
}

/// Bank 2 of each kernel whose code counts in it with a register.
fn indexed_banks(cubin: &Cubin, reach: &Reach, encoding: Encoding) -> Vec<Bank> {
    let mut known = BTreeMap::new();
    let mut counts = |section: usize| {
        *known.entry(section).or_insert_with(|| {
            let section = cubin.sections.get(section);
            section.is_some_and(|section| counts_in_bank(section, encoding))
        })
    };
    let of = |kernel: &Function| {
        let bank = cubin.bank(kernel, 2).filter(|bank| !bank.data.is_empty())?;
        reach
            .of(kernel)
            .into_iter()
            .any(&mut counts)
            .then(|| Bank { kernel: kernel.name.to_owned(), bytes: bank.data.to_vec() })
    };
    cubin.kernels().filter_map(of).collect()
}

/// The lowest 12 bits of the instructions that count in a bank with a register.
const INDEXED: [u128; 2] = [0xb82, 0xabb];

/// Whether code counts in bank 2 with a register.
fn counts_in_bank(section: &Section, encoding: Encoding) -> bool {
    let of_bank = |operand: &Operand| matches!(operand, Operand::Constant(c) if c.bank == Number::Number(2) && c.register.is_some());
    let is_indexed = |word: u128| {
        INDEXED.contains(&(word & 0xfff))
            && encoding
                .decode(0, word)
                .is_ok_and(|instruction| instruction.operands.iter().any(of_bank))
    };
    let (words, _) = section.data.as_chunks::<SIZE>();
    words.iter().any(|word| is_indexed(u128::from_le_bytes(*word)))
}

/// What loading a section puts into it, by offset.
#[derive(Debug, Default)]
struct Addresses {
    known: BTreeMap<u64, Named>,
    /// Relocations whose kind is not known, which it is.
    unknown: BTreeMap<u64, u32>,
}

/// The addresses that a section gets when it is loaded. `symbols`: their names.
fn addresses(symbols: &[String], section: &Section) -> Addresses {
    const KINDS: [u32; 3] =
        [Relocation::ABSOLUTE_64, Relocation::GENERIC_64, Relocation::DESCRIPTOR_64];
    let mut found = Addresses::default();
    for relocation in &section.relocations {
        let symbol = symbols.get(relocation.symbol);
        let Some(symbol) = symbol.filter(|_| KINDS.contains(&relocation.kind)) else {
            found.unknown.insert(relocation.offset, relocation.kind);
            continue;
        };
        let stands = usize::try_from(relocation.offset)
            .ok()
            .and_then(|at| section.data.get(at..)?.first_chunk())
            .map(|bytes| i64::from_le_bytes(*bytes));
        let addend = relocation.addend.or(stands).unwrap_or(0);
        found.known.insert(relocation.offset, Named { symbol: symbol.clone(), addend });
    }
    found
}

/// The symbols of functions whose descriptors code has: of kernels that kernels launch.
fn launched(cubin: &Cubin) -> BTreeSet<usize> {
    let all = cubin.sections.iter().flat_map(|section| &section.relocations);
    let of_descriptors =
        all.filter(|relocation| Relocation::DESCRIPTORS.contains(&relocation.kind));
    of_descriptors.map(|relocation| relocation.symbol).collect()
}

/// A section's code. What relocations put into it goes to the image.
fn code(module: &Module, section: usize, image: &mut Image) -> Code {
    let Module { cubin, symbols, sections, kernels, .. } = module;
    let Some(found) = cubin.sections.get(section) else { return Code::default() };
    let decoded = image.encoding.decode_all(found.data);
    let mut instructions: Vec<_> =
        decoded.map(|result| result.map_err(|unknown| unknown.to_string())).collect();
    let number = image.code.len();
    let mut calls = BTreeMap::new();
    for relocation in &found.relocations {
        let Some(symbol) = cubin.symbols.get(relocation.symbol) else { continue };
        let Some(name) = symbols.get(relocation.symbol) else { continue };
        let address = relocation.offset & !15;
        let instruction = instructions.get_mut(address as usize / 16);
        let is_call = matches!(&instruction, Some(Ok(found)) if found.opcode == "CALL");
        let target = symbol.section.and_then(|section| sections.binary_search(&section).ok());
        if let Some(code) = target
            && is_call
        {
            calls.insert(address, Place { code, address: symbol.offset });
            continue;
        }
        if is_call && symbol.section.is_none() {
            image.system_calls.insert(Place { code: number, address }, symbol.name.to_owned());
            continue;
        }
        let addend = relocation.addend.or_else(|| {
            match instruction.as_ref()?.as_ref().ok()?.operands.last() {
                Some(Operand::Immediate(Immediate::Integer(stands))) => Some(*stands),
                _ => None,
            }
        });
        let is_upper = match relocation.kind {
            Relocation::LOW_32 => Some(false),
            Relocation::HIGH_32 => Some(true),
            // A kernel is launched by the number that its address is.
            Relocation::DESCRIPTOR_LOW_32 if kernels.contains(&relocation.symbol) => Some(false),
            Relocation::DESCRIPTOR_HIGH_32 if kernels.contains(&relocation.symbol) => Some(true),
            _ => None,
        };
        // Numbers that are filled in when code is loaded.
        if let (Some(addend), Some(is_upper)) = (addend, is_upper) {
            let half = Half { of: Named { symbol: name.clone(), addend }, is_upper };
            image.halves.insert(Place { code: number, address }, half);
        } else if let Some(instruction) = instruction {
            *instruction = Err(format!("the address of `{}` in an instruction", symbol.name));
        }
    }
    let mut indirect = BTreeMap::new();
    for function in cubin.functions_of(section) {
        for branch in &function.info.indirect_branches {
            let targets = branch.targets.iter().map(|target| u64::from(*target)).collect();
            indirect.insert(u64::from(branch.offset), targets);
        }
    }
    let functions = cubin.functions_of(section);
    let names = functions.iter().map(|function| (function.offset, function.name)).collect();
    let functions = functions.iter().map(|function| function.offset).collect();
    let mut code = Code { name: found.name.to_owned(), instructions, calls, functions, indirect };
    let entered = slow::entered(&code);
    division::put_together(&mut code, &entered, &names);
    roots::put_together(&mut code, &entered, &names);
    code
}

fn kernel(module: &Module, function: &Function) -> Kernel {
    let Module { cubin, sections, names, launched, .. } = module;
    let info = &function.info;
    let local = info.min_stack_size.unwrap_or(0).max(info.frame_size);
    // What the system has comes first, and is counted in the file.
    let reserved = u64::from(Launch::of(module.common.encoding).shared);
    Kernel {
        name: function.name.to_owned(),
        code: sections.binary_search(&function.section).unwrap_or(usize::MAX),
        entry: function.offset,
        parameters: info
            .parameters
            .iter()
            .map(|parameter| Parameter { offset: parameter.offset.into(), size: parameter.size })
            .collect(),
        handles: handles(cubin, names, function),
        shared: cubin.shared_size(function).saturating_sub(reserved).min(MOST_SHARED) as u32,
        local,
        stack: local.saturating_add(STACK),
        allocates: false,
        is_launched: launched.contains(&function.symbol),
        constants: cubin.bank(function, 2).map(|bank| bank.data.to_vec()).unwrap_or_default(),
        most_threads: info.max_threads,
        threads: info.required_threads,
        blocks: info.required_blocks,
        has_clusters: info.has_clusters,
        registers: function.registers,
    }
}

/// The textures and surfaces that kernels of a file use by name.
fn references(cubin: &Cubin, names: &[String]) -> Vec<Reference> {
    let banks = cubin.sections.iter().filter(|section| section.name.starts_with(".nv.constant0"));
    let all = banks.flat_map(|bank| &bank.relocations);
    let of = |relocation: &Relocation| {
        let is_surface = relocation.kind == Relocation::SURFACE;
        let name = names.get(relocation.symbol)?.clone();
        (is_surface || relocation.kind == Relocation::TEXTURE).then_some((name, is_surface))
    };
    let found: BTreeMap<String, bool> = all.filter_map(of).collect();
    found.into_iter().map(|(name, is_surface)| Reference { name, is_surface }).collect()
}

/// Where a kernel's bank 0 has the handles of those.
fn handles(cubin: &Cubin, names: &[String], kernel: &Function) -> BTreeMap<u32, Option<String>> {
    let mut handles = BTreeMap::new();
    for relocation in cubin.bank(kernel, 0).map(|bank| &*bank.relocations).unwrap_or_default() {
        let Ok(offset) = u32::try_from(relocation.offset) else { continue };
        match relocation.kind {
            // Two at one place are a texture and its sampler.
            Relocation::TEXTURE | Relocation::SURFACE => {
                let name = names.get(relocation.symbol).cloned();
                handles.entry(offset).and_modify(|known| *known = None).or_insert(name);
            }
            Relocation::SAMPLER => {
                handles.insert(offset, None);
            }
            _ => {}
        }
    }
    handles
}

/// Whether an instruction computes R1 from another register.
fn moves_stack(i: &Instruction) -> bool {
    let is_stack = |operand: &Operand| matches!(operand, Operand::Register(r) if r.file == File::General && r.number == Register::STACK);
    let is_other = |operand: &Operand| {
        matches!(operand, Operand::Register(r) if !r.is_zero()) && !is_stack(operand)
    };
    i.operands.first().is_some_and(is_stack) && i.operands.iter().skip(1).any(is_other)
}

/// Bytes of the stack besides those that the file says.
const STACK: u32 = 16;
/// No device has so much shared memory: 1 GiB.
const MOST_SHARED: u64 = 1 << 30;

/// The variables. `symbols`: their names; `of_ptx`: those in PTX.
fn variables(cubin: &Cubin, symbols: &[String], of_ptx: &[String]) -> Vec<Variable> {
    let mut known: BTreeMap<Option<usize>, Addresses> = BTreeMap::new();
    let mut all: Vec<Variable> = cubin
        .variables()
        .filter(|(_, _, section)| {
            section.name == ".nv.constant3" || section.name.starts_with(".nv.global")
        })
        .map(|(at, symbol, section)| {
            let (start, end) =
                (symbol.offset as usize, symbol.offset.saturating_add(symbol.size) as usize);
            let within = known.entry(symbol.section).or_insert_with(|| addresses(symbols, section));
            let range = symbol.offset..symbol.offset.saturating_add(symbol.size);
            Variable {
                symbol: symbols[at].clone(),
                name: of_ptx[at].clone(),
                is_constant: section.name == ".nv.constant3",
                offset: symbol.offset,
                size: symbol.size,
                bytes: section.data.get(start..end).map(<[u8]>::to_vec).unwrap_or_default(),
                align: alignment(symbol.offset, section.alignment),
                addresses: within
                    .known
                    .range(range.clone())
                    .map(|(at, named)| (at - symbol.offset, named.clone()))
                    .collect(),
                unknown: within.unknown.range(range).next().map(|(_, kind)| *kind),
                is_visible: !symbol.is_local,
                is_managed: symbol.is_managed,
            }
        })
        .collect();
    all.sort_by_key(|variable| (variable.is_constant, variable.offset));
    all.dedup_by(|one, other| one.name == other.name);
    in_order_of_use(all)
}

/// PTX wants a variable before those that have its address, as far as that is possible. Constants stay behind, and in their order.
fn in_order_of_use(all: Vec<Variable>) -> Vec<Variable> {
    let number: BTreeMap<&str, usize> =
        all.iter().enumerate().map(|(index, variable)| (variable.symbol.as_str(), index)).collect();
    let needed = |variable: &Variable| -> Vec<usize> {
        let numbers =
            variable.addresses.values().filter_map(|named| number.get(named.symbol.as_str()));
        numbers.copied().filter(|other| !all[*other].is_constant).collect()
    };
    let needed: Vec<Vec<usize>> = all.iter().map(needed).collect();
    let mut order = Vec::with_capacity(all.len());
    let mut seen = vec![false; all.len()];
    for first in 0..all.len() {
        // What is open: a variable, and how many of those that it needs were looked at.
        let mut open = vec![(first, 0)];
        while let Some((index, looked_at)) = open.pop() {
            if looked_at == 0 && std::mem::replace(&mut seen[index], true) {
                continue;
            }
            match needed[index].get(looked_at) {
                None => order.push(index),
                Some(other) => open.extend([(index, looked_at + 1), (*other, 0)]),
            }
        }
    }
    let mut all: Vec<Option<Variable>> = all.into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| all[index].take()).collect()
}

/// What an offset and its section are both multiples of, up to 256.
fn alignment(offset: u64, section: u64) -> u64 {
    let of_offset = if offset == 0 { 256 } else { 1 << offset.trailing_zeros().min(8) };
    section.clamp(1, 256).min(of_offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_stand_before_those_that_have_their_addresses() {
        let variable = |name: &str, needs: &[&str]| Variable {
            symbol: name.to_owned(),
            addresses: needs
                .iter()
                .zip((0..).step_by(8))
                .map(|(need, at)| (at, Named { symbol: (*need).to_owned(), addend: 0 }))
                .collect(),
            ..Variable::default()
        };
        let all = vec![
            variable("a", &["c", "d"]),
            variable("b", &["elsewhere", "a"]),
            // These two need each other.
            variable("c", &["d"]),
            variable("d", &["c", "d"]),
        ];
        let names: Vec<String> = in_order_of_use(all).into_iter().map(|v| v.symbol).collect();
        assert_eq!(names, ["d", "c", "a", "b"]);
    }
}
