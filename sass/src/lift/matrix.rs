//! Products of matrices: operands are in registers in the order of PTX's `mma`.

use super::emit::{Kind, unsupported};
use super::machine::{Lifted, Machine};
use super::operand::{Operands, Target};
use crate::instruction::{Instruction, Operand, Register, Signs};

/// A shape: its name among the modifiers, the kind of its elements, its name in PTX, and the registers of A, B and C.
struct Shape(&'static str, &'static str, &'static str, [u8; 3]);

const DENSE: [Shape; 22] = [
    Shape("16816", "f16", "m16n8k16", [4, 2, 4]),
    Shape("1688", "f16", "m16n8k8", [2, 1, 4]),
    Shape("16816", "bf16", "m16n8k16", [4, 2, 4]),
    Shape("1688", "bf16", "m16n8k8", [2, 1, 4]),
    Shape("1688", "tf32", "m16n8k8", [4, 2, 4]),
    Shape("1684", "tf32", "m16n8k4", [2, 1, 4]),
    Shape("16816", "f8", "m16n8k16", [2, 1, 4]),
    Shape("16832", "f8", "m16n8k32", [4, 2, 4]),
    Shape("8816", "8", "m8n8k16", [1, 1, 2]),
    Shape("16816", "8", "m16n8k16", [2, 1, 4]),
    Shape("16832", "8", "m16n8k32", [4, 2, 4]),
    Shape("8832", "4", "m8n8k32", [1, 1, 2]),
    Shape("16832", "4", "m16n8k32", [2, 1, 4]),
    Shape("16864", "4", "m16n8k64", [4, 2, 4]),
    Shape("88128", "b1", "m8n8k128", [1, 1, 2]),
    Shape("168128", "b1", "m16n8k128", [2, 1, 4]),
    Shape("168256", "b1", "m16n8k256", [4, 2, 4]),
    Shape("884", "f64", "m8n8k4", [2, 2, 4]),
    Shape("8x8x4", "f64", "m8n8k4", [2, 2, 4]),
    Shape("16x8x4", "f64", "m16n8k4", [4, 2, 8]),
    Shape("16x8x8", "f64", "m16n8k8", [8, 4, 8]),
    Shape("16x8x16", "f64", "m16n8k16", [16, 8, 8]),
];

const SPARSE: [Shape; 11] = [
    Shape("16816", "f16", "m16n8k16", [2, 2, 4]),
    Shape("16832", "f16", "m16n8k32", [4, 4, 4]),
    Shape("16816", "bf16", "m16n8k16", [2, 2, 4]),
    Shape("16832", "bf16", "m16n8k32", [4, 4, 4]),
    Shape("1688", "tf32", "m16n8k8", [2, 2, 4]),
    Shape("16816", "tf32", "m16n8k16", [4, 4, 4]),
    Shape("16864", "f8", "m16n8k64", [4, 4, 4]),
    Shape("16832", "8", "m16n8k32", [2, 2, 4]),
    Shape("16864", "8", "m16n8k64", [4, 4, 4]),
    Shape("16864", "4", "m16n8k64", [2, 2, 4]),
    Shape("168128", "4", "m16n8k128", [4, 4, 4]),
];

impl Machine<'_> {
    /// Registers one behind the other, or zeros.
    pub(super) fn fragment(&mut self, first: Target, count: u8) -> Vec<String> {
        (0..count)
            .map(|index| {
                let at = first.next(index);
                let value = self.general(&Register {
                    file: at.file,
                    number: at.number,
                    ..Register::general(0)
                });
                self.emit.in_register(&value)
            })
            .collect()
    }

    /// Leaves words in registers one behind the other.
    fn leave_fragment(&mut self, first: Target, words: &[String]) {
        for (index, word) in words.iter().enumerate() {
            self.set(first.next(index as u8), word);
        }
    }
}

fn braces(words: &[String]) -> String {
    format!("{{{}}}", words.join(", "))
}

