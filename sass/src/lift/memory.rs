//! Memory: loads, stores, atomics, copies to shared memory and fences.

use super::apart::FRAME_OF_CALLER;
use super::emit::{Kind, Truth, unsupported};
use super::error::Reason;
use super::machine::{FRAME, Lifted, Machine};
use super::operand::{Operands, Target, integer};
use super::warp::SHARED_WINDOW;
use crate::instruction::{Address, Bank, Instruction, Predicate, Register};

/// The bits of an address of shared memory in a cluster below those that say which block's it is.
const OFFSET_BITS: u32 = 24;

/// How wide a load or store is: words, and the type of one narrower than a word.
enum Width {
    Narrow(&'static str),
    Words(u8),
}

fn width(i: &Instruction) -> Width {
    for name in &i.modifiers {
        match *name {
            "U8" => return Width::Narrow("u8"),
            "S8" => return Width::Narrow("s8"),
            "U16" => return Width::Narrow("u16"),
            "S16" => return Width::Narrow("s16"),
            "64" => return Width::Words(2),
            "128" => return Width::Words(4),
            _ => {}
        }
    }
    Width::Words(1)
}

/// The state space by the opcode's letters, with its dot.
fn space(opcode: &str) -> &'static str {
    match opcode {
        "LDG" | "STG" | "ATOMG" | "REDG" => ".global",
        "LDS" | "STS" | "ATOMS" | "ARRIVES" => ".shared",
        "LDL" | "STL" => ".local",
        _ => "",
    }
}

/// The strength and the scope among the modifiers; none for a weak access.
fn strength(i: &Instruction) -> Option<&'static str> {
    let scope = match () {
        () if i.has("SM") || i.has("CTA") => ".cta",
        () if i.has("GPU") => ".gpu",
        () if i.has("SYS") => ".sys",
        () => return None,
    };
    (i.has("STRONG") || i.has("MMIO")).then_some(scope)
}

