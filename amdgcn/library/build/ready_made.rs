//! Functions of the device library that are code of GPUs when the product is built: an object for each set of
//! instructions, and stubs, which stand for its functions where a kernel is compiled.
//!
//! A stub is a weak function of the same name that takes what the function takes of the GPU: its registers are clobbered
//! by an empty line of assembly, its stack is a variable, and attributes say which hidden inputs it wants. So LLVM counts
//! for a kernel that calls it what the kernel needs, and the linker puts the function in the stub's place.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::thread;

use super::kept;
use super::llvm::{run, tool};
use super::of_words::{OfWords, name_of};
use super::{TRIPLE, defined, read, write};
use simt_abi::{MatrixKind, MatrixOperation, MatrixType, TEXTURE_RESULTS};

/// The passes that the library gets once more, after clang, when all of it is together. No vectors are made, and loops
/// stay as long as they are.
const PASSES: &str = "internalize,always-inline,globaldce,\
     function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>),\
     cgscc(inline,function-attrs),\
     function(infer-address-spaces,amdgpu-promote-alloca,sroa,tailcallelim,jump-threading,\
     correlated-propagation,simplifycfg,reassociate,loop-mssa(loop-rotate,licm),\
     loop(indvars,loop-deletion,loop-unroll-full),\
     gvn,sccp,bdce,instcombine<no-verify-fixpoint>,dse,adce,loop-mssa(licm),\
     simplifycfg<hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>),\
     globaldce,amdgpu-attributor";

/// LLVM's generic processors, whose code runs on all of a family, and those that belong to none; whether their waves have
/// 64 lanes. `gpu.rs` says which GPU has which. gfx906 may have ECC that code for its family does not expect.
const SETS: &[(&str, bool)] = &[
    ("gfx9-generic", true),
    ("gfx906", true),
    ("gfx908", true),
    ("gfx90a", true),
    ("gfx9-4-generic", true),
    ("gfx10-1-generic", false),
    ("gfx10-3-generic", false),
    ("gfx11-generic", false),
    ("gfx12-generic", false),
];

/// Files of the library whose functions are there.
const EXPORTED: &[&str] = &[
    "heap",
    "printf",
    "reduction",
    "tensor",
    "texture_block",
    "texture_slope",
    "texture_texel",
    "wide_atomics",
];

/// Files of which these functions need some.
const NEEDED: &[&str] = &["copy", "matrix", "mbarrier", "services", "texture"];

/// All look-ups of textures are one function, whose first two words say which: where it is the same for all lanes, it
/// costs a look-up next to nothing that this is not known before. So many words any of them has at most.
const TEXTURE: &str = "zluda.amd.texture.sample";
const TEXTURE_WORDS: u32 = 20;

/// The hidden parameter lies right before the implicit arguments, where a launch is not in clusters.
const SERVICES: &str = "
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
define ptr addrspace(1) @zluda.amd.services() alwaysinline nounwind {
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %place = getelementptr i8, ptr addrspace(4) %implicit, i64 -8
  %services = load ptr addrspace(1), ptr addrspace(4) %place, align 8, !invariant.load !{}
  ret ptr addrspace(1) %services
}
";

/// The resources of a function that LLVM writes into the assembly, in this order.
const RESOURCES: [&str; 4] = ["num_vgpr", "num_agpr", "numbered_sgpr", "private_seg_size"];

/// Scalar registers with numbers, and those of VCC, the address of scratch memory and the mask of page faults.
const SCALARS: u32 = 102;
const NAMED_SCALARS: u32 = 6;

/// Products that programs have most often, as far as no GPU has an instruction that gives the same bits.
fn products() -> Vec<MatrixOperation> {
    use MatrixType::{Bf16, E4m3, E5m2, F16, F32, F64, Tf32};
    let shapes = [
        (16, 8, 16, F16, F32),
        (16, 8, 16, F16, F16),
        (16, 8, 8, F16, F32),
        (16, 8, 8, F16, F16),
        (16, 8, 16, Bf16, F32),
        (16, 8, 8, Bf16, F32),
        (16, 8, 8, Tf32, F32),
        (16, 8, 4, Tf32, F32),
        (16, 8, 32, E4m3, F32),
        (16, 8, 32, E5m2, F32),
        (8, 8, 4, F64, F64),
    ];
    let product = |(m, n, k, factors, sums)| {
        let mut operation = MatrixOperation::new(MatrixKind::Multiply, m, n, k, factors);
        (operation.c, operation.d) = (sums, sums);
        operation
    };
    shapes.into_iter().map(product).collect()
}

/// Columns of a tile. Products of groups of warps are one tile after the other, so that they need no function for each
/// width.
const TILE: u16 = 8;

