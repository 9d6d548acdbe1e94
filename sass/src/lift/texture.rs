//! Textures: samples, fetches, gathers and queries.
//!
//! What an instruction takes lies in two groups of registers: coordinates, the layer before them; then the handle where it is no
//! constant, the level, the offsets in bits, and the value to compare with. With `.SCR` the groups are halves of one row, of which
//! the first has the odd one. The handle is the lower half of what programs know. Results are those of the mask, two at each of
//! two registers.

use super::emit::{Kind, unsupported};
use super::error::Reason;
use super::machine::{Lifted, Machine};
use super::operand::{Operands, Target};
use crate::instruction::{File, Instruction, Operand, Register};

/// The upper half of the handles of objects on the CPU, of which machine code keeps the lower one only.
const HANDLE: &str = "0x7e570000";

/// How an image is addressed.
struct Shape {
    /// In PTX.
    geometry: &'static str,
    axes: u8,
    is_layered: bool,
}

/// Shapes as instructions name them. A row is a plane of one row.
const SHAPES: [(&str, Shape); 7] = [
    ("1D", Shape { geometry: "1d", axes: 1, is_layered: false }),
    ("2D", Shape { geometry: "2d", axes: 2, is_layered: false }),
    ("3D", Shape { geometry: "3d", axes: 3, is_layered: false }),
    ("CUBE", Shape { geometry: "cube", axes: 3, is_layered: false }),
    ("ARRAY_1D", Shape { geometry: "a1d", axes: 1, is_layered: true }),
    ("ARRAY_2D", Shape { geometry: "a2d", axes: 2, is_layered: true }),
    ("ARRAY_CUBE", Shape { geometry: "acube", axes: 3, is_layered: true }),
];

impl Shape {
    fn words(&self) -> usize {
        usize::from(self.axes) + usize::from(self.is_layered)
    }

    /// A vector of coordinates or of what belongs to axes, as PTX has them: three are four.
    fn vector(words: &[String]) -> String {
        let mut words = words.to_vec();
        if words.len() == 3 {
            words.extend(words.last().cloned());
        }
        format!("{{{}}}", words.join(", "))
    }
}

/// The operands of an instruction.
struct Look {
    /// Where results go, the second of two first, as it is printed.
    to: [Target; 2],
    from: [Register; 2],
    /// Of a constant, or none where registers have it.
    handle: Option<String>,
    shape: &'static Shape,
    mask: u8,
}

fn register(o: &mut Operands) -> Result<Register, Reason> {
    match o.next()? {
        Operand::Register(register) if register.file == File::General => Ok(*register),
        other => unsupported(format!("operand `{other}` in place of a register")),
    }
}

/// A handle among the constants, in words, or in a uniform register; none where others have it.
pub(super) fn bound(machine: &mut Machine, o: &mut Operands) -> Result<Option<String>, Reason> {
    if let Some(Operand::Register(register)) = o.peek()
        && register.file == File::Uniform
    {
        let low = machine.general(register);
        o.next()?;
        return match o.integer()? {
            0 => Ok(Some(bindless(machine, &low))),
            _ => unsupported("a sampler apart from its texture"),
        };
    }
    if !matches!(o.peek(), Some(Operand::Immediate(_))) {
        return Ok(None);
    }
    let (bank, word) = (o.integer()?, o.integer()?);
    match (bank, i32::try_from(4 * word)) {
        (0, Ok(offset)) => machine.handle(offset).map(Some),
        _ => unsupported(format!("a texture in constant bank {bank}")),
    }
}

/// The handle whose lower half is in a register.
pub(super) fn bindless(machine: &mut Machine, low: &str) -> String {
    machine.emit.joined(low, HANDLE)
}

impl Look {
    fn read(machine: &mut Machine, o: &mut Operands) -> Result<Self, Reason> {
        let i = o.instruction;
        if o.optional_predicate().is_some() {
            return unsupported("whether texels were there");
        }
        let to = [o.target()?, o.target()?];
        let first = register(o)?;
        // Nothing is printed of a second group that is empty.
        let second = match o.peek() {
            Some(Operand::Register(next)) if next.file == File::General => register(o)?,
            _ => Register { number: Register::RZ, ..first },
        };
        let handle = bound(machine, o)?;
        let is_bound = handle.is_some();
        let name = o.special()?;
        let mask = if o.left() > 0 { o.integer()? } else { 15 };
        o.end()?;
        let gathers_blue = i.opcode == "TLD4" && !["R", "G", "A"].iter().any(|name| i.has(name));
        let named = i.modifiers.iter().filter(|name| **name == "B").count();
        if is_bound != (named == usize::from(gathers_blue)) {
            return unsupported("a handle of two kinds");
        }
        let Some((_, shape)) = SHAPES.iter().find(|(known, _)| *known == name) else {
            return unsupported(format!("textures as `{name}`"));
        };
        Ok(Self { to, from: [first, second], handle, shape, mask: mask as u8 })
    }