impl Machine<'_> {
    /// An address of 32 bits, of shared or local memory.
    fn short_address(&mut self, address: &Address) -> Result<String, Reason> {
        let offset = address.offset as i32;
        Ok(match self.registers_of_short(address)? {
            None => offset.to_string(),
            Some(total) if offset == 0 => total,
            Some(total) => self.emit.b32("add.s32", &[&total, &offset.to_string()]),
        })
    }

    /// What the registers of an address of 32 bits say together.
    fn registers_of_short(&mut self, address: &Address) -> Result<Option<String>, Reason> {
        let mut total: Option<String> = None;
        for register in [&address.base, &address.uniform].into_iter().flatten() {
            if register.is_zero() {
                continue;
            }
            let value = self.general(register);
            let value = match register.suffix {
                None | Some("U32") => value,
                Some("X4") => self.emit.b32("shl.b32", &[&value, "2"]),
                Some("X8") => self.emit.b32("shl.b32", &[&value, "3"]),
                Some("X16") => self.emit.b32("shl.b32", &[&value, "4"]),
                Some(other) => return unsupported(format!("suffix `{other}`")),
            };
            total = Some(match total {
                None => value,
                Some(total) => self.emit.b32("add.s32", &[&total, &value]),
            });
        }
        Ok(total)
    }

    /// An address of 64 bits: global or generic memory.
    fn long_address(&mut self, address: &Address) -> Result<String, Reason> {
        let mut total: Option<String> = None;
        for register in [&address.base, &address.uniform].into_iter().flatten() {
            if register.is_zero() {
                continue;
            }
            let low = self.general(register);
            let value = match (register.file, register.suffix) {
                (_, Some("U32")) => self.emit.b64("cvt.u64.u32", &[&low]),
                (_, None | Some("64")) => {
                    let next = Register { number: register.number + 1, ..*register };
                    let high = self.general(&next);
                    self.emit.joined(&low, &high)
                }
                (_, Some(other)) => return unsupported(format!("suffix `{other}`")),
            };
            total = Some(match total {
                None => value,
                Some(total) => self.emit.b64("add.s64", &[&total, &value]),
            });
        }
        let offset = address.offset;
        Ok(match total {
            None => self.emit.b64("mov.b64", &[&offset.to_string()]),
            Some(total) => total,
        })
    }

    /// The text in the brackets of an access.
    pub(super) fn place_of(
        &mut self,
        i: &Instruction,
        address: &Address,
    ) -> Result<String, Reason> {
        match space(i.opcode) {
            ".shared" => self.shared_address(address),
            ".local" => {
                if let Some(place) = self.place_in_frame(address) {
                    return Ok(place);
                }
                let offset = self.short_address(address)?;
                self.uses_frame = true;
                if offset.starts_with('%') {
                    let offset = self.emit.b64("cvt.s64.s32", &[&offset]);
                    let base = self.local_base();
                    return Ok(self.emit.b64("add.s64", &[&base, &offset]));
                }
                let frame = if self.is_function { FRAME_OF_CALLER } else { FRAME };
                Ok(format!("{frame}+{offset}"))
            }
            _ => {
                if !i.has("E") {
                    return unsupported("an address of 32 bits");
                }
                if space(i.opcode).is_empty() && self.state.names_shared {
                    return self.generic_address(address);
                }
                let base = self.long_address(address)?;
                let has_base =
                    [&address.base, &address.uniform].into_iter().flatten().any(|r| !r.is_zero());
                Ok(if has_base && address.offset != 0 {
                    format!("{base}+{}", address.offset)
                } else {
                    base
                })
            }
        }
    }

    /// A place in the thread's own memory that is so far from the stack's pointer, if that is known: then such places become registers again.
    fn place_in_frame(&mut self, address: &Address) -> Option<String> {
        let of_stack = address.base.is_some_and(|base| base == Register::general(Register::STACK));
        let alone = address.uniform.is_none_or(|uniform| uniform.is_zero());
        let pointer = self.stack_pointer.filter(|_| of_stack && alone)?;
        let offset = i64::from(pointer).checked_add(address.offset)?;
        if !(0..i64::from(self.stack())).contains(&offset) {
            return None;
        }
        self.uses_frame = true;
        Some(format!("{FRAME}+{offset}"))
    }

    /// A generic address: of shared memory also where it was put together of the window's upper half.
    fn generic_address(&mut self, address: &Address) -> Result<String, Reason> {
        let mut sum = self.long_address(address)?;
        if [&address.base, &address.uniform].into_iter().flatten().any(|r| !r.is_zero()) {
            sum = self.emit.b64("add.s64", &[&sum, &address.offset.to_string()]);
        }
        let (low, high) = self.emit.halves(&sum);
        let is_shared = self.emit.flag("setp.eq.u32", &[&high, &SHARED_WINDOW.to_string()]);
        let place = self.shared_place(&low);
        let place = self.emit.b64("cvt.u64.u32", &[&place]);
        let mut place = self.emit.b64("cvta.shared.u64", &[&place]);
        if self.state.in_cluster {
            let rank = self.emit.b32("shr.u32", &[&low, &OFFSET_BITS.to_string()]);
            place = self.emit.b64("mapa.u64", &[&place, &rank]);
        }
        Ok(self.emit.b64("selp.b64", &[&place, &sum, &is_shared]))
    }

    /// An address in shared memory as a place in PTX, for brackets. What its registers say is put together once, so that accesses side by
    /// side are seen to be.
    pub(super) fn shared_address(&mut self, address: &Address) -> Result<String, Reason> {
        if self.state.in_cluster || self.half.is_some() {
            let offset = self.short_address(address)?;
            return Ok(self.shared_place(&offset));
        }
        let registers = [address.base, address.uniform];
        let known = [&self.known, &self.fresh].into_iter().flat_map(|known| &known.shared_places);
        let known =
            known.into_iter().find(|(of, _)| *of == registers).map(|(_, place)| place.clone());
        let place = match known {
            Some(place) => place,
            None => {
                let offset = self.registers_of_short(address)?;
                let place = match offset {
                    Some(offset) => self.shared_place(&offset),
                    None => self.shared_word(),
                };
                self.fresh.shared_places.push((registers, place.clone()));
                place
            }
        };
        Ok(match address.offset as i32 {
            0 => place,
            offset => format!("{place}+{offset}"),
        })
    }

    /// An address of shared memory that may be another block's of the cluster, as a place in `.shared::cluster`.
    pub(super) fn cluster_address(&mut self, address: &Address) -> Result<String, Reason> {
        let offset = self.short_address(address)?;
        Ok(self.cluster_place(&offset))
    }

    /// An offset in shared memory, with the number of the block, as a place in `.shared::cluster`.
    pub(super) fn cluster_place(&mut self, offset: &str) -> String {
        let place = self.shared_place(offset);
        if !self.state.in_cluster {
            return place;
        }
        let rank = self.emit.b32("shr.u32", &[offset, &OFFSET_BITS.to_string()]);
        self.emit.b32("mapa.shared::cluster.u32", &[&place, &rank])
    }

    /// An offset in shared memory as a place in PTX.
    pub(super) fn shared_place(&mut self, offset: &str) -> String {
        let base = self.shared_word();
        if self.state.in_cluster {
            let mask = (1u32 << OFFSET_BITS) - 1;
            let own = self.emit.b32("and.b32", &[offset, &mask.to_string()]);
            return self.emit.b32("add.s32", &[&base, &own]);
        }
        self.emit.b32("add.s32", &[&base, offset])
    }

    fn words(&mut self, first: Target, count: u8) -> Vec<String> {
        (0..count).map(|index| self.place(first.next(index))).collect()
    }
}

