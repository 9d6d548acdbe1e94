//! Products of matrices by warp groups: the accumulators lie in registers one behind the other, the factors where descriptors in
//! uniform registers say, or the first in four registers.

use super::emit::{Truth, unsupported};
use super::error::Reason;
use super::machine::{Lifted, Machine};
use super::memory::vector;
use super::operand::{Operands, Target};
use crate::instruction::{Instruction, Matrices, Operand, Register};

/// HGMMA, IGMMA, QGMMA, BGMMA: D, [A,] descriptors, C [, P] [, metadata [, selector]] [, gsb0]
pub(super) fn mma(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let target = o.target()?;
    let mut first = None;
    if let Some(Operand::Register(register)) = o.peek() {
        first = Some(*register);
        o.next()?;
    }
    let Operand::Matrices(matrices) = o.next()? else { return unsupported("descriptors") };
    let matrices = *matrices;
    let sum = o.target()?;
    let scale = match o.peek() {
        Some(Operand::Predicate(_)) => o.truth(machine)?,
        _ => Truth::Constant(true),
    };
    let sparse = i.has("SP");
    let metadata = if sparse { Some(o.target()?) } else { None };
    let selector = match o.peek() {
        Some(Operand::Immediate(_)) => o.integer()?,
        _ => 0,
    };
    if let Some(Operand::Word("gsb0")) = o.peek() {
        o.next()?;
    }
    o.end()?;
    let is_nothing = scale == Truth::Constant(false) && sum.number == Register::RZ;
    if sum.number != target.number && !is_nothing {
        return unsupported("a sum elsewhere");
    }
    let (shape, columns) = shape(i)?;
    let types = Types::of(i)?;
    let words = if types.result == "f16" { columns / 4 } else { columns / 2 };
    let Ok(words) = u8::try_from(words) else { return unsupported("a shape") };
    let results: Vec<String> = (0..words).map(|index| machine.place(target.next(index))).collect();
    let of_both = first.is_none();
    let a = match first {
        None => machine.descriptor(&matrices.register, 0),
        Some(register) => {
            let first = Target { file: register.file, number: register.number };
            vector(&machine.fragment(first, 4))
        }
    };
    // Where the first factor is in registers, the place of its descriptor is left out.
    let b = machine.descriptor(&matrices.register, 2);
    let minus_a = matrices.negated[0] || first.is_some_and(|register| register.signs.negated);
    let scale = machine.emit.truth_register(&scale);
    let mut text = format!(
        "wgmma.mma_async{}.sync.aligned.{shape}{}.{} {{{}}}, {a}, {b}",
        if sparse { ".sp" } else { "" },
        if i.has("SAT") { ".satfinite" } else { "" },
        types.text,
        results.join(", ")
    );
    if let Some(metadata) = metadata {
        let value = machine.place(metadata);
        let (value, selector) = match i.has("REGOFFSET") {
            true if !(0..2).contains(&selector) => return unsupported("a selector"),
            true => (of_own_columns(machine, i, &value, selector), 0),
            false => (value, selector),
        };
        text.push_str(&format!(", {value}, {selector}"));
    }
    text.push_str(&format!(", {scale}{}", types.behind(&matrices, minus_a, of_both)?));
    machine.emit.guarded(text);
    Ok(())
}

/// The metadata as `wgmma` has it. With `REGOFFSET`, of which there is nothing in PTX, each of the four threads of a row has that of columns of
/// its own (measured on an H200), in turn for the row, the row eight below, and both of these half of the columns behind. A column is four bits,
/// and of 16 bits those count that the selector names; of elements of 8 bits it is two columns, a byte, and all bits count. `wgmma` has those of
/// a row side by side: for the first half of the columns in the first thread, with those of the row eight below above them, and for the second
/// half in the second thread; of elements of 8 bits in a thread for each of the four.
fn of_own_columns(machine: &mut Machine, i: &Instruction, metadata: &str, selector: i64) -> String {
    let emit = &mut machine.emit;
    let are_bytes = i.opcode != "HGMMA";
    let own = emit.b32("shr.u32", &[metadata, &(16 * selector).to_string()]);
    let lane = emit.b32("mov.u32", &["%laneid"]);
    let place = emit.b32("and.b32", &[&lane, if are_bytes { "3" } else { "1" }]);
    let from = emit.b32("shl.b32", &[&place, "3"]);
    let mut whole = "0".to_owned();
    for thread in 0..4_u32 {
        let of = emit.b32("shfl.sync.idx.b32", &[&own, &thread.to_string(), "0x1c1f", "-1"]);
        let byte = emit.b32("shr.u32", &[&of, &from]);
        let parts = match are_bytes {
            true => vec![("0xff", 8 * thread)],
            false => vec![("0xf", 4 * thread), ("0xf0", 12 + 4 * thread)],
        };
        for (bits, up) in parts {
            let part = emit.b32("and.b32", &[&byte, bits]);
            let part = emit.b32("shl.b32", &[&part, &up.to_string()]);
            whole = emit.b32("or.b32", &[&whole, &part]);
        }
    }
    whole
}

