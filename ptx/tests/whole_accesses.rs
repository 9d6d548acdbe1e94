//! The code of accesses to vectors: one access a lane, which none but LLVM could take apart.

use ptx::{Blocks, Executor, Options, Program, Stage, Target};

/// A kernel that copies what each thread's vector holds, `bytes` of it, from one buffer to another one.
fn copy(order: [&str; 2], vector: &str, registers: &str, bytes: u32, scattered: bool) -> String {
    let index = if scattered { "mul.lo.u32 %r1, %r1, %r1; and.b32 %r1, %r1, 1023;" } else { "" };
    let [load, store] = order;
    format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n
        .visible .entry copy(.param .u64 from, .param .u64 to)\n{{
            .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
            ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];
            mov.u32 %r1, %tid.x; {index}
            mad.wide.u32 %rd3, %r1, {bytes}, %rd1; mad.wide.u32 %rd4, %r1, {bytes}, %rd2;
            ld{load}.global{vector} {{{registers}}}, [%rd3];
            st{store}.global{vector} [%rd4], {{{registers}}};
            ret;
        }}"
    )
}

/// Orders of a load and a store.
const ORDERS: [[&str; 2]; 4] = [
    ["", ""],
    [".volatile", ".volatile"],
    [".relaxed.gpu", ".relaxed.gpu"],
    [".acquire.gpu", ".release.gpu"],
];

/// Types, registers, and bytes.
const VECTORS: [(&str, &str, u32); 6] = [
    (".v2.u32", "%r2, %r3", 8),
    (".v4.u32", "%r2, %r3, %r4, %r5", 16),
    (".v2.u64", "%rd5, %rd6", 16),
    (".v2.b16", "%h1, %h2", 4),
    (".v4.u8", "%r2, %r3, %r4, %r5", 4),
    (".v2.u8", "%r2, %r3", 2),
];

/// The instructions of each kernel for a target.
fn for_each(target: &Target, check: impl Fn(&str, &[&str], u32)) {
    for order in ORDERS {
        for (vector, registers, bytes) in VECTORS {
            for scattered in [false, true] {
                let text = copy(order, vector, registers, bytes, scattered);
                let program = Program::parse(&text).expect("the kernel");
                let options = Options { verify: true, ..Options::default() };
                let made = program.emit("copy", target, &options, Stage::Asm);
                let assembly = String::from_utf8(made.expect("its code")).expect("text");
                let lines: Vec<_> = assembly.lines().map(str::trim).collect();
                check(&format!("{order:?} {vector}, scattered: {scattered}"), &lines, bytes);
            }
        }
    }
}

#[test]
fn amd_gpus_make_one_access() {
    for gpu in ["gfx1100", "gfx942"] {
        for_each(&Target::parse(gpu).expect("a target"), |what, lines, bytes| {
            for way in ["global_load", "global_store"] {
                let accesses: Vec<_> = lines.iter().filter(|line| line.starts_with(way)).collect();
                let words: &[&str] = match bytes {
                    16 => &["_dwordx4", "_b128"],
                    8 => &["_dwordx2", "_b64"],
                    4 => &["_dword ", "_b32"],
                    _ => &["_ushort", "_short", "_u16", "_b16"],
                };
                let fits = |line: &&str| words.iter().any(|word| line.contains(word));
                assert!(accesses.len() == 1 && fits(accesses[0]), "{gpu}, {what}: {accesses:?}");
            }
        });
    }
}

/// Instructions that access less than a row.
const PARTS: [&str; 8] =
    ["movss", "movsd", "movlp", "movhp", "pextr", "pinsr", "extractps", "insertps"];

fn names(line: &str, part: &str) -> bool {
    line.split_whitespace().next().is_some_and(|word| word.contains(part))
}

#[test]
fn processors_access_whole_rows() {
    for level in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        let target = Target::cpu(Some(level), Blocks::WholeWarps, Executor::Vector);
        for_each(&target, |what, lines, bytes| {
            if bytes < 16 {
                return;
            }
            // Scatters, gathers and parts of rows; of the stack alone nobody else sees anything.
            let part = lines.iter().find(|line| {
                let accesses =
                    line.contains('(') && !line.contains("(%rsp") && !line.contains("(%rip");
                names(line, "gather")
                    || names(line, "scatter")
                    || (accesses && PARTS.iter().any(|part| names(line, part)))
            });
            assert!(part.is_none(), "{level}, {what}: {part:?}");
            // By the manual only those that ask for alignment are whole.
            if !what.starts_with("[\"\"") {
                assert!(
                    lines.iter().any(|line| names(line, "movaps") || names(line, "movdqa")),
                    "{level}, {what}"
                );
            }
        });
    }
}

#[test]
fn single_lanes_make_one_access() {
    let target = Target::cpu(None, Blocks::WholeWarps, Executor::Reference);
    for_each(&target, |what, lines, bytes| {
        let accesses = |word: &str| {
            let is_move = |line: &&&str| names(line, word) && line.contains('(');
            lines.iter().filter(is_move).count()
        };
        if bytes == 16 {
            let rows =
                accesses("movups") + accesses("movaps") + accesses("movdq") + accesses("movup");
            assert!(rows >= 2, "{what}: {lines:?}");
        }
    });
}