pub(super) fn vector(words: &[String]) -> String {
    match words {
        [one] => one.clone(),
        words => format!("{{{}}}", words.join(", ")),
    }
}

fn vector_name(count: usize) -> &'static str {
    match count {
        2 => ".v2",
        4 => ".v4",
        _ => "",
    }
}

/// LD, LDG, LDS, LDL: R, [address] [, P]. Threads for which the predicate does not hold read nothing, and get zeros.
pub(super) fn load(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    // The result of speculation and the like.
    if let Some(predicate) = o.optional_predicate()
        && predicate.number != Predicate::PT
    {
        return unsupported("a predicate as a result");
    }
    let address = o.address()?;
    let reads = if o.left() > 0 { o.truth(machine)? } else { Truth::Constant(true) };
    o.end()?;
    let place = machine.place_of(i, &address)?;
    if reads == Truth::Constant(true) {
        return load_from(machine, i, target, &place);
    }
    let guard = machine.emit.guard_truth();
    let reading = machine.emit.join("and", &guard, &reads);
    let others = machine.emit.join("and", &guard, &reads.not());
    machine.emit.guard_by(&reading);
    load_from(machine, i, target, &place)?;
    machine.emit.guard_by(&others);
    let count = match width(i) {
        Width::Narrow(_) => 1,
        Width::Words(count) => count,
    };
    for word in machine.words(target, count) {
        machine.emit.guarded(format_args!("mov.b32 {word}, 0"));
    }
    Ok(())
}