fn tiles() -> Vec<MatrixOperation> {
    use MatrixType::{Bf16, F16, Tf32};
    let mut tiles = Vec::new();
    for (factors, k) in [(F16, 16), (Bf16, 16), (Tf32, 8)] {
        for a_in_registers in [false, true] {
            // Only elements of 16 bits can be transposed.
            for b_rows in [false, true].into_iter().filter(|b_rows| factors != Tf32 || !b_rows) {
                let kind = MatrixKind::WarpGroup;
                let mut tile = MatrixOperation::new(kind, 64, TILE, k, factors);
                (tile.a_in_registers, tile.b_rows) = (a_in_registers, b_rows);
                tiles.push(tile);
            }
        }
    }
    tiles
}

/// Makes the objects and stubs, of bitcode that is in the folder already. Gives a constant of Rust.
pub fn build(out: &Path) -> String {
    write(&out.join("operations.ll"), &operations());
    write(&out.join("services_parameter.ll"), SERVICES);
    let exported: Vec<String> = exported(out);
    let mut list = String::from("pub static READY_MADE: &[ReadyMade] = &[\n");
    // Each set by itself, on as many threads as cargo gives.
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(1).max(1);
    for sets in SETS.chunks(jobs) {
        thread::scope(|scope| {
            for &(processor, is_wave64) in sets {
                let exported = &exported;
                scope.spawn(move || build_for(processor, is_wave64, exported, out));
            }
        });
    }
    for (processor, _) in SETS {
        let _ = writeln!(
            list,
            "    ReadyMade {{ processor: \"{processor}\", functions: FUNCTIONS,\n        \
             stubs: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{processor}.stubs.bc\")),\n        \
             object: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{processor}.o\")) }},"
        );
    }
    list.push_str("];\n");
    let _ = writeln!(list, "static FUNCTIONS: &[&str] = &{exported:?};");
    list
}

/// Functions of LLVM IR between calls and what the library has for many operations.
fn operations() -> String {
    let mut text = String::from("declare i32 @llvm.amdgcn.readfirstlane.i32(i32)\n");
    for body in ["matrix.multiply", "matrix.doubles", "matrix.tile", "texture.look_up"] {
        let _ = writeln!(text, "declare void @zluda.amd.{body}(i64, ptr, ptr)");
    }
    for operation in products().iter().chain(&tiles()) {
        let is_tile = operation.kind == MatrixKind::WarpGroup;
        let body = match operation.a {
            _ if is_tile => "matrix.tile",
            MatrixType::F64 => "matrix.doubles",
            _ => "matrix.multiply",
        };
        let words = operation.words();
        text += &OfWords {
            name: &name_of(operation),
            number: Some(operation.pack()),
            inputs: words.inputs() + u32::from(is_tile),
            results: words.d,
            body,
            limits: "",
        }
        .to_string();
    }
    let look_up = OfWords {
        name: TEXTURE,
        number: None,
        inputs: TEXTURE_WORDS,
        results: TEXTURE_RESULTS as u32,
        body: "texture.look_up",
        // As much as what it calls needs. With more, fewer waves fit a GPU of RDNA.
        limits: "\"amdgpu-num-vgpr\"=\"96\"",
    };
    text + &look_up.to_string()
}

fn exported(out: &Path) -> Vec<String> {
    let files = EXPORTED.iter().map(|file| out.join(format!("{file}.bc")));
    let mut names: Vec<_> = files.flat_map(|file| defined(&file)).collect();
    names.extend(products().iter().chain(&tiles()).map(name_of));
    names.push(TEXTURE.to_owned());
    names.sort();
    names.dedup();
    names
}

fn build_for(processor: &str, is_wave64: bool, exported: &[String], out: &Path) {
    let path = |ending: &str| out.join(format!("{processor}.{ending}"));
    let (linked, code, assembly, object) = (path("bc"), path("ll"), path("s"), path("o"));
    let prelude = if is_wave64 { "wave64" } else { "wave32" };
    let mut link = tool("llvm-link");
    link.arg("--suppress-warnings");
    let files = EXPORTED.iter().chain(NEEDED).chain([&prelude]);
    link.args(files.map(|file| out.join(format!("{file}.bc"))));
    link.args(["operations.ll", "services_parameter.ll"].map(|file| out.join(file)));
    run(link.arg("-o").arg(&linked));

    let target = [format!("-mtriple={}", TRIPLE), format!("-mcpu={processor}")];
    let passes = format!("-passes={PASSES}");
    let names = format!("-internalize-public-api-list={}", exported.join(","));
    let mut optimise = tool("opt");
    optimise.args(&target).args([&passes, &names]).arg("-S").arg(&linked).arg("-o").arg(&code);
    let mut generate = tool("llc");
    generate.args(&target).args(["-O2", "-relocation-model=pic"]);
    generate.args(["-function-sections", "-data-sections"]);
    generate.arg(&code).arg("-o").arg(&assembly);
    kept::run(&mut [optimise, generate], &linked, &[&code, &assembly], out);

    // The assembler counts what functions need together with those that they call.
    let mut text = read(&assembly);
    text.push_str("\t.section .zluda.resources,\"\",@progbits\n");
    for name in exported {
        for resource in RESOURCES {
            let _ = writeln!(
                text,
                "\t.long zluda_value_{resource}_{name}",
                name = name.replace('.', "_")
            );
            let _ = writeln!(
                text,
                "\t.set zluda_value_{resource}_{0}, {name}.{resource}",
                name.replace('.', "_")
            );
        }
    }
    write(&assembly, &text);
    let mut assemble = tool("clang");
    assemble.args(["-target", TRIPLE, "-nogpulib", "-c", "-x", "assembler"]);
    run(assemble.arg(format!("-mcpu={processor}")).arg(&assembly).arg("-o").arg(&object));
    let resources = path("resources");
    let dump = format!("--dump-section=.zluda.resources={}", resources.display());
    let mut strip = tool("llvm-objcopy");
    strip.arg(dump).args(["--remove-section=.zluda.resources", "--remove-section=.note"]);
    strip.args(["--remove-section=.AMDGPU.*", "--strip-unneeded"]);
    run(strip.arg(&object));

    let bytes =
        fs::read(&resources).unwrap_or_else(|error| panic!("{}: {error}", resources.display()));
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()))
        .collect();
    let stubs = stubs(&read(&code), exported, &words);
    let stub_text = path("stubs.ll");
    write(&stub_text, &stubs);
    run(tool("llvm-as").arg(&stub_text).arg("-o").arg(path("stubs.bc")));
}