fn element(i: &Instruction, index: usize) -> Option<String> {
    let names = i.modifiers.iter().filter(|m| ["S8", "U8", "S4", "U4", "E4M3", "E5M2"].contains(m));
    names.map(|m| m.to_lowercase()).nth(index)
}

/// HMMA, IMMA, QMMA, BMMA, DMMA: D, A, B, C [, metadata, selector]
pub(super) fn mma(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let mut signed = || match o.next()? {
        Operand::Register(register) => {
            let first = Target { file: register.file, number: register.number };
            match register.signs {
                Signs { negated, absolute: false, inverted: false } => Ok((first, negated)),
                _ => unsupported(format!("operand `{register}`")),
            }
        }
        other => unsupported(format!("operand `{other}`")),
    };
    let sources = [signed()?, signed()?, signed()?];
    let sparse = i.has("SP");
    let (metadata, selector) = if sparse {
        let (metadata, false) = signed()? else { return unsupported("a minus") };
        (Some(metadata), o.integer()?)
    } else {
        (None, 0)
    };
    o.end()?;
    let kind = match i.opcode {
        "HMMA" if i.has("BF16") => "bf16",
        "HMMA" if i.has("TF32") => "tf32",
        "HMMA" => "f16",
        "BMMA" => "b1",
        "DMMA" => "f64",
        "QMMA" => "f8",
        _ if i.has("S4") || i.has("U4") => "4",
        _ => "8",
    };
    let shapes: &[Shape] = if sparse { &SPARSE } else { &DENSE };
    let Some(Shape(_, _, shape, counts)) =
        shapes.iter().find(|shape| i.has(shape.0) && shape.1 == kind)
    else {
        return unsupported("a shape");
    };
    let half_result = matches!(i.opcode, "HMMA" | "QMMA") && !i.has("F32");
    let counts = if half_result { [counts[0], counts[1], 2] } else { *counts };
    let types = match kind {
        "f16" if half_result => "f16.f16.f16.f16".to_owned(),
        "f8" => {
            let [Some(x), Some(y)] = [element(i, 0), element(i, 1)] else {
                return unsupported("types");
            };
            let sum = if half_result { "f16" } else { "f32" };
            format!("{sum}.{x}.{y}.{sum}")
        }
        "f64" => "f64.f64.f64.f64".to_owned(),
        "b1" => "s32.b1.b1.s32".to_owned(),
        "4" | "8" => {
            let [Some(x), Some(y)] = [element(i, 0), element(i, 1)] else {
                return unsupported("types");
            };
            format!("s32.{x}.{y}.s32")
        }
        other => format!("f32.{other}.{other}.f32"),
    };
    let saturate = if i.has("SAT") { ".satfinite" } else { "" };
    let operation = match () {
        () if i.has("XOR") => ".xor.popc",
        () if i.has("AND") => ".and.popc",
        () => "",
    };
    let sp = if sparse { ".sp" } else { "" };
    let rounding = match () {
        () if i.has("RM") => ".rm",
        () if i.has("RP") => ".rp",
        () if i.has("RZ") => ".rz",
        () => "",
    };
    // The bits of a word that are the signs of its numbers; of a pair, those of its second word.
    let signs = match kind {
        "f64" | "tf32" => 0x8000_0000u32,
        "f16" | "bf16" => 0x8000_8000,
        _ => 0,
    };
    let mut fragments = [vec![], vec![], vec![]];
    for (place, ((first, negated), count)) in sources.into_iter().zip(counts).enumerate() {
        let mut words = machine.fragment(first, count);
        if negated && (signs == 0 || place == 2 && kind != "f64") {
            return unsupported("a minus");
        }
        let (from, step) = if kind == "f64" { (1, 2) } else { (0, 1) };
        for word in words.iter_mut().skip(from).step_by(step).filter(|_| negated) {
            *word = machine.emit.b32("xor.b32", &[word, &format!("{signs:#x}")]);
        }
        fragments[place] = words;
    }
    let [a, b, c] = fragments;
    if kind == "f64" {
        return doubles(machine, target, [a, b, c], (shape, rounding));
    }
    if !rounding.is_empty() {
        return unsupported("a rounding");
    }
    let d: Vec<String> = (0..counts[2]).map(|_| machine.emit.temporary(Kind::B32)).collect();
    let last = match metadata {
        Some(metadata) => format!(", {}, {selector:#x}", machine.fragment(metadata, 1)[0]),
        None => String::new(),
    };
    machine.emit.guarded(format_args!(
        "mma{sp}.sync.aligned.{shape}.row.col{saturate}.{types}{operation} {}, {}, {}, {}{last}",
        braces(&d),
        braces(&a),
        braces(&b),
        braces(&c)
    ));
    machine.leave_fragment(target, &d);
    Ok(())
}

