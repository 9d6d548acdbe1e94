//! Frequent operations as bitcode: what the library's code for many operations is for one of them, which LLVM would find
//! out again for every kernel. What they call of the prelude is linked to the kernel, so that they serve all GPUs.

use std::fmt::Write;
use std::path::Path;

use super::llvm::{run, tool};
use super::of_words::{OfWords, name_of};
use super::{TRIPLE, defined, write};
use simt_abi::{MatrixKind, MatrixOperation, MatrixType};

/// Files of the library that have the code.
const FILES: &[&str] = &["matrix", "matrix_mfma", "matrix_wmma"];

const PASSES: &str = "internalize,always-inline,globaldce,\
     function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
     loop-mssa(loop-rotate),loop(indvars,loop-deletion,loop-unroll-full),\
     sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// The library's functions that compute products with instructions for matrices.
const INSTRUCTIONS: &[&str] = &["rdna3", "rdna4", "cdna2", "cdna3"];

/// Operations, and the library's code for each.
fn operations() -> Vec<(MatrixOperation, &'static str)> {
    use MatrixType::{B16, Bf16, F16, F32, S8, S32};
    let mut operations = Vec::new();
    for (kind, body) in [(MatrixKind::Load, "load"), (MatrixKind::Store, "store")] {
        for (count, is_transposed) in [1, 2, 4].into_iter().flat_map(|n| [(n, false), (n, true)]) {
            let mut operation = MatrixOperation::new(kind, 8, 8, count, B16);
            operation.a_columns = is_transposed;
            operations.push((operation, body));
        }
    }
    let transpose = MatrixOperation::new(MatrixKind::Transpose, 8, 8, 1, B16);
    operations.push((transpose, "transpose"));
    for &body in INSTRUCTIONS {
        for (k, factors, sums, saturate) in [
            (16, S8, S32, false),
            (32, S8, S32, false),
            (16, S8, S32, true),
            (32, S8, S32, true),
            (8, F16, F32, false),
            (16, F16, F32, false),
            (8, Bf16, F32, false),
            (16, Bf16, F32, false),
        ] {
            let mut operation = MatrixOperation::new(MatrixKind::Multiply, 16, 8, k, factors);
            (operation.c, operation.d, operation.saturate) = (sums, sums, saturate);
            operations.push((operation, body));
        }
    }
    operations
}

/// Makes a file of bitcode in the folder, of those that are there already. Gives the names of its functions.
pub fn build(out: &Path, file: &str) -> Vec<String> {
    let mut text = String::new();
    for body in ["load", "store", "transpose"].iter().chain(INSTRUCTIONS) {
        let _ = writeln!(text, "declare void @zluda.amd.matrix.{body}(i64, ptr, ptr)");
    }
    let mut names = Vec::new();
    for (operation, body) in operations() {
        let name = format!("{}.{body}", name_of(&operation));
        let words = operation.words();
        text += &OfWords {
            name: &name,
            number: Some(operation.pack()),
            inputs: words.inputs(),
            results: words.d,
            body: &format!("matrix.{body}"),
            limits: "",
        }
        .to_string();
        names.push(name);
    }
    let [callers, linked] = ["specialised.ll", "specialised.linked.bc"].map(|file| out.join(file));
    write(&callers, &text);
    let mut link = tool("llvm-link");
    link.args(FILES.iter().map(|file| out.join(format!("{file}.bc")))).arg(&callers);
    run(link.arg("--suppress-warnings").arg("-o").arg(&linked));
    let bitcode = out.join(file);
    run(tool("opt")
        .arg(format!("-mtriple={TRIPLE}"))
        .arg(format!("-passes={PASSES}"))
        .arg(format!("-internalize-public-api-list={}", names.join(",")))
        .arg(&linked)
        .arg("-o")
        .arg(&bitcode));
    defined(&bitcode)
}