/// Loads what is at a place, in the threads for which the guard holds.
fn load_from(machine: &mut Machine, i: &Instruction, target: Target, place: &str) -> Lifted {
    let space = space(i.opcode);
    let watches = space == ".shared" && machine.state.watches_shared;
    let order = match strength(i) {
        Some(scope) if i.has("MMIO") && scope == ".sys" => ".mmio.relaxed.sys".to_owned(),
        Some(scope) => format!(".relaxed{scope}"),
        None if watches && matches!(width(i), Width::Words(1)) => ".acquire.cta".to_owned(),
        None => String::new(),
    };
    let cached =
        if i.has("CONSTANT") && space == ".global" && order.is_empty() { ".nc" } else { "" };
    match width(i) {
        Width::Narrow(type_) => {
            let name = machine.place(target);
            machine
                .emit
                .guarded(format_args!("ld{order}{space}{cached}.{type_} {name}, [{place}]"));
        }
        Width::Words(count) => {
            if i.has("MMIO") && count > 1 {
                return unsupported("a width");
            }
            // What others may write meanwhile is read 64 bits at once, as it is written.
            if !order.is_empty() && count > 1 {
                let pairs = (0..count / 2).map(|_| machine.emit.temporary(Kind::B64));
                let pairs: Vec<String> = pairs.collect();
                let v = vector_name(pairs.len());
                machine
                    .emit
                    .guarded(format_args!("ld{order}{space}{v}.b64 {}, [{place}]", vector(&pairs)));
                for (index, pair) in (0..).step_by(2).zip(&pairs) {
                    machine.set_wide(target.next(index), pair);
                }
                return Ok(());
            }
            let words = machine.words(target, count);
            let v = vector_name(words.len());
            machine.emit.guarded(format_args!(
                "ld{order}{space}{cached}{v}.b32 {}, [{place}]",
                vector(&words)
            ));
        }
    }
    Ok(())
}

/// ST, STG, STS, STL: [address], R
pub(super) fn store(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let address = o.address()?;
    let source = o.target()?;
    o.end()?;
    let place = machine.place_of(i, &address)?;
    let space = space(i.opcode);
    let order = match strength(i) {
        Some(scope) if i.has("MMIO") && scope == ".sys" => ".mmio.relaxed.sys".to_owned(),
        Some(scope) => format!(".relaxed{scope}"),
        None => String::new(),
    };
    let read = |machine: &mut Machine, index: u8| {
        let at = source.next(index);
        let value =
            machine.general(&Register { file: at.file, number: at.number, ..Register::general(0) });
        machine.emit.in_register(&value)
    };
    match width(i) {
        Width::Narrow(type_) => {
            let value = read(machine, 0);
            let bits = if type_.ends_with('8') { "b8" } else { "b16" };
            let value = if bits == "b16" { machine.emit.words(&value).0 } else { value };
            machine.emit.guarded(format_args!("st{order}{space}.{bits} [{place}], {value}"));
        }
        Width::Words(count) => {
            let words: Vec<_> = (0..count).map(|index| read(machine, index)).collect();
            if !order.is_empty() && count > 1 {
                let pairs = words.chunks(2).map(|pair| machine.emit.joined(&pair[0], &pair[1]));
                let pairs: Vec<String> = pairs.collect();
                let v = vector_name(pairs.len());
                machine
                    .emit
                    .guarded(format_args!("st{order}{space}{v}.b64 [{place}], {}", vector(&pairs)));
                return Ok(());
            }
            let v = vector_name(words.len());
            machine
                .emit
                .guarded(format_args!("st{order}{space}{v}.b32 [{place}], {}", vector(&words)));
        }
    }
    Ok(())
}

/// LDC R, c[bank][R + offset]; ULDC
pub(super) fn load_constant(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let constant = o.constant()?;
    o.end()?;
    let Bank::Number(bank) = constant.bank else { return unsupported("a bank by descriptor") };
    let index = constant.register.filter(|register| !register.is_zero());
    if let Some(other) =
        i.modifiers.iter().find(|m| !["64", "U8", "S8", "U16", "S16", "U", "32"].contains(m))
    {
        return unsupported(format!("modifier `{other}`"));
    }
    let Some(index) = index else {
        return match width(i) {
            Width::Words(1) => {
                let value = machine.bank_word(bank, constant.offset)?;
                machine.set(target, &value);
                Ok(())
            }
            Width::Words(_) => {
                let value = machine.bank_wide(bank, constant.offset)?;
                machine.set_wide(target, &value);
                Ok(())
            }
            Width::Narrow(type_) => {
                let word = machine.bank_word(bank, constant.offset & !3)?;
                let bits = if type_.ends_with('8') { "8" } else { "16" };
                let shift = (8 * (constant.offset & 3)).to_string();
                machine.put(target, &format!("bfe.{}32", &type_[..1]), &[&word, &shift, bits]);
                Ok(())
            }
        };
    };
    let offset = machine.general(&index);
    // Bank 4's addresses are known by offset only, and those that are loaded so begin at one.
    if bank == 4 {
        let known = machine.known.constants.get(&(index.file, index.number)).copied();
        let Some(known) = known else {
            if !matches!(width(i), Width::Words(2)) {
                return unsupported("half an address of bank 4 by register");
            }
            let value = address_by_register(machine, &offset, constant.offset)?;
            machine.set_wide(target, &value);
            return Ok(());
        };
        let at = known.wrapping_add(constant.offset as u32);
        let value = machine.bank_wide(4, at as i32)?;
        machine.set_wide(target, &value);
        return Ok(());
    }
    let base = match bank {
        0 => return parameter_by_register(machine, i, target, &offset, constant.offset),
        2 => format!("{}+{}", machine.constants()?, constant.offset),
        3 => machine.constant_place(constant.offset)?,
        _ => return unsupported(format!("constant bank {bank} by register")),
    };
    let wide = machine.emit.b64("cvt.s64.s32", &[&offset]);
    load_by_sum(machine, i, target, ".const", &base, &wide);
    Ok(())
}