    /// The words of both groups: so many of the first one, and those behind.
    fn words(
        &self,
        machine: &mut Machine,
        i: &Instruction,
        first: usize,
        behind: usize,
    ) -> Vec<String> {
        let all = first + behind;
        let first = if i.has("SCR") { all.div_ceil(2) } else { first };
        let of_group = |group: usize, index: usize| {
            let register = self.from[group];
            let number = match register.is_zero() {
                true => register.number,
                false => register.number.saturating_add(index as u8),
            };
            Register { number, ..register }
        };
        (0..all)
            .map(|index| match index < first {
                true => of_group(0, index),
                false => of_group(1, index - first),
            })
            .map(|register| {
                let value = machine.general(&register);
                machine.emit.in_register(&value)
            })
            .collect()
    }

    /// The registers of the four channels. Of halves two share one.
    fn results(&self, machine: &mut Machine) -> Vec<String> {
        let [behind, before] = self.to;
        let places = [before, before.next(1), behind, behind.next(1)];
        let mut places = places.into_iter();
        let mut results = Vec::new();
        for channel in 0..4 {
            let place = (self.mask >> channel & 1 == 1).then(|| places.next()).flatten();
            results.push(match place {
                Some(place) => machine.place(place),
                None => machine.emit.temporary(Kind::B32),
            });
        }
        results
    }

    /// Leaves what an instruction of PTX gives. `type_` is that of coordinates, `operands` what stands behind the results.
    fn finish(
        &self,
        machine: &mut Machine,
        i: &Instruction,
        operation: &str,
        type_: &str,
        operands: &str,
    ) -> Lifted {
        let (result, places) = match i.has("F16") {
            true => ("v2.f16x2", self.halves(machine)?),
            false => ("v4.u32", self.results(machine)),
        };
        let geometry = self.shape.geometry;
        let places = places.join(", ");
        machine.emit.guarded(format_args!(
            "{operation}.{geometry}.{result}.{type_} {{{places}}}, {operands}"
        ));
        Ok(())
    }

    /// The registers of two pairs of halves.
    fn halves(&self, machine: &mut Machine) -> Result<Vec<String>, Reason> {
        let [behind, before] = self.to;
        match self.mask {
            15 => Ok(vec![machine.place(before), machine.place(behind)]),
            3 => Ok(vec![machine.place(before), machine.emit.temporary(Kind::B32)]),
            // Where the others go was never seen.
            _ => unsupported("some halves of a texel"),
        }
    }
}

