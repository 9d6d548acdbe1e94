//! Operands that are vectors: how many registers they have, and of which type.

use super::spec::{Codes, Spec};
use crate::modifier::{Modifier, ScalarType, VectorSize};

/// The registers of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Registers {
    pub type_: ScalarType,
    pub count: usize,
}

/// Instructions whose values are as long as their modifier says.
const SIZED: &[(&str, &[&str])] = &[
    ("Ld", &["d"]),
    ("Ldu", &["d"]),
    ("St", &["b"]),
    ("Atom", &["d", "b"]),
    ("Red", &["b"]),
    ("MultimemLdReduce", &["d"]),
    ("MultimemSt", &["b"]),
    ("MultimemRed", &["b"]),
    ("Tex", &["d"]),
    ("Suld", &["d"]),
];

/// The words of an instruction, by the names of its fields.
struct Words<'c> {
    spec: &'static Spec,
    codes: &'c Codes,
}

impl Words<'_> {
    fn word(&self, field: &str) -> Option<&'static str> {
        self.spec.word(self.codes, field)
    }

    fn type_(&self, field: &str) -> Option<ScalarType> {
        ScalarType::from_word(self.word(field)?)
    }

    /// `m16n8k8`, `m64n96k16`, and `m8n8` with a depth of 1.
    fn shape(&self) -> Option<[usize; 3]> {
        let numbers = self.word("shape")?.split(|c: char| !c.is_ascii_digit());
        let numbers: Vec<usize> = numbers.filter_map(|n| n.parse().ok()).collect();
        match numbers[..] {
            [m, n, k] => Some([m, n, k]),
            [m, n] => Some([m, n, 1]),
            _ => None,
        }
    }

    /// The 4 of `.x4`.
    fn repetitions(&self) -> Option<usize> {
        self.word("num")?.strip_prefix('x')?.parse().ok()
    }

    fn mma(&self, operand: &str, sparse: bool) -> Option<Registers> {
        let [m, n, k] = self.shape()?;
        let type_ = match operand {
            "d" => self.type_("dtype"),
            "a" => self.type_("atype"),
            "b" => self.type_("btype"),
            "c" => self.type_("ctype"),
            _ => None,
        };
        // Where all forms have the same type, it is no field.
        let type_ = type_.or(self.type_("type_")).unwrap_or(ScalarType::F16);
        let elements = match operand {
            "a" => m * k / if sparse { 2 } else { 1 },
            "b" => n * k,
            "c" | "d" => m * n,
            _ => return None,
        };
        // Four groups of eight threads multiply alike.
        let groups = if [m, n, k] == [8, 8, 4] && self.half_precision() { 4 } else { 1 };
        let four_bits = self.word("kind").is_some_and(|k| k.starts_with("kind::mxf4"));
        if four_bits && matches!(operand, "a" | "b") {
            return Some(Registers { type_: ScalarType::B32, count: elements / 32 * 4 / 32 });
        }
        Some(packed(type_, groups * elements / 32))
    }

    fn half_precision(&self) -> bool {
        matches!(self.type_("dtype"), Some(ScalarType::F16 | ScalarType::F32))
    }

    fn wmma(&self, matrix: &str, type_: ScalarType) -> Option<Registers> {
        let [m, n, k] = self.shape()?;
        let elements = match matrix {
            "a" => m * k,
            "b" => n * k,
            _ => m * n,
        };
        Some(match (type_, matrix) {
            // Each element is held twice.
            (ScalarType::F16, "a" | "b") => Registers { type_: ScalarType::F16x2, count: 8 },
            _ => packed(type_, elements / 32),
        })
    }
}

/// The registers that hold so many elements.
fn packed(type_: ScalarType, elements: usize) -> Registers {
    use ScalarType::*;
    let bits = match type_ {
        E2m3 | E3m2 | E2m1 => 8,
        type_ => type_.bits() as usize,
    };
    let count = (elements * bits).div_ceil(32).max(1);
    match type_ {
        F64 => Registers { type_, count: elements },
        F32 | Tf32 => Registers { type_, count },
        F16 => Registers { type_: F16x2, count },
        Bf16 => Registers { type_: Bf16x2, count },
        S32 | S8 | U8 => Registers { type_: S32, count },
        _ => Registers { type_: B32, count },
    }
}

