//! The calls that our libraries make of ROCm's libraries above HIP, against their headers and libraries. None is loaded: they need
//! rocBLAS and rocFFT, which are gigabytes.
//!
//! The functions that a version lacks, or has otherwise, are kept in `tests/rocm/hipblas-<version>.txt`; `ZLUDA_BLESS=1` writes it.

use super::kept;
use crate::Result;
use crate::bindgen::hip_facts::{self, Facts};
use crate::repository::root;
use crate::toolkit::{Rocm, RocmVersion, rocm_above};
use crate::verb::test::Report;
use object::Object;
use std::collections::BTreeSet;

const BLAS_NUMBERS: &str = "zluda_blas/src/backend/rocm/numbers.rs";
/// Signatures of the functions of handles, which `library.rs` beside it looks up.
const BLAS_HANDLES: [&str; 5] = [
    "hipblasCreate()",
    "hipblasDestroy()",
    "hipblasSetStream(hipStream_t streamId)",
    "hipblasSetPointerMode(hipblasPointerMode_t mode)",
    "hipblasSetAtomicsMode(hipblasAtomicsMode_t atomics_mode)",
];
const FFT: &str = "zluda_fft/src/backend/rocm/functions.rs";
const LT: &str = "zluda_blas/src/backend/rocm/lt_functions.rs";
const FFT_LIBRARY: &str = "libhipfft.so.0";
const DNN: &str = "zluda_dnn/src/rocm/functions.rs";
const DNN_LIBRARY: &str = "libMIOpen.so.1";

type Checked<T> = std::result::Result<T, String>;

/// Checks the libraries above HIP of a version. Fails if they cannot be had.
pub fn check(report: &mut Report, version: RocmVersion) -> Result<()> {
    let Some(rocm) = rocm_above(version)? else { return Ok(()) };
    let name = version.name;
    let list = std::fs::read_to_string(root().join("tests/rocm/hipblas.txt"))?;
    let result = blas(&rocm, &list).and_then(|found| kept(&format!("hipblas-{name}"), &found));
    report.check(format!("ROCm {name}: hipBLAS"), result);
    let result = symbols(&rocm, FFT_LIBRARY).and_then(|symbols| {
        alike(FFT, &hip_facts::read_fft(&rocm.root.headers())?, Some(&symbols))
    });
    report.check(format!("ROCm {name}: hipFFT"), result);
    if version.has_blas_lt {
        let result = hip_facts::read_blas_lt(&rocm.root.headers());
        let result = result.and_then(|theirs| alike(LT, &theirs, None));
        report.check(format!("ROCm {name}: headers of hipBLASLt"), result);
    }
    if version.has_miopen {
        let result = symbols(&rocm, DNN_LIBRARY).and_then(|symbols| {
            alike(DNN, &hip_facts::read_miopen(&rocm.root.headers())?, Some(&symbols))
        });
        report.check(format!("ROCm {name}: MIOpen"), result);
    }
    Ok(())
}

/// The differences of a version in what we call of hipBLAS.
fn blas(rocm: &Rocm, list: &str) -> Checked<BTreeSet<String>> {
    let headers = rocm.root.headers();
    let (first, second) =
        (hip_facts::read_blas(&headers, false)?, hip_facts::read_blas(&headers, true)?);
    let symbols = symbols(rocm, rocm.version.blas_library)?;
    let mut found = numbers(BLAS_NUMBERS, &second, 40)?;
    let mut count = 0;
    for line in BLAS_HANDLES.into_iter().chain(list.lines()) {
        let (name, parameters) = line
            .strip_suffix(')')
            .and_then(|line| line.split_once('('))
            .ok_or_else(|| format!("no signature: {line}"))?;
        count += 1;
        // Products of several types are called by the second interface, which ROCm 6 has under names of its own.
        let of_second = name.replace("Ex", "Ex_v2");
        let (name, facts) = match symbols.contains(&of_second) && name.contains("Ex") {
            true => (of_second.as_str(), &second),
            false => (name, &first),
        };
        if !symbols.contains(name) {
            found.insert(format!("library lacks {name}"));
            continue;
        }
        let theirs = facts.parameters(name).ok_or_else(|| format!("headers lack {name}"))?;
        let ours: Vec<_> =
            parameters.split(", ").filter_map(|part| part.rsplit_once(' ')).collect();
        // The first parameter of theirs is the handle.
        if ours.len() + 1 != theirs.len() {
            found.insert(format!("{name} has {} parameters, not {}", theirs.len(), ours.len() + 1));
            continue;
        }
        for ((our_type, our_name), (their_name, their_type)) in ours.iter().zip(&theirs[1..]) {
            let (ours, theirs) = (meaning(our_name), meaning(their_name));
            let their_type = plain(their_type);
            if *our_type != their_type || ours != theirs {
                let pair = |ty: &str, name: &str| format!("{ty} {name}");
                let theirs = pair(&their_type, &theirs);
                found.insert(format!("{name} has {theirs}, not {}", pair(our_type, &ours)));
            }
        }
    }
    if count > 300 { Ok(found) } else { Err(format!("only {count} functions are called")) }
}