/// Directions are scaled before code gives them to a cube: multiplied by the reciprocal of their greatest component, which makes
/// that about 1. PTX does that once more: the greatest one, of several the last as it chooses the face, is given as 1, which
/// leaves the others as they are. Where the reciprocal was zero or infinite, what is given becomes the same zeros, infinities
/// and what is no number.
fn unscaled(machine: &mut Machine, words: &mut [String]) {
    const INFINITE: &str = "0x7f800000";
    /// A number whose reciprocal is zero, subnormal ones being that, and one whose reciprocal is infinite.
    const HUGE: &str = "0x7f000000";
    const TINY: &str = "1";
    let emit = &mut machine.emit;
    let sizes: Vec<String> =
        words.iter().map(|word| emit.b32("and.b32", &[word, "0x7fffffff"])).collect();
    let not_numbers: Vec<String> =
        sizes.iter().map(|size| emit.flag("setp.gt.u32", &[size, INFINITE])).collect();
    let sizes: Vec<String> = sizes
        .iter()
        .zip(&not_numbers)
        .map(|(size, not_number)| emit.b32("selp.b32", &["0", size, not_number]))
        .collect();
    let mut greatest = "0".to_owned();
    let mut others = "0".to_owned();
    for (size, not_number) in sizes.iter().zip(&not_numbers) {
        greatest = emit.b32("max.u32", &[size, &greatest]);
        others = emit.b32("selp.b32", &["1", &others, not_number]);
    }
    let is_infinite = emit.flag("setp.eq.u32", &[&greatest, INFINITE]);
    let is_zero = emit.flag("setp.eq.u32", &[&greatest, "0"]);
    let has_others = emit.flag("setp.ne.u32", &[&others, "0"]);
    // What a component has to be to choose the face: nothing is, once one was found.
    let mut wanted = greatest;
    for ((word, size), not_number) in words.iter_mut().zip(&sizes).zip(&not_numbers).rev() {
        let sign = emit.b32("and.b32", &[word, "0x80000000"]);
        let [tiny, huge, one] =
            [TINY, HUGE, "0x3f800000"].map(|magnitude| emit.b32("or.b32", &[&sign, magnitude]));
        let tiny = emit.b32("selp.b32", &["0", &tiny, not_number]);
        let other = emit.b32("selp.b32", &[INFINITE, word, not_number]);
        let zero = emit.b32("selp.b32", &[&other, &huge, &has_others]);
        let chooses = emit.flag("setp.eq.u32", &[size, &wanted]);
        wanted = emit.b32("selp.b32", &["0xffffffff", &wanted, &chooses]);
        let usual = emit.b32("selp.b32", &[&one, word, &chooses]);
        let usual = emit.b32("selp.b32", &[&zero, &usual, &is_zero]);
        *word = emit.b32("selp.b32", &[&tiny, &usual, &is_infinite]);
    }
}

/// Numbers of some bits, one after the other, with signs.
fn offsets(machine: &mut Machine, word: &str, axes: u8, step: u8, bits: u8) -> String {
    let numbers: Vec<String> = (0..axes)
        .map(|axis| {
            machine.emit.b32("bfe.s32", &[word, &(axis * step).to_string(), &bits.to_string()])
        })
        .collect();
    match numbers.as_slice() {
        [one] => one.clone(),
        all => Shape::vector(all),
    }
}

/// What stands behind the coordinates, by its place in the row.
struct Row {
    words: std::vec::IntoIter<String>,
}

impl Row {
    fn next(&mut self) -> Result<String, Reason> {
        self.words.next().ok_or_else(|| Reason::Invalid("too few registers".to_owned()))
    }
}

/// `TEX` and `TLD`: a level is always there, or is the first one.
fn look(machine: &mut Machine, mut o: Operands, type_: &str) -> Lifted {
    let i = o.instruction;
    let look = Look::read(machine, &mut o)?;
    let [has_level, has_offset, compares] = ["LL", "AOFFI", "DC"].map(|name| i.has(name));
    if !has_level && !i.has("LZ") {
        return unsupported("a level that neighbours choose");
    }
    let is_bindless = look.handle.is_none();
    let behind = [is_bindless, has_level, has_offset, compares].into_iter().filter(|is| *is);
    let first = look.shape.words();
    let mut words = look.words(machine, i, first, behind.count());
    let rest = words.split_off(first.min(words.len()));
    let mut row = Row { words: rest.into_iter() };
    if look.shape.geometry.ends_with("cube") {
        unscaled(machine, &mut words[usize::from(look.shape.is_layered)..]);
    }
    let handle = match &look.handle {
        Some(handle) => handle.clone(),
        None => bindless(machine, &row.next()?),
    };
    let mut operands = format!("[{handle}, {}]", Shape::vector(&words));
    let level = match has_level {
        true => row.next()?,
        false => machine.emit.b32("mov.b32", &["0"]),
    };
    operands.push_str(&format!(", {level}"));
    if has_offset {
        let word = row.next()?;
        // Rows have no other axis whose bits could be taken for one.
        operands.push_str(&format!(", {}", offsets(machine, &word, look.shape.axes, 4, 4)));
    }
    if compares {
        operands.push_str(&format!(", {}", row.next()?));
    }
    look.finish(machine, i, "tex.level", type_, &operands)
}

pub(super) fn sample(machine: &mut Machine, o: Operands) -> Lifted {
    look(machine, o, "f32")
}

pub(super) fn fetch(machine: &mut Machine, o: Operands) -> Lifted {
    look(machine, o, "s32")
}

