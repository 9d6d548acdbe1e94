//! Functions of LLVM IR between calls and what the library has for many operations.

use std::fmt::{self, Display, Formatter};

use simt_abi::{MatrixKind, MatrixOperation};

/// An operation of two words, in scalar registers. Parameters cannot be there on GPUs where the first of these registers
/// describe scratch memory: LLVM 22 gives both the same ones.
const OPERATION: &str = "  \
  %first = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %low)
  %second = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %high)
  %lower = zext i32 %first to i64
  %wide = zext i32 %second to i64
  %upper = shl i64 %wide, 32
  %operation = or i64 %lower, %upper
";

/// A function of words, which gives words, around one of memory: `void (i64 operation, ptr words, ptr results)`.
pub struct OfWords<'a> {
    pub name: &'a str,
    /// The operation; where there is none, the function gets it, the same for all lanes.
    pub number: Option<u64>,
    pub inputs: u32,
    pub results: u32,
    pub body: &'a str,
    /// Attributes.
    pub limits: &'a str,
}

impl Display for OfWords<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, inputs, results, body, limits, .. } = *self;
        let result = match results {
            0 => "void".to_owned(),
            _ => format!("{{ {} }}", vec!["i32"; results as usize].join(", ")),
        };
        let mut parameters: Vec<_> = (0..inputs).map(|index| format!("i32 %in{index}")).collect();
        let operation = self.number.map_or("%operation".to_owned(), |number| number.to_string());
        if self.number.is_none() {
            parameters.splice(0..0, ["i32 %low".to_owned(), "i32 %high".to_owned()]);
        }
        let parameters = parameters.join(", ");
        writeln!(
            f,
            "define hidden {result} @{name}({parameters}) nounwind convergent {limits} {{"
        )?;
        for (array, count) in [("from", inputs), ("to", results)] {
            writeln!(f, "  %{array}.own = alloca [{count} x i32], addrspace(5)")?;
            writeln!(f, "  %{array} = addrspacecast ptr addrspace(5) %{array}.own to ptr")?;
            for index in 0..count {
                writeln!(f, "  %{array}{index} = getelementptr i32, ptr %{array}, i64 {index}")?;
            }
        }
        for index in 0..inputs {
            writeln!(f, "  store i32 %in{index}, ptr %from{index}")?;
        }
        if self.number.is_none() {
            f.write_str(OPERATION)?;
        }
        writeln!(f, "  call void @zluda.amd.{body}(i64 {operation}, ptr %from, ptr %to)")?;
        let mut all = "poison".to_owned();
        for index in 0..results {
            writeln!(f, "  %out{index} = load i32, ptr %to{index}")?;
            let value = format!("i32 %out{index}, {index}");
            writeln!(f, "  %all{index} = insertvalue {result} {all}, {value}")?;
            all = format!("%all{index}");
        }
        match results {
            0 => f.write_str("  ret void\n}\n"),
            _ => writeln!(f, "  ret {result} {all}\n}}"),
        }
    }
}

/// As `specialise_operations.rs` names it.
pub fn name_of(operation: &MatrixOperation) -> String {
    let (words, number) = (operation.words(), operation.pack());
    let memory = match operation.kind {
        MatrixKind::WarpGroup => return format!("zluda.matrix.tile.{number:x}"),
        MatrixKind::Multiply | MatrixKind::Transpose => "",
        MatrixKind::Load | MatrixKind::Store => "memory.",
    };
    format!("zluda.matrix.{memory}{}.{}.{number:x}", words.d, words.inputs())
}
