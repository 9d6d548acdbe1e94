//! Input: per-thread IR of a kernel that was machine code.
//! Output: the same, in which loops that wait by loads of shared memory do so by loads that acquire.
//! Why here: loads stand where the program has them, and nothing has yet been moved out of a loop.
//!
//! A volatile load of shared memory is a plain one in machine code, and so is one that acquires within the block.
//! Which of them are such is guessed by what loops do with them ([`polling`]).

use llvm_zluda::{AtomicOrdering, Module, Value};
use simt::analysis::polling;

/// Bits of what LLVM accesses as one atomic number.
const WIDEST: u32 = 64;

/// Makes the loads of shared memory acquire by which loops wait.
pub fn run(module: &Module<'_>) {
    for function in module.functions() {
        // Loops with several entries are left as they are.
        for load in polling::plain_loads(function).unwrap_or_default() {
            watch(module, load);
        }
    }
}

fn watch<'c>(module: &Module<'c>, load: Value<'c>) {
    if load.ty().is_int() && load.ty().bits() <= WIDEST {
        load.set_ordering(AtomicOrdering::LLVMAtomicOrderingAcquire);
        load.set_sync_scope(module.context().sync_scope("workgroup"));
    } else {
        load.set_volatile(true);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Executor, Target};
    use crate::{Options, Program, Stage};
    use simt::Blocks;

    /// How many loads of a kernel acquire. `pragma` is what lifting leaves.
    fn watched(pragma: &str, body: &str) -> usize {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{pragma}\n{{\n\
             .reg .b64 %p; .reg .b32 %r<9>; .reg .pred %q<3>; .shared .b32 a[64];\n\
             mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, a; add.s32 %r2, %r2, %r1; mov.u32 %r3, 0;\n\
             mov.u32 %r4, 0; mov.u32 %r5, 0;\n{body}\n\
             ld.param.u64 %p, [p]; st.global.u32 [%p], %r3; st.global.u32 [%p+4], %r4; ret;\n}}"
        );
        let program = Program::parse(&text).expect("the text is right");
        let target = Target::cpu(Some("x86-64-v2"), Blocks::Any, Executor::Vector);
        let ir = program.emit("k", &target, &Options::default(), Stage::Ir).expect("it compiles");
        let ir = String::from_utf8_lossy(&ir);
        let atomic = ir.matches("load atomic").count();
        assert_eq!(atomic, ir.matches("syncscope(\"workgroup\") acquire").count(), "{ir}");
        atomic + ir.matches("load volatile").count()
    }

    const LIFTED: &str = ".pragma \"local 0\";";
    const WAITS: &str = "L: ld.shared.u32 %r3, [a]; setp.eq.u32 %q0, %r3, 0; @%q0 bra L;";

    #[test]
    fn loops_that_end_by_what_others_store_ask_again() {
        assert_eq!(watched(LIFTED, WAITS), 1);
        assert_eq!(watched("", WAITS), 0, "PTX says which accesses are volatile");
        for (count, body) in [
            // A place of the thread's own, whose address is computed in the loop.
            (
                1,
                "L: add.s32 %r6, %r2, 8; ld.shared.u8 %r3, [%r6]; setp.ne.u32 %q0, %r3, %r0; @%q0 bra L;",
            ),
            (1, "L: ld.shared.v2.u32 {%r3, %r4}, [a]; setp.ne.u32 %q0, %r3, %r4; @%q0 bra L;"),
            // Either of two words.
            (
                2,
                "L: ld.shared.u32 %r3, [a]; setp.ne.u32 %q0, %r3, 0; @%q0 bra E;\n\
                 ld.shared.u32 %r4, [a+4]; setp.eq.u32 %q1, %r4, 0; @%q1 bra L;\nE:",
            ),
            // One thread looks.
            (
                1,
                "setp.eq.u32 %q1, %r0, 3;\n\
                 L: @%q1 ld.shared.u32 %r3, [a]; setp.eq.u32 %q0, %r3, 0; @%q0 bra L;",
            ),
            // What was found joins what was found before.
            (
                1,
                "L: ld.shared.u32 %r4, [%r2]; or.b32 %r3, %r3, %r4; setp.ne.u32 %q0, %r3, 7; @%q0 bra L;",
            ),
            // It counts how often it asks, and gives up.
            (
                1,
                "L: ld.shared.u32 %r3, [a]; setp.ne.u32 %q0, %r3, 0; @%q0 bra E;\n\
                 add.s32 %r4, %r4, 1; setp.lt.u32 %q1, %r4, 99; @%q1 bra L;\nE:",
            ),
            // The same by one branch, and it sleeps.
            (
                1,
                "L: ld.shared.u32 %r3, [a]; setp.lt.u32 %q1, %r4, 99; nanosleep.u32 20; add.s32 %r4, %r4, 1;\n\
                 setp.eq.and.u32 %q0, %r3, 0, %q1; @%q0 bra L;",
            ),
            // Until both words are there.
            (
                2,
                "L: ld.shared.u32 %r3, [a]; setp.eq.u32 %q0, %r3, 0; @%q0 bra L;\n\
                 ld.shared.u32 %r4, [a+4]; setp.eq.u32 %q1, %r4, 0; @%q1 bra L;",
            ),
            // As often as a word says, which the loop does not change.
            (
                1,
                "L: ld.shared.u32 %r3, [a]; add.s32 %r4, %r4, 1; setp.lt.u32 %q0, %r4, %r3; @%q0 bra L;",
            ),
        ] {
            assert_eq!(watched(LIFTED, body), count, "{body}");
        }
    }

    #[test]
    fn loops_that_end_by_themselves_stay_as_they_are() {
        for body in [
            // As often as a word says, which the loop may change.
            "L: ld.shared.u32 %r3, [a]; add.s32 %r4, %r4, 1; st.shared.u32 [%r2], %r4;\n\
             setp.lt.u32 %q0, %r4, %r3; @%q0 bra L;",
            // What it may change chooses a way.
            "L: ld.shared.u32 %r3, [a]; setp.eq.u32 %q1, %r3, 0; @%q1 bra M; st.shared.u32 [%r2], %r4;\n\
             M: add.s32 %r4, %r4, 1; setp.lt.u32 %q0, %r4, 99; @%q0 bra L;",
            // From one place to the next.
            "L: ld.shared.u32 %r3, [%r2]; add.s32 %r2, %r2, 4; setp.ne.u32 %q0, %r3, 0; @%q0 bra L;",
            "L: add.s32 %r6, %r2, %r3; ld.shared.u32 %r3, [%r6]; setp.ne.u32 %q0, %r3, 0; @%q0 bra L;",
            // All threads of the block come to each round.
            "L: bar.sync 0; ld.shared.u32 %r3, [a]; bar.sync 0; setp.ne.u32 %q0, %r3, 0; @%q0 bra L;",
            // What is read decides nothing.
            "L: ld.shared.u32 %r3, [a]; add.s32 %r4, %r4, 1; setp.lt.u32 %q0, %r4, 99; @%q0 bra L;",
            "ld.shared.u32 %r3, [a]; setp.eq.u32 %q0, %r3, 0; @%q0 ret;",
        ] {
            assert_eq!(watched(LIFTED, body), 0, "{body}");
        }
    }
}