/// The shape as PTX has it, and its columns.
fn shape(i: &Instruction) -> Result<(String, u32), Reason> {
    let found = i.modifiers.iter().find_map(|name| {
        let (columns, depth) = name.strip_prefix("64x")?.split_once('x')?;
        Some((format!("m64n{columns}k{depth}"), columns.parse().ok()?))
    });
    found.ok_or_else(|| Reason::Unsupported("a shape".to_owned()))
}

struct Types {
    /// As PTX has them.
    text: String,
    result: &'static str,
    /// Whether factors may have a minus, and may lie transposed.
    minus: bool,
    transposed: bool,
}

impl Types {
    fn of(i: &Instruction) -> Result<Self, Reason> {
        let elements = |names: &[&str]| -> Vec<String> {
            let found = i.modifiers.iter().filter(|name| names.contains(name));
            found.map(|name| name.to_lowercase()).collect()
        };
        let result = match i.opcode {
            "IGMMA" | "BGMMA" => "s32",
            _ if i.has("F32") => "f32",
            _ => "f16",
        };
        let text = match i.opcode {
            "HGMMA" => {
                let of = ["BF16", "TF32"].into_iter().find(|name| i.has(name)).unwrap_or("F16");
                let of = of.to_lowercase();
                format!("{result}.{of}.{of}")
            }
            "BGMMA" => "s32.b1.b1.and.popc".to_owned(),
            _ => match elements(&["U8", "S8", "E4M3", "E5M2"]).as_slice() {
                [a, b] => format!("{result}.{a}.{b}"),
                _ => return unsupported("types"),
            },
        };
        let of_halves = i.opcode == "HGMMA" && !i.has("TF32");
        let minus = matches!(i.opcode, "HGMMA" | "QGMMA");
        Ok(Self { text, result, minus, transposed: of_halves })
    }

    /// What stands behind the scale.
    fn behind(&self, matrices: &Matrices, minus_a: bool, of_both: bool) -> Result<String, Reason> {
        let [transposed_a, transposed_b] = matrices.transposed;
        let minus_b = matrices.negated[1];
        if !self.minus && (minus_a || minus_b) || !self.transposed && (transposed_a || transposed_b)
        {
            return unsupported("modifiers of descriptors");
        }
        let mut text = String::new();
        if self.minus {
            for is_negated in [minus_a, minus_b] {
                text.push_str(if is_negated { ", -1" } else { ", 1" });
            }
        }
        if self.transposed {
            let all = [(of_both, transposed_a), (true, transposed_b)];
            for (_, transposed) in all.into_iter().filter(|(is_there, _)| *is_there) {
                text.push_str(&format!(", {}", u8::from(transposed)));
            }
        }
        Ok(text)
    }
}

impl Machine<'_> {
    /// The descriptor in two uniform registers, so many behind one. Its lowest 14 bits are an address of shared memory, in units of 16 bytes.
    fn descriptor(&mut self, first: &Register, more: u8) -> String {
        let [low, high] = [more, more + 1].map(|more| {
            let at = Register { number: first.number.saturating_add(more), ..*first };
            self.general(&at)
        });
        let base = self.shared_word();
        let units = self.emit.b32("shr.u32", &[&base, "4"]);
        let place = self.emit.b32("add.s32", &[&low, &units]);
        let place = self.emit.b32("and.b32", &[&place, "0x3fff"]);
        let rest = self.emit.b32("and.b32", &[&low, "0xffffc000"]);
        let low = self.emit.b32("or.b32", &[&rest, &place]);
        self.emit.joined(&low, &high)
    }
}

/// WARPGROUP.ARRIVE: registers are there for the products behind; WARPGROUP.DEPBAR.LE gsb0, n: waits for those before.
pub(super) fn order(machine: &mut Machine, o: Operands) -> Lifted {
    if o.instruction.has("ARRIVE") {
        machine.emit.guarded("wgmma.fence.sync.aligned");
    } else {
        machine.emit.guarded("wgmma.commit_group.sync.aligned");
        machine.emit.guarded("wgmma.wait_group.sync.aligned 0");
    }
    Ok(())
}