fn dimensions(words: &Words<'_>) -> Option<usize> {
    words.word("dim")?.strip_suffix('d')?.parse().ok()
}

/// The registers of an operand that has to be a vector; none for one that is a single register or may be either.
pub(crate) fn registers(spec: &'static Spec, codes: &Codes, operand: &str) -> Option<Registers> {
    use ScalarType::*;
    let words = Words { spec, codes };
    let own = || spec.operands.iter().find(|o| o.name == operand)?.type_(codes);
    if let Some((_, values)) = SIZED.iter().find(|(name, _)| *name == spec.name) {
        let size = words.word("vec").and_then(VectorSize::from_word)?;
        return values
            .contains(&operand)
            .then(|| Some(Registers { type_: own()?, count: size.elements() }))?;
    }
    match (spec.name, operand) {
        ("Mma", _) if operand.starts_with("selector") => Some(Registers { type_: B16, count: 2 }),
        ("MmaSp", _) if operand.starts_with("selector") => Some(Registers { type_: B16, count: 2 }),
        ("Mma", _) => words.mma(operand, false),
        ("MmaSp", _) => {
            let registers = words.mma(operand, true)?;
            let unchecked = operand == "a" && registers.type_ == Bf16x2;
            Some(if unchecked { Registers { type_: B32, ..registers } } else { registers })
        }
        ("WmmaMma", "d" | "a" | "b" | "c") => {
            let field = format!("{operand}type");
            words.wmma(operand, words.type_(&field).unwrap_or(F16))
        }
        ("WmmaLoad", "r") => words.wmma(words.word("matrix")?, words.type_("type_")?),
        ("WmmaStore", "r") => words.wmma("d", words.type_("type_")?),
        ("Ldmatrix" | "Stmatrix", "r") => {
            let each = if words.shape()?[..2] == [16, 16] { 2 } else { 1 };
            Some(Registers { type_: B32, count: each * words.repetitions()? })
        }
        ("WgmmaMmaAsync" | "WgmmaMmaAsyncSp", "d") => {
            Some(packed(words.type_("dtype")?, words.shape()?[1] / 2))
        }
        ("WgmmaMmaAsync" | "WgmmaMmaAsyncSp", "a") => {
            let half = words.type_("atype") == Some(F16);
            Some(Registers { type_: if half { F16x2 } else { B32 }, count: 4 })
        }
        ("Tcgen05Ld" | "Tcgen05St", "r") => {
            let each = match words.word("shape")? {
                "16x128b" => 2,
                "16x256b" => 4,
                _ => 1,
            };
            Some(Registers { type_: B32, count: each * words.repetitions()? })
        }
        (_, "disable_output_lane") => {
            let pair = words.word("cta_group") == Some("cta_group::2");
            Some(Registers { type_: B32, count: if pair { 8 } else { 4 } })
        }
        (_, "tensor_coords") => {
            let mode = words.word("load_mode").unwrap_or_default();
            let rows = mode.ends_with("gather4") || mode.ends_with("scatter4");
            Some(Registers { type_: S32, count: if rows { 5 } else { dimensions(&words)? } })
        }
        (_, "im2col_info") => {
            let offsets = dimensions(&words)?.saturating_sub(2).max(1);
            let all = words.word("load_mode") == Some("im2col");
            Some(Registers { type_: U16, count: if all { offsets } else { 2 } })
        }
        ("ClusterlaunchcontrolQueryCancel", "d") if spec.flag(codes, "v4") => {
            Some(Registers { type_: own()?, count: 4 })
        }
        ("Tld4", "d") => Some(Registers { type_: own()?, count: 4 }),
        ("Cvt", "a") if words.word("dtype")?.ends_with("x4") => {
            Some(Registers { type_: F32, count: 4 })
        }
        _ => None,
    }
}
