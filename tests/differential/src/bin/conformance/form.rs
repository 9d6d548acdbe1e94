//! [`Form`]: one instruction form, as a kernel that applies it to every case.

use std::fmt::Write;

use rustc_apfloat::ieee::{BFloat, Double, Half};
use rustc_apfloat::{Float, FloatConvert};

use crate::elements::Element;
use crate::values;

/// Cases of a form at most, and where it does not say otherwise: threads of its launch.
pub const CASES: usize = 512;
/// Threads of a block where the form does not say otherwise.
pub const THREADS: usize = 64;
/// Bytes of scratch memory that each thread has, in global and in shared memory.
pub const SCRATCH: usize = 16;

/// The kind of an operand's values; decides its register and its interesting values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// An integer, or bits, of 8 (in a 16-bit register), 16, 32 or 64 bits.
    Int(u32),
    /// A 32-bit count that may lie beyond the width.
    Shift,
    F16,
    Bf16,
    F16x2,
    Bf16x2,
    F32,
    F64,
    /// Two floats in 64 bits.
    F32x2,
    /// A predicate: 0 or 1.
    Flag,
    /// 64 bits of elements of a matrix.
    Elements(Element),
}

impl Type {
    /// The width of the register, in bits.
    pub fn bits(self) -> u32 {
        match self {
            Type::Int(8) | Type::F16 | Type::Bf16 => 16,
            Type::Int(bits) => bits,
            Type::Shift | Type::F16x2 | Type::Bf16x2 | Type::F32 | Type::Flag => 32,
            Type::F64 | Type::F32x2 | Type::Elements(_) => 64,
        }
    }
}

/// The greatest distance of an output from the recorded one.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    Exact,
    /// Units in the last place of the recorded value, or this much in absolute terms.
    Ulp(u64, f64),
}

#[derive(Clone)]
pub struct Form {
    pub family: &'static str,
    pub name: String,
    /// PTX that reads `%a`, `%b`, `%c`, `%e` and writes `%d`, and may use `%q` (a predicate), `%lane`, the
    /// thread's scratch memory at `[%g]` (global) and `[%s]` (shared), and `%x` (the second output).
    pub body: String,
    pub operands: Vec<Type>,
    pub result: Type,
    /// The type of `%x`, where the form writes it.
    pub second: Option<Type>,
    pub bound: Bound,
    /// `.target` and `.version`.
    pub target: (&'static str, &'static str),
    /// Threads of the launch, up to [`CASES`]; the operands' columns have [`CASES`] words all the same.
    pub cases: usize,
    /// Threads of a block.
    pub threads: usize,
    /// Bytes of shared memory of a block.
    pub shared: usize,
    /// Blocks in a cluster; 0 for no clusters.
    pub cluster: u32,
    /// The code that runs in place of the body on a GPU that lacks the instruction: those that define it.
    stand_in: Option<String>,
    /// Gives both outputs for the operands of a case, where no GPU at hand does.
    model: Option<Model>,
}

type Model = std::rc::Rc<dyn Fn(&[u64]) -> [u64; 2]>;

/// The library or GPU that runs a form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// The GPU whose answers are kept.
    Recorder,
    /// The library under test.
    Tested,
}

impl Form {
    /// A form for sm_90 that has to agree exactly; its name is the first word of the body.
    pub fn new(family: &'static str, body: &str, result: Type, operands: &[Type]) -> Self {
        let name =
            body.split_whitespace().next().unwrap_or_default().trim_end_matches(';').to_owned();
        Self {
            family,
            name,
            body: body.to_owned(),
            operands: operands.to_vec(),
            result,
            second: None,
            bound: Bound::Exact,
            target: ("sm_90", "8.3"),
            cases: CASES,
            threads: THREADS,
            shared: THREADS * SCRATCH,
            cluster: 0,
            stand_in: None,
            model: None,
        }
    }

    /// The recording GPU runs this in place of the body.
    pub fn recorded_as(mut self, body: String) -> Self {
        self.stand_in = Some(body);
        self
    }

    /// No GPU has recorded the form; this computes what is expected, apart from the code under test.
    pub fn modelled(mut self, model: impl Fn(&[u64]) -> [u64; 2] + 'static) -> Self {
        self.target = ("sm_100a", "8.8");
        self.model = Some(std::rc::Rc::new(model));
        self
    }

    /// The outputs by the form's model, where it has one.
    pub fn computed(&self) -> Option<Vec<u64>> {
        let model = self.model.as_ref()?;
        let columns = self.inputs();
        let case = |case: usize| -> [u64; 2] {
            let operands: Vec<u64> = columns.iter().map(|column| column[case]).collect();
            model(&operands)
        };
        Some((0..CASES).flat_map(case).collect())
    }

    /// The form with another `.version`.
    pub fn version(mut self, version: &'static str) -> Self {
        self.target.1 = version;
        self
    }

    /// The form with clusters of this many blocks.
    pub fn cluster(mut self, blocks: u32) -> Self {
        self.cluster = blocks;
        self
    }

    /// The form with another name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The form with a bound in units in the last place, or in absolute terms.
    pub fn within(mut self, ulp: u64, absolute: f64) -> Self {
        self.bound = Bound::Ulp(ulp, absolute);
        self
    }

    /// The form with a second output, of this type.
    pub fn second(mut self, ty: Type) -> Self {
        self.second = Some(ty);
        self
    }