/// Stubs as LLVM IR, of the IR of the functions and of what they need.
fn stubs(code: &str, exported: &[String], needs: &[u32]) -> String {
    let mut text = format!("target triple = \"{}\"\n", TRIPLE);
    for line in
        code.lines().filter(|line| line.starts_with('%') || line.starts_with("target datalayout"))
    {
        let _ = writeln!(text, "{line}");
    }
    for (name, needs) in exported.iter().zip(needs.chunks_exact(RESOURCES.len())) {
        let head = format!("@{name}(");
        let line = code.lines().find(|line| line.starts_with("define ") && line.contains(&head));
        let Some(line) = line else { panic!("{name} is not in the code") };
        let (before, after) = line.split_at(line.find(&head).unwrap_or_default());
        let result = before.trim_start_matches("define ").trim_start_matches("hidden ");
        let end = after.rfind(')').unwrap_or_default();
        let (signature, rest) = after.split_at(end + 1);
        let Some(group) = rest.split_whitespace().find(|word| word.starts_with('#')) else {
            panic!("{name} has no attributes");
        };
        let attributes = attributes_of(code, group);
        let _ = writeln!(
            text,
            "define hidden {result}{signature} {attributes} section \".text.zluda.stub\" {{"
        );
        text.push_str(&body_of(result, needs));
    }
    text
}

/// The attributes of a function that its callers have to know, as LLVM IR.
fn attributes_of(code: &str, group: &str) -> String {
    let head = format!("attributes {group} = {{ ");
    let line = code.lines().find_map(|line| line.strip_prefix(&head));
    let Some(line) = line else { panic!("there are no attributes {group}") };
    let mut kept = String::from("noinline norecurse");
    for word in line.split_whitespace() {
        let plain = ["convergent", "nounwind", "noreturn", "willreturn", "cold"];
        if plain.contains(&word) || word.starts_with("\"amdgpu-") {
            let _ = write!(kept, " {word}");
        }
    }
    kept
}

fn body_of(result: &str, needs: &[u32]) -> String {
    let &[vector, accumulation, scalar, stack] = needs else {
        panic!("{} resources", needs.len());
    };
    // Those with names lie behind those with numbers, and LLVM adds them where the kernel itself uses them. GPUs give 16
    // at a time. Naming them instead is slow: LLVM looks them up in all of its tables.
    let scalar = ((scalar + NAMED_SCALARS).next_multiple_of(16) - NAMED_SCALARS).min(SCALARS);
    let mut body = String::new();
    let mut clobbers = Vec::new();
    for (letter, count) in [('v', vector), ('a', accumulation), ('s', scalar)] {
        if count > 0 {
            clobbers.push(format!("~{{{letter}{}}}", count - 1));
        }
    }
    let clobbers = clobbers.join(",");
    if stack == 0 {
        let _ = writeln!(body, "  call void asm sideeffect \"\", \"{clobbers}\"()");
    } else {
        let _ = writeln!(body, "  %stack = alloca [{stack} x i8], align 4, addrspace(5)");
        let _ = writeln!(
            body,
            "  call void asm sideeffect \"\", \"v,{clobbers}\"(ptr addrspace(5) %stack)"
        );
    }
    let result = result.trim();
    let ty = match result.find(['{', '%', '<']) {
        Some(start) => &result[start..],
        // Attributes of the result come before its type.
        None => result.rsplit(' ').next().unwrap_or_default(),
    };
    let end = if ty == "void" { "ret void".to_owned() } else { format!("ret {ty} poison") };
    let _ = writeln!(body, "  {end}\n}}");
    body
}