/// Loads from the sum of a variable's address and a number.
fn load_by_sum(
    machine: &mut Machine,
    i: &Instruction,
    target: Target,
    space: &str,
    base: &str,
    more: &str,
) {
    let start = machine.emit.b64("mov.b64", &[base]);
    let place = machine.emit.b64("add.s64", &[&start, more]);
    match width(i) {
        Width::Narrow(type_) => {
            let name = machine.place(target);
            machine.emit.guarded(format_args!("ld{space}.{type_} {name}, [{place}]"));
        }
        Width::Words(count) => {
            let words = machine.words(target, count);
            let v = vector_name(words.len());
            machine.emit.guarded(format_args!("ld{space}{v}.b32 {}, [{place}]", vector(&words)));
        }
    }
}

/// The parameter at an offset of bank 0 that a register and a number say: whichever it lies in.
fn parameter_by_register(
    machine: &mut Machine,
    i: &Instruction,
    target: Target,
    register: &str,
    more: i32,
) -> Lifted {
    if machine.is_function {
        let (window, launch) = (machine.parameter_window()?, machine.launch());
        let more = (more - launch.begins_at as i32).to_string();
        let at = machine.emit.b32("add.s32", &[register, &more]);
        let wide = machine.emit.b64("cvt.s64.s32", &[&at]);
        load_by_sum(machine, i, target, "", &window, &wide);
        return Ok(());
    }
    let more = more - machine.launch().parameters;
    let at = machine.emit.b32("add.s32", &[register, &more.to_string()]);
    let kernel = machine.kernel;
    let guard = match kernel.parameters.len() {
        0 => return unsupported("a parameter by register where there is none"),
        1 => None,
        _ => Some(machine.emit.guard_truth()),
    };
    for (index, parameter) in kernel.parameters.iter().enumerate() {
        let inside = machine.emit.b32("sub.s32", &[&at, &parameter.offset.to_string()]);
        if let Some(guard) = &guard {
            let is_it = machine.emit.flag("setp.lt.u32", &[&inside, &parameter.size.to_string()]);
            let both = machine.emit.join("and", guard, &Truth::Register(is_it, false));
            machine.emit.guard_by(&both);
        }
        let wide = machine.emit.b64("cvt.s64.s32", &[&inside]);
        load_by_sum(machine, i, target, ".param", &format!("p{index}"), &wide);
    }
    Ok(())
}