/// `TXD`: the handle stands before the coordinates, and layer and offsets behind them, 16 bits each. Slopes along x and y take
/// turns.
pub(super) fn slopes(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let look = Look::read(machine, &mut o)?;
    let axes = usize::from(look.shape.axes);
    let is_bindless = look.handle.is_none();
    let has_offset = i.has("AOFFI");
    let has_word = look.shape.is_layered || has_offset;
    let first = usize::from(is_bindless) + axes + usize::from(has_word);
    let words = look.words(machine, i, first, 2 * axes);
    let mut row = Row { words: words.into_iter() };
    let handle = match &look.handle {
        Some(handle) => handle.clone(),
        None => bindless(machine, &row.next()?),
    };
    let mut coordinates: Vec<String> = (0..axes).map(|_| row.next()).collect::<Result<_, _>>()?;
    let word = if has_word { Some(row.next()?) } else { None };
    let [mut along_x, mut along_y] = [Vec::new(), Vec::new()];
    for _ in 0..axes {
        along_x.push(row.next()?);
        along_y.push(row.next()?);
    }
    if let Some(word) = &word
        && look.shape.is_layered
    {
        coordinates.insert(0, machine.emit.b32("and.b32", &[word, "0xffff"]));
    }
    let mut operands = format!(
        "[{handle}, {}], {}, {}",
        Shape::vector(&coordinates),
        Shape::vector(&along_x),
        Shape::vector(&along_y)
    );
    if let Some(word) = &word
        && has_offset
    {
        let word = machine.emit.b32("shr.u32", &[word, "16"]);
        operands.push_str(&format!(", {}", offsets(machine, &word, look.shape.axes, 4, 4)));
    }
    look.finish(machine, i, "tex.grad", "f32", &operands)
}

/// `TLD4`
pub(super) fn gather(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let look = Look::read(machine, &mut o)?;
    let [has_offset, compares] = ["AOFFI", "DC"].map(|name| i.has(name));
    let is_bindless = look.handle.is_none();
    let first = look.shape.words();
    let behind = [is_bindless, has_offset, compares].into_iter().filter(|is| *is).count();
    let mut words = look.words(machine, i, first, behind);
    let rest = words.split_off(first.min(words.len()));
    let mut row = Row { words: rest.into_iter() };
    if look.shape.geometry.ends_with("cube") {
        unscaled(machine, &mut words[usize::from(look.shape.is_layered)..]);
    }
    let handle = match &look.handle {
        Some(handle) => handle.clone(),
        None => bindless(machine, &row.next()?),
    };
    let mut operands = format!("[{handle}, {}]", Shape::vector(&words));
    if has_offset {
        let word = row.next()?;
        operands.push_str(&format!(", {}", offsets(machine, &word, look.shape.axes, 8, 6)));
    }
    if compares {
        operands.push_str(&format!(", {}", row.next()?));
    }
    let component = ["R", "G", "A"].into_iter().find(|name| i.has(name)).unwrap_or("B");
    look.finish(machine, i, &format!("tld4.{}", component.to_lowercase()), "f32", &operands)
}

/// `TXQ`: sizes, of a level.
pub(super) fn query(machine: &mut Machine, mut o: Operands) -> Lifted {
    let i = o.instruction;
    let to = [o.target()?, o.target()?];
    let from = register(&mut o)?;
    let what = o.special()?;
    // What stands behind a handle in a register is the mask alone.
    let handle = if i.has("B") { None } else { bound(machine, &mut o)? };
    let mask = o.integer()?;
    o.end()?;
    if what != "TEX_HEADER_DIMENSION" {
        return unsupported(format!("`{what}`"));
    }
    let first = machine.general(&from);
    let (handle, level) = match handle {
        Some(handle) => (handle, first),
        None => {
            let level = match from.is_zero() {
                true => from,
                false => Register { number: from.number.saturating_add(1), ..from },
            };
            let level = machine.general(&level);
            (bindless(machine, &first), level)
        }
    };
    // Results may lie where the level did.
    let level = machine.emit.b32("mov.b32", &[&level]);
    let [behind, before] = to;
    let mut places = [before, before.next(1), behind, behind.next(1)].into_iter();
    for (index, query) in ["width", "height", "depth"].into_iter().enumerate() {
        if mask >> index & 1 == 1
            && let Some(place) = places.next()
        {
            let place = machine.place(place);
            machine
                .emit
                .guarded(format_args!("txq.level.{query}.b32 {place}, [{handle}], {level}"));
        }
    }
    // The fourth are the levels.
    match mask >> 3 & 1 {
        0 => Ok(()),
        _ => unsupported("how many levels there are"),
    }
}