/// All versions have the functions and the numbers of a file alike. `symbols` are those of the library, where it is there.
fn alike(file: &str, theirs: &Facts, symbols: Option<&BTreeSet<String>>) -> Checked<()> {
    let found = numbers(file, theirs, 15)?;
    if !found.is_empty() {
        return Err(found.into_iter().collect::<Vec<_>>().join("; "));
    }
    let text = std::fs::read_to_string(root().join(file)).map_err(|error| error.to_string())?;
    let (_, rows) = text.split_once("\nfunctions! {").ok_or("no functions")?;
    let mut count = 0;
    for row in rows.split('}').next().unwrap_or_default().lines() {
        let Some((name, parameters)) = row.trim().trim_end_matches(");").split_once('(') else {
            continue;
        };
        count += 1;
        let ours: Vec<_> = parameters
            .split(", ")
            .filter_map(|parameter| parameter.split_once(": "))
            .map(|(name, ty)| (name.to_owned(), ty.to_owned()))
            .collect();
        let theirs = theirs.parameters(name).ok_or_else(|| format!("headers lack {name}"))?;
        if symbols.is_some_and(|symbols| !symbols.contains(name)) {
            return Err(format!("library lacks {name}"));
        }
        if ours != theirs {
            return Err(format!("{name} is {theirs:?}, not {ours:?}"));
        }
    }
    if count > 8 { Ok(()) } else { Err(format!("only {count} functions in {file}")) }
}

/// The numbers of enumerators that the version has otherwise; there are more than `least`.
fn numbers(file: &str, theirs: &Facts, least: usize) -> Checked<BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join(file)).map_err(|error| error.to_string())?;
    let (_, rows) = text.split_once("\nenumerators! {").ok_or("no enumerators")?;
    let rows = rows.split('}').next().unwrap_or_default();
    let (mut found, mut count) = (BTreeSet::new(), 0);
    for row in rows.split(';').filter(|row| !row.trim().is_empty()) {
        let (ty, values) = row.trim().split_once(':').ok_or("an enumeration without a name")?;
        let words: Vec<_> = values.split_whitespace().collect();
        for word in words.chunks_exact(3) {
            count += 1;
            let key = format!("{ty}.{}", word[0]);
            match theirs.get(&key) {
                Some(number) if number == word[2] => {}
                Some(number) => drop(found.insert(format!("{key} is {number}, not {}", word[2]))),
                None => drop(found.insert(format!("headers lack {key}"))),
            }
        }
    }
    if count > least { Ok(found) } else { Err(format!("only {count} numbers in {file}")) }
}

/// The symbols that a library exports.
fn symbols(rocm: &Rocm, library: &str) -> Checked<BTreeSet<String>> {
    let path = rocm.root.libraries().join(library);
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let file = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
    let exports = file.exports().map_err(|error| error.to_string())?;
    let names = exports.iter().map(|export| String::from_utf8_lossy(export.name()).into_owned());
    Ok(names.collect())
}

/// A type of bindgen's as the list of signatures has it.
fn plain(ty: &str) -> String {
    let stars = ty.matches('*').count();
    let base = ty.rsplit(' ').next().unwrap_or(ty).trim_start_matches('*');
    let base = match base {
        "c_int" => "int",
        "i64" | "c_longlong" | "hipblasStride" => "int64",
        "f32" => "float",
        "f64" => "double",
        "c_void" => "void",
        "hipblasComplex" | "hipComplex" | "hipFloatComplex" | "float2" => "complex",
        "hipblasDoubleComplex" | "hipDoubleComplex" | "double2" => "double complex",
        base => base,
    };
    format!("{base}{}", "*".repeat(stars))
}

/// The meaning of a parameter by its name, which both have in several forms.
fn meaning(name: &str) -> String {
    let name = name.to_lowercase().replace('_', "");
    let name = name.trim_end_matches("array");
    match name {
        "ap" | "a" => "a",
        "bp" | "b" => "b",
        "cp" | "c" => "c",
        "xp" | "x" => "x",
        "yp" | "y" => "y",
        "transa" => "trans",
        "batchsize" => "batchcount",
        "mode" => "side",
        "p" | "devipiv" => "ipiv",
        "devinfo" => "deviceinfo",
        name => name,
    }
    .to_owned()
}