/// The address in bank 4 whose offset is a register's; the grid ends where there is none.
fn address_by_register(machine: &mut Machine, register: &str, more: i32) -> Result<String, Reason> {
    let at = machine.emit.b32("add.s32", &[register, &more.to_string()]);
    let mut value = machine.emit.b64("mov.b64", &["0"]);
    let mut elsewhere = machine.emit.guard_truth();
    let offsets: Vec<u32> = machine.image.addresses.keys().copied().collect();
    for offset in offsets {
        // Those of what is not known are as good as none.
        let Ok(address) = machine.address_in_bank(offset as i32) else { continue };
        let is_it = machine.emit.flag("setp.eq.u32", &[&at, &offset.to_string()]);
        value = machine.emit.b64("selp.b64", &[&address, &value, &is_it]);
        let other = Truth::Register(is_it, true);
        elsewhere = machine.emit.join("and", &elsewhere, &other);
    }
    let elsewhere = machine.emit.truth_register(&elsewhere);
    machine.emit.line(format_args!("@{elsewhere} trap"));
    Ok(value)
}

/// The operation and the type of an atomic.
pub(super) fn atomic_operation(i: &Instruction) -> Result<(String, u8), Reason> {
    const NAMES: [(&str, &str); 10] = [
        ("ADD", "add"),
        ("MIN", "min"),
        ("MAX", "max"),
        ("INC", "inc"),
        ("DEC", "dec"),
        ("AND", "and"),
        ("OR", "or"),
        ("XOR", "xor"),
        ("EXCH", "exch"),
        ("CAS", "cas"),
    ];
    let found = NAMES.iter().find(|(name, _)| i.has(name));
    let Some((_, name)) = found else { return unsupported("an operation") };
    let (type_, words) = match () {
        () if i.has("F16x4") => ("noftz.v2.f16x2", 2),
        () if i.has("F16x8") => ("noftz.v4.f16x2", 4),
        () if i.has("BF16x4") => ("noftz.v2.bf16x2", 2),
        () if i.has("BF16x8") => ("noftz.v4.bf16x2", 4),
        () if i.has("F32x2") => ("v2.f32", 2),
        () if i.has("F32x4") => ("v4.f32", 4),
        () if i.has("128") => ("b128", 4),
        () if i.has("F32") => ("f32", 1),
        () if i.has("F64") => ("f64", 2),
        () if i.has("F16x2") => ("noftz.f16x2", 1),
        () if i.has("BF16x2") || i.has("BF16_V2") || i.has("BF16") => ("noftz.bf16x2", 1),
        () if i.has("S64") => ("s64", 2),
        () if i.has("64") || i.has("U64") => ("u64", 2),
        () if i.has("S32") => ("s32", 1),
        () => ("u32", 1),
    };
    let type_ = match (*name, type_) {
        ("and" | "or" | "xor" | "exch" | "cas", _) => match words {
            1 => "b32",
            2 => "b64",
            _ => "b128",
        },
        ("add", "s64") => "u64",
        (_, other) => other,
    };
    Ok((format!("{name}.{type_}"), words))
}