/// DMMA, whose registers are pairs.
fn doubles(
    machine: &mut Machine,
    target: Target,
    fragments: [Vec<String>; 3],
    (shape, rounding): (&str, &str),
) -> Lifted {
    let [a, b, c] = fragments.map(|words| {
        words
            .chunks(2)
            .map(|pair| machine.emit.joined(&pair[0], &pair[pair.len() - 1]))
            .collect::<Vec<_>>()
    });
    let d: Vec<String> = c.iter().map(|_| machine.emit.temporary(Kind::B64)).collect();
    let name = match (shape, rounding) {
        ("m8n8k4", rounding @ (".rm" | ".rp" | ".rz")) => {
            format!("wmma.mma.sync.aligned.row.col.m8n8k4{rounding}.f64.f64.f64.f64")
        }
        _ => format!("mma.sync.aligned.{shape}.row.col{rounding}.f64.f64.f64.f64"),
    };
    machine.emit.guarded(format_args!(
        "{name} {}, {}, {}, {}",
        braces(&d),
        braces(&a),
        braces(&b),
        braces(&c)
    ));
    for (index, value) in d.iter().enumerate() {
        machine.set_wide(target.next(2 * index as u8), value);
    }
    Ok(())
}

/// LDSM.16.M88[.2, .4] R, [address]; MT88 transposes.
pub(super) fn ldsm(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let address = o.address()?;
    o.end()?;
    if !i.has("16") {
        return unsupported("elements");
    }
    let (count, transposed) = of_matrices(i);
    let place = machine.shared_address(&address)?;
    let d: Vec<String> = (0..count).map(|_| machine.emit.temporary(Kind::B32)).collect();
    machine.emit.guarded(format_args!(
        "ldmatrix.sync.aligned.m8n8.x{count}{transposed}.shared.b16 {}, [{place}]",
        braces(&d)
    ));
    machine.leave_fragment(target, &d);
    Ok(())
}

/// STSM.16.layout[.count] [address], R
pub(super) fn stsm(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let address = o.address()?;
    let source = o.target()?;
    o.end()?;
    let (count, transposed) = of_matrices(i);
    let place = machine.shared_address(&address)?;
    let words = machine.fragment(source, count);
    machine.emit.guarded(format_args!(
        "stmatrix.sync.aligned.m8n8.x{count}{transposed}.shared.b16 [{place}], {}",
        braces(&words)
    ));
    Ok(())
}

/// How many matrices of 8 by 8 are read or written, and whether they are transposed.
fn of_matrices(i: &Instruction) -> (u8, &'static str) {
    let count = match () {
        () if i.has("4") => 4,
        () if i.has("2") => 2,
        () => 1,
    };
    (count, if i.has("MT88") { ".trans" } else { "" })
}

/// MOVM.16.MT88 R, R
pub(super) fn movm(machine: &mut Machine, mut o: Operands) -> Lifted {
    let target = o.target()?;
    let source = o.target()?;
    o.end()?;
    if o.instruction.modifiers != ["16", "MT88"] {
        return unsupported("a form");
    }
    let value = machine.fragment(source, 1);
    let result = machine.emit.temporary(Kind::B32);
    machine
        .emit
        .guarded(format_args!("movmatrix.sync.aligned.m8n8.trans.b16 {result}, {}", value[0]));
    machine.set(target, &result);
    Ok(())
}