    /// The operands of all cases; the seed is the form's name, so that a form keeps its inputs.
    pub fn inputs(&self) -> Vec<Vec<u64>> {
        let seed = self.name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3)
        });
        values::columns(&self.operands, self.cases, seed)
    }

    /// A module whose kernel `form` applies the body to one case a thread.
    pub fn ptx(&self, runner: Runner) -> String {
        let mut text = String::new();
        let (body, (target, version)) = match &self.stand_in {
            Some(body) if runner == Runner::Recorder => (body, ("sm_90", "8.3")),
            _ => (&self.body, self.target),
        };
        writeln!(text, ".version {version}\n.target {target}\n.address_size 64").unwrap();
        writeln!(
            text,
            ".visible .entry form(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4, .param .u64 p5)"
        )
        .unwrap();
        if self.cluster != 0 {
            writeln!(text, ".explicitcluster .reqnctapercluster {}", self.cluster).unwrap();
        }
        writeln!(text, "{{").unwrap();
        writeln!(text, "  .shared .align 1024 .b8 memory[{}];", self.shared).unwrap();
        writeln!(text, "  .reg .b64 %t<8>; .reg .b32 %i<8>; .reg .pred %q, %p; .reg .b64 %g; .reg .b32 %s, %lane;").unwrap();
        let register = |ty: Type| ty.bits();
        for (name, ty) in ["a", "b", "c", "e"].iter().zip(&self.operands) {
            writeln!(text, "  .reg .b{} %{name};", register(*ty)).unwrap();
        }
        writeln!(text, "  .reg .b{} %d;", register(self.result)).unwrap();
        writeln!(text, "  .reg .b{} %x;", self.second.map_or(32, register)).unwrap();
        text.push_str(
            "  mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x; mad.lo.s32 %i3, %i0, %i1, %i2;\n  \
             mov.u32 %lane, %laneid;\n",
        );
        for (index, (name, ty)) in ["a", "b", "c", "e"].iter().zip(&self.operands).enumerate() {
            let bits = register(*ty);
            writeln!(
                text,
                "  ld.param.u64 %t0, [p{index}]; cvta.to.global.u64 %t0, %t0; mad.wide.u32 %t1, %i3, 8, %t0; ld.global.b{bits} %{name}, [%t1];"
            )
            .unwrap();
        }
        writeln!(
            text,
            "  ld.param.u64 %t0, [p5]; cvta.to.global.u64 %t0, %t0; mad.wide.u32 %g, %i3, {SCRATCH}, %t0;\n  \
             mov.u32 %i4, memory; mad.lo.u32 %s, %i2, {SCRATCH}, %i4;"
        )
        .unwrap();
        text.push_str("  mov.b32 %i5, 0; ");
        let zero = |bits: u32, name: &str| match bits {
            16 => format!("mov.b16 {name}, 0; "),
            bits => format!("mov.b{bits} {name}, 0; "),
        };
        text.push_str(&zero(register(self.result), "%d"));
        text.push_str(&zero(self.second.map_or(32, register), "%x"));
        writeln!(text, "\n  {{ {body} }}").unwrap();
        let store = |bits: u32, name: &str, offset: u32| {
            format!("st.global.b{bits} [%t1+{offset}], {name};")
        };
        writeln!(
            text,
            "  ld.param.u64 %t0, [p4]; cvta.to.global.u64 %t0, %t0; mad.wide.u32 %t1, %i3, 16, %t0; {} {}",
            store(register(self.result), "%d", 0),
            store(self.second.map_or(32, register), "%x", 8)
        )
        .unwrap();
        text.push_str("  ret;\n}\n");
        text
    }

    /// The first case where the outputs are too far apart, with its operands. Where all is `exact`, any difference is
    /// too much.
    pub fn first_difference(&self, expected: &[u64], found: &[u64], exact: bool) -> Option<String> {
        let columns = self.inputs();
        for case in 0..self.cases {
            for word in 0..2 {
                let (expected, found) = (expected[2 * case + word], found[2 * case + word]);
                let ty = if word == 0 { self.result } else { self.second.unwrap_or(Type::Int(32)) };
                if expected != found && (exact || !self.close(ty, expected, found)) {
                    let operands: Vec<String> =
                        columns.iter().map(|column| format!("{:#x}", column[case])).collect();
                    return Some(format!(
                        "case {case} ({}): expected {expected:#x}, found {found:#x}",
                        operands.join(", ")
                    ));
                }
            }
        }
        None
    }

    /// NaNs have to agree in every bit even where numbers need not.
    fn close(&self, ty: Type, expected: u64, found: u64) -> bool {
        let Bound::Ulp(ulp, absolute) = self.bound else { return expected == found };
        if let Type::F16x2 | Type::Bf16x2 = ty {
            let half = if ty == Type::F16x2 { Type::F16 } else { Type::Bf16 };
            return [0, 16].into_iter().all(|shift| {
                self.close(half, expected >> shift & 0xffff, found >> shift & 0xffff)
            });
        }
        if expected == found {
            return true;
        }
        let (a, b) = (number(ty, expected), number(ty, found));
        if a.is_nan() || b.is_nan() {
            return false;
        }
        if (a - b).abs() <= absolute {
            return true;
        }
        // Patterns of one sign are ordered like the numbers that they stand for.
        a.is_sign_positive() == b.is_sign_positive() && expected.abs_diff(found) <= ulp
    }
}

/// The number that the bits of a floating-point type stand for.
fn number(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F64 => f64::from_bits(bits),
        Type::F16 => wide::<Half>(bits & 0xffff),
        Type::Bf16 => wide::<BFloat>(bits & 0xffff),
        _ => f32::from_bits(bits as u32) as f64,
    }
}

fn wide<F: FloatConvert<Double>>(bits: u64) -> f64 {
    f64::from_bits(F::from_bits(bits.into()).convert(&mut false).value.to_bits() as u64)
}