/// ATOM, ATOMG: P, R, [address], R [, R]; ATOMS: R, [address], R [, R]
pub(super) fn atomic(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    if i.has("ARRIVE") {
        return super::arrive::atomic(machine, o);
    }
    // Whether it was done: what machines cannot do in shared memory is left to the instructions behind.
    let done = o.optional_predicate().filter(|predicate| predicate.number != Predicate::PT);
    let target = o.target()?;
    let address = o.address()?;
    let space = space(i.opcode);
    let scope = match space {
        ".shared" => ".cta",
        _ => strength(i).unwrap_or(".gpu"),
    };
    let place = machine.place_of(i, &address)?;
    if i.has("POPC") {
        if target.number != Register::RZ {
            return unsupported("the result");
        }
        machine.emit.guarded(format_args!("red{}{scope}.shared.add.u32 [{place}], 1", ".relaxed"));
        return o.end();
    }
    let spin = i.has("CAST");
    let (operation, words) = if spin {
        let words = if i.has("64") { 2 } else { 1 };
        (format!("cas.b{}", 32 * u32::from(words)), words)
    } else {
        atomic_operation(i)?
    };
    if operation.contains(".v") {
        let values = machine.fragment(o.target()?, words);
        let old: Vec<String> = (0..words).map(|_| machine.emit.temporary(Kind::B32)).collect();
        machine.emit.guarded(format_args!(
            "atom.relaxed{scope}{space}.{operation} {}, [{place}], {}",
            vector(&old),
            vector(&values)
        ));
        for (index, value) in old.iter().enumerate() {
            machine.set(target.next(index as u8), value);
        }
        return o.end();
    }
    if words == 4 {
        return atomic_of_128(machine, o, target, &format!("{scope}{space}.{operation}"), &place);
    }
    let mut sources = Vec::new();
    while o.left() > 0 {
        let operand = o.next()?;
        sources.push(match words {
            2 => super::operand::wide_bits(machine, operand)?,
            _ => {
                let value = integer(machine, operand)?;
                machine.emit.in_register(&value)
            }
        });
    }
    let kind = if words == 2 { Kind::B64 } else { Kind::B32 };
    let old = machine.emit.temporary(kind);
    if done.is_some() {
        machine.emit.keep_guard();
    }
    machine.emit.guarded(format_args!(
        "atom.relaxed{scope}{space}.{operation} {old}, [{place}], {}",
        sources.join(", ")
    ));
    if spin {
        let type_ = if words == 2 { "u64" } else { "u32" };
        let same = machine.emit.flag(&format!("setp.eq.{type_}"), &[&old, &sources[0]]);
        if words == 2 {
            let value = machine.emit.b64("selp.b64", &["1", "0", &same]);
            machine.set_wide(target, &value);
        } else {
            let value = machine.emit.b32("selp.b32", &["1", "0", &same]);
            machine.set(target, &value);
        }
    } else if words == 2 {
        machine.set_wide(target, &old);
    } else {
        machine.set(target, &old);
    }
    done.into_iter().for_each(|p| machine.set_predicate(p, &Truth::Constant(true)));
    Ok(())
}

/// An atomic of 128 bits: exchanges, and does so where it finds what it expects.
fn atomic_of_128(
    machine: &mut Machine,
    mut o: Operands,
    target: Target,
    operation: &str,
    place: &str,
) -> Lifted {
    let mut sources = Vec::new();
    while o.left() > 0 {
        let first = o.target()?;
        let words = machine.fragment(first, 4);
        sources.push([
            machine.emit.joined(&words[0], &words[1]),
            machine.emit.joined(&words[2], &words[3]),
        ]);
    }
    let [low, high] = [Kind::B64, Kind::B64].map(|kind| machine.emit.temporary(kind));
    let guard = machine.emit.guard().to_owned();
    let mut names = String::new();
    let mut moves = String::new();
    for (index, [low, high]) in sources.iter().enumerate() {
        names.push_str(&format!(", x{index}"));
        moves.push_str(&format!("mov.b128 x{index}, {{{low}, {high}}}; "));
    }
    // Where the guard does not hold, what is taken apart is nothing.
    machine.emit.line(format_args!(
        "{{ .reg .b128 old{names}; {moves}mov.b128 old, {{{}, {}}}; {guard}atom.relaxed{operation} old, [{place}]{names}; \
         mov.b128 {{{low}, {high}}}, old; }}",
        sources[0][0], sources[0][1]
    ));
    machine.emit.keep_guard();
    machine.set_wide(target, &low);
    machine.set_wide(target.next(2), &high);
    Ok(())
}

/// RED, REDG: [address], R
pub(super) fn reduction(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let address = o.address()?;
    let (operation, words) = atomic_operation(i)?;
    let place = machine.place_of(i, &address)?;
    let scope = strength(i).unwrap_or(".gpu");
    if operation.contains(".v") {
        let values = machine.fragment(o.target()?, words);
        let values = vector(&values);
        machine
            .emit
            .guarded(format_args!("red.relaxed{scope}.global.{operation} [{place}], {values}"));
        return o.end();
    }
    let operand = o.next()?;
    o.end()?;
    let value = if words == 2 {
        super::operand::wide_bits(machine, operand)?
    } else {
        let value = integer(machine, operand)?;
        machine.emit.in_register(&value)
    };
    machine.emit.guarded(format_args!("red.relaxed{scope}.global.{operation} [{place}], {value}"));
    Ok(())
}

/// MEMBAR.strength.scope. ptxas puts one of the scope VC before the end of kernels that it makes with `-g`; no PTX asks for it.
pub(super) fn membar(machine: &mut Machine, o: Operands) -> Lifted {
    let i = o.instruction;
    let order = if i.has("SC") { "sc" } else { "acq_rel" };
    let scope = match () {
        () if i.has("CTA") || i.has("SM") => "cta",
        () if i.has("GPU") => "gpu",
        () if i.has("SYS") || i.has("VC") => "sys",
        () => return unsupported("a scope"),
    };
    machine.emit.guarded(format_args!("fence.{order}.{scope}"));
    Ok(())
}

/// The register of a place in PTX, and what is added to it.
fn base_of(place: &str) -> String {
    place.split('+').next().unwrap_or(place).to_owned()
}

fn offset_of(place: &str) -> String {
    place.split_once('+').map_or("0", |(_, offset)| offset).to_owned()
}

/// LDGSTS [shared], [global] [, P]: a copy past registers. It is done at once, so that waiting for it is nothing.
pub(super) fn copy(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let to = o.address()?;
    let from = o.address()?;
    let filled = if o.left() > 0 { Some(o.truth(machine)?) } else { None };
    o.end()?;
    if !i.has("E") {
        return unsupported("an address of 32 bits");
    }
    let words = match width(i) {
        Width::Words(words) => words,
        Width::Narrow(_) => return unsupported("a width"),
    };
    let to = machine.shared_address(&to)?;
    let base = machine.long_address(&from)?;
    let from = if from.offset != 0 && from.base.is_some_and(|r| !r.is_zero()) {
        format!("{base}+{}", from.offset)
    } else {
        base
    };
    let bytes = 4 * u32::from(words);
    let operator = if i.has("BYPASS") && bytes == 16 { "cg" } else { "ca" };
    match filled {
        // The lower bits of the address say how many bytes at the end are not there, and are zeros.
        Some(truth) if i.has("ZFILL") => {
            let emit = &mut machine.emit;
            let wide = emit.b64("mov.b64", &[&base_of(&from)]);
            let wide = emit.b64("add.s64", &[&wide, &offset_of(&from)]);
            let low = emit.low(&wide);
            let missing = emit.b32("and.b32", &[&low, &(bytes - 1).to_string()]);
            let present = emit.b32("sub.s32", &[&bytes.to_string(), &missing]);
            let size = emit.select(&truth, &present, "0");
            let aligned = emit.b64("and.b64", &[&wide, &format!("-{bytes}")]);
            emit.guarded(format_args!(
                "cp.async.{operator}.shared.global [{to}], [{aligned}], {bytes}, {size}"
            ));
        }
        None => machine
            .emit
            .guarded(format_args!("cp.async.{operator}.shared.global [{to}], [{from}], {bytes}")),
        Some(truth) => {
            let not = truth.not();
            let ignored = machine.emit.truth_register(&not);
            machine.emit.guarded(format_args!(
                "cp.async.{operator}.shared.global [{to}], [{from}], {bytes}, {ignored}"
            ));
        }
    }
    // What waits for copies by scoreboards has nothing to wait for.
    machine.emit.guarded("cp.async.wait_all");
    Ok(())
}

/// QSPC.E.space P, R, [address]: whether an address is in a state space.
pub(super) fn qspc(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let p = o.predicate()?;
    let target = o.target()?;
    let address = o.address()?;
    o.end()?;
    let space = match () {
        () if i.has("S") => "shared",
        () if i.has("L") => "local",
        () if i.has("G") => "global",
        () if i.has("D") => "shared::cluster",
        () => return unsupported("a space"),
    };
    if target.number != Register::RZ {
        return unsupported("a result in a register");
    }
    let wide = match machine.state.names_shared {
        true => machine.generic_address(&address)?,
        false => machine.long_address(&address)?,
    };
    let flag = machine.emit.flag(&format!("isspacep.{space}"), &[&wide]);
    machine.set_predicate(p, &Truth::Register(flag, false));
    Ok(())
}
