//! Kernels from seeds.
//!
//! The results of a kernel do not depend on the order in which threads run: a thread reads what others wrote only
//! across barriers, and what they add to is added to by operations that commute. Operations in which lanes work
//! together stand where all lanes that they name arrive.

use splitmix::Random;

use crate::kernel::{Condition, Kernel, Rounds, Statement, generation_of, has_whole_warps};
use crate::vectors;

/// The threads that come to a place together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Together {
    Block,
    Warp,
    /// These lanes of each warp.
    Lanes(u32),
    Thread,
}

/// `{R}`, `{L}`, `{F}`, `{D}`, `{P}` are registers that are written, `{r}` ... those that are read; `{i}` is a
/// register or a number, `{n}` a number below 256.
const PLAIN: &[&str] = &[
    "add.s32 {R}, {r}, {i};",
    "sub.s32 {R}, {r}, {i};",
    "mul.lo.s32 {R}, {r}, {i};",
    "mul.hi.s32 {R}, {r}, {r};",
    "mul.hi.u32 {R}, {r}, {i};",
    "mad.lo.s32 {R}, {r}, {r}, {i};",
    "mad.hi.u32 {R}, {r}, {r}, {r};",
    "mul24.lo.s32 {R}, {r}, {r};",
    "mad24.lo.u32 {R}, {r}, {r}, {r};",
    "sad.s32 {R}, {r}, {r}, {r};",
    "or.b32 %x0, {r}, 1; div.s32 {R}, {r}, %x0;",
    "or.b32 %x0, {r}, 1; rem.s32 {R}, {r}, %x0;",
    "or.b32 %x0, {r}, 1; div.u32 {R}, {r}, %x0;",
    "rem.u32 {R}, {r}, 13;",
    "abs.s32 {R}, {r};",
    "neg.s32 {R}, {r};",
    "min.s32 {R}, {r}, {i};",
    "max.u32 {R}, {r}, {i};",
    "and.b32 {R}, {r}, {i};",
    "or.b32 {R}, {r}, {i};",
    "xor.b32 {R}, {r}, {i};",
    "not.b32 {R}, {r};",
    "cnot.b32 {R}, {r};",
    "shl.b32 {R}, {r}, {i};",
    "shr.u32 {R}, {r}, {r};",
    "shr.s32 {R}, {r}, {i};",
    "shf.l.wrap.b32 {R}, {r}, {r}, {i};",
    "shf.r.clamp.b32 {R}, {r}, {r}, {r};",
    "prmt.b32 {R}, {r}, {r}, {r};",
    "prmt.b32.f4e {R}, {r}, {r}, {r};",
    "bfe.u32 {R}, {r}, {r}, {n};",
    "bfe.s32 {R}, {r}, {n}, {r};",
    "bfi.b32 {R}, {r}, {r}, {n}, {r};",
    "brev.b32 {R}, {r};",
    "popc.b32 {R}, {r};",
    "clz.b32 {R}, {r};",
    "bfind.s32 {R}, {r};",
    "bfind.shiftamt.u32 {R}, {r};",
    "lop3.b32 {R}, {r}, {r}, {r}, {n};",
    "dp4a.s32.u32 {R}, {r}, {r}, {r};",
    "dp2a.lo.u32.s32 {R}, {r}, {r}, {r};",
    "selp.b32 {R}, {r}, {i}, {p};",
    "slct.s32.s32 {R}, {r}, {r}, {r};",
    "set.lt.u32.s32 {R}, {r}, {i};",
    "add.cc.u32 %x0, {r}, {r}; addc.u32 {R}, {r}, {r};",
    "sub.cc.u32 %x0, {r}, {r}; subc.u32 {R}, {r}, {r};",
    "add.s64 {L}, {l}, {l};",
    "sub.s64 {L}, {l}, {l};",
    "mul.lo.s64 {L}, {l}, {l};",
    "mul.hi.u64 {L}, {l}, {l};",
    "mad.lo.s64 {L}, {l}, {l}, {l};",
    "or.b64 %y0, {l}, 1; div.s64 {L}, {l}, %y0;",
    "or.b64 %y0, {l}, 1; rem.u64 {L}, {l}, %y0;",
    "shl.b64 {L}, {l}, {r};",
    "shr.s64 {L}, {l}, {i};",
    "xor.b64 {L}, {l}, {l};",
    "min.s64 {L}, {l}, {l};",
    "popc.b64 {R}, {l};",
    "clz.b64 {R}, {l};",
    "brev.b64 {L}, {l};",
    "bfe.s64 {L}, {l}, {n}, {r};",
    "mul.wide.s32 {L}, {r}, {i};",
    "mad.wide.u32 {L}, {r}, {r}, {l};",
    "cvt.s64.s32 {L}, {r};",
    "cvt.u32.u64 {R}, {l};",
    "mov.b64 {L}, {{r}, {r}};",
    "mov.b64 {{R}, %x0}, {l};",
    "cvt.s32.s8 {R}, {r};",
    "cvt.u32.u16 {R}, {r};",
    "cvt.sat.u8.s32 {R}, {r};",
    "cvt.rn.f32.s32 {F}, {r};",
    "cvt.rz.f32.u64 {F}, {l};",
    "cvt.rzi.s32.f32 {R}, {f};",
    "cvt.rni.u32.f32 {R}, {f};",
    "cvt.rpi.f32.f32 {F}, {f};",
    "cvt.rmi.s64.f64 {L}, {d};",
    "cvt.f64.f32 {D}, {f};",
    "cvt.rn.f32.f64 {F}, {d};",
    "cvt.rn.f64.s32 {D}, {r};",
    "cvt.rn.f16.f32 %h0, {f}; cvt.f32.f16 {F}, %h0;",
    "cvt.rn.bf16.f32 %h0, {f}; mov.b32 %x0, {%h0, %h0}; shl.b32 %x0, %x0, 16; mov.b32 {F}, %x0;",
    "add.rn.f32 {F}, {f}, {f};",
    "sub.rn.f32 {F}, {f}, {f};",
    "mul.rn.f32 {F}, {f}, {f};",
    "fma.rn.f32 {F}, {f}, {f}, {f};",
    "add.rz.f32 {F}, {f}, {f};",
    "mul.rp.f32 {F}, {f}, {f};",
    "fma.rm.f32 {F}, {f}, {f}, {f};",
    "add.rn.sat.f32 {F}, {f}, {f};",
    "div.rn.f32 {F}, {f}, {f};",
    "rcp.rn.f32 {F}, {f};",
    "sqrt.rn.f32 {F}, {f};",
    "min.f32 {F}, {f}, {f};",
    "max.f32 {F}, {f}, {f};",
    "neg.f32 {F}, {f};",
    "abs.f32 {F}, {f};",
    "mul.rn.f32 {F}, {f}, 0f3F000000;",
    "selp.f32 {F}, {f}, {f}, {p};",
    "add.rn.f64 {D}, {d}, {d};",
    "mul.rn.f64 {D}, {d}, {d};",
    "fma.rn.f64 {D}, {d}, {d}, {d};",
    "div.rn.f64 {D}, {d}, {d};",
    "sqrt.rn.f64 {D}, {d};",
    "min.f64 {D}, {d}, {d};",
    "setp.lt.s32 {P}, {r}, {i};",
    "setp.hs.u32 {P}, {r}, {r};",
    "setp.eq.s32 {P}, {r}, {i};",
    "setp.gt.s64 {P}, {l}, {l};",
    "setp.ltu.f32 {P}, {f}, {f};",
    "setp.ge.f64 {P}, {d}, {d};",
    "setp.nan.f32 {P}, {f}, {f};",
    "setp.ne.and.s32 {P}, {r}, {r}, {p};",
    "setp.le.xor.u32 {P}, {r}, {r}, !{p};",
    "and.b32 %x0, {r}, 5; setp.ne.u32 {P}, %x0, 0;",
    "xor.pred {P}, {p}, {p};",
    "or.pred {P}, {p}, {p};",
    "not.pred {P}, {p};",
    // The input.
    "and.b32 %x0, {r}, 1020; cvt.u64.u32 %y0, %x0; add.u64 %y0, %in, %y0; ld.global.u32 {R}, [%y0];",
    "and.b32 %x0, {r}, 1023; cvt.u64.u32 %y0, %x0; add.u64 %y0, %in, %y0; ld.global.s8 {R}, [%y0];",
    "and.b32 %x0, {r}, 1022; cvt.u64.u32 %y0, %x0; add.u64 %y0, %in, %y0; ld.global.nc.u16 {R}, [%y0];",
    "and.b32 %x0, {r}, 1016; cvt.u64.u32 %y0, %x0; add.u64 %y0, %in, %y0; ld.global.v2.u32 {{R}, %x1}, [%y0]; xor.b32 {R}, {r}, %x1;",
    "and.b32 %x0, {r}, 1008; cvt.u64.u32 %y0, %x0; add.u64 %y0, %in, %y0; ld.global.v4.u32 {{R}, %x1, %x2, %x3}, [%y0]; lop3.b32 {R}, %x1, %x2, %x3, 150;",
    "and.b32 %x0, {r}, 1016; cvt.u64.u32 %y0, %x0; add.u64 %y0, %in, %y0; ld.global.u64 {L}, [%y0];",
    "shl.b32 %x0, %lane, 2; cvt.u64.u32 %y0, %x0; add.u64 %y0, %in, %y0; ld.global.f32 {F}, [%y0+128];",
    // The stack.
    "and.b32 %x0, {r}, 28; cvt.u64.u32 %y0, %x0; add.u64 %y0, %stack, %y0; st.local.u32 [%y0], {r};",
    "and.b32 %x0, {r}, 30; cvt.u64.u32 %y0, %x0; add.u64 %y0, %stack, %y0; st.local.u16 [%y0], {r};",
    "and.b32 %x0, {r}, 28; cvt.u64.u32 %y0, %x0; add.u64 %y0, %stack, %y0; ld.local.u32 {R}, [%y0];",
    "and.b32 %x0, {r}, 31; cvt.u64.u32 %y0, %x0; add.u64 %y0, %stack, %y0; ld.local.s8 {R}, [%y0];",
    "st.local.b64 [%stack+8], {l}; ld.local.b32 {R}, [%stack+12];",
];

/// Additions to the sums of all threads: a word for each operation. Not in functions, which have no sums.
const SUMS: &[&str] = &[
    "red.global.add.u32 [%sum], {r};",
    "red.global.xor.b32 [%sum+16], {r};",
    "red.global.or.b32 [%sum+24], {r};",
    "red.global.max.u32 [%sum+32], {r};",
    "red.global.min.s32 [%sum+40], {r};",
    "red.global.add.u64 [%sum+48], {l};",
    "and.b32 %x0, {r}, 12; cvt.u64.u32 %y0, %x0; add.u64 %y0, %sum, %y0; red.global.add.u32 [%y0], {r};",
    "and.b32 %x0, {r}, 12; mov.u32 %x1, sums; add.u32 %x0, %x0, %x1; red.shared.add.u32 [%x0], {r};",
    "mov.u32 %x1, sums; atom.shared.max.s32 %x0, [%x1+16], {r};",
    "mov.u32 %x1, sums; atom.shared.xor.b32 %x0, [%x1+20], {r};",
    "mov.u32 %x1, sums; red.shared.inc.u32 [%x1+24], 1000;",
];

/// For all lanes of the mask `{m}`.
const OF_LANES: &[&str] = &[
    "vote.sync.ballot.b32 {R}, {p}, {m};",
    "vote.sync.all.pred {P}, {p}, {m};",
    "vote.sync.any.pred {P}, !{p}, {m};",
    "vote.sync.uni.pred {P}, {p}, {m};",
    "and.b32 %x0, {r}, 3; match.any.sync.b32 {R}, %x0, {m};",
    "match.any.sync.b64 {R}, {l}, {m};",
    "and.b32 %x0, {r}, 64; match.all.sync.b32 {R}|{P}, %x0, {m};",
    "redux.sync.add.s32 {R}, {r}, {m};",
    "redux.sync.max.u32 {R}, {r}, {m};",
    "redux.sync.min.s32 {R}, {r}, {m};",
    "redux.sync.xor.b32 {R}, {r}, {m};",
    "bar.warp.sync {m};",
    // From a lane that takes part.
    "shfl.sync.idx.b32 {R}|{P}, {r}, {first}, 31, {m};",
];

/// For whole warps.
const OF_WARPS: &[&str] = &[
    "shfl.sync.idx.b32 {R}|{P}, {r}, {r}, 31, 0xffffffff;",
    "shfl.sync.idx.b32 {R}, {r}, {n}, 0x1c03, 0xffffffff;",
    "shfl.sync.up.b32 {R}|{P}, {r}, {n}, 0, 0xffffffff;",
    "shfl.sync.up.b32 {R}, {r}, 3, 0x1800, 0xffffffff;",
    "shfl.sync.down.b32 {R}|{P}, {r}, {r}, 31, 0xffffffff;",
    "shfl.sync.down.b32 {R}, {r}, 1, 0x181f, 0xffffffff;",
    "shfl.sync.bfly.b32 {R}|{P}, {r}, {n}, 31, 0xffffffff;",
    "shfl.sync.bfly.b32 {R}, {r}, 16, 31, 0xffffffff;",
];

/// For whole blocks.
const OF_BLOCKS: &[&str] = &[
    "bar.sync 0;",
    "bar.red.popc.u32 {R}, 1, {p};",
    "bar.red.and.pred {P}, 0, {p};",
    "bar.red.or.pred {P}, 2, !{p};",
    "barrier.sync 3;",
];

/// Of the second generation: indices of 64 bits, negative ones and those that cross 32 bits among them.
const WIDE_INDICES: &[&str] = &[
    "and.b64 %y0, {l}, 252; sub.s64 %y0, %y0, 128; add.s64 %y0, %in, %y0; ld.global.u32 {R}, [%y0+128];",
    "cvt.s64.s32 %y0, {r}; shr.s64 %y0, %y0, 24; shl.b64 %y0, %y0, 2; add.s64 %y0, %in, %y0; ld.global.s32 {R}, [%y0+512];",
    "and.b64 %y0, {l}, 1016; add.s64 %y0, %y0, 0x300000000; add.s64 %y0, %in, %y0; sub.s64 %y0, %y0, 0x300000000; ld.global.u64 {L}, [%y0];",
    "shr.u64 %y0, {l}, 56; shl.b64 %y0, %y0, 2; add.s64 %y0, %in, %y0; ld.global.f32 {F}, [%y0];",
    "mul.hi.u64 %y0, {l}, 512; shl.b64 %y0, %y0, 1; add.s64 %y0, %in, %y0; ld.global.nc.s16 {R}, [%y0];",
    "mov.u32 %x0, %tid.x; cvt.s64.u32 %y0, %x0; sub.s64 %y0, 127, %y0; mad.lo.s64 %y0, %y0, 4, %in; ld.global.u32 {R}, [%y0+256];",
    "cvt.s64.s32 %y0, {r}; mul.lo.s64 %y0, %y0, 8; sub.s64 %y0, %y0, {l}; mov.b64 {%x0, %x1}, %y0; add.u32 {R}, %x0, %x1;",
];

/// Of the second generation, not in functions: texels by number, and by points.
const TEXTURES: &[&str] = &[
    "and.b32 %x0, {r}, 255; tex.1d.v4.u32.s32 {{R}, %x1, %x2, %x3}, [%tex0, {%x0}];",
    "and.b32 %x0, {r}, 15; bfe.u32 %x1, {r}, 8, 3; tex.2d.v4.u32.s32 {%x0, %x1, %x2, %x3}, [%tex1, {%x0, %x1}]; \
     lop3.b32 %x0, %x0, %x1, %x2, 150; mad.lo.u32 {R}, %x3, 257, %x0;",
    "and.b32 %x0, {r}, 31; bfe.u32 %x1, {r}, 8, 4; sub.s32 %x0, %x0, 8; sub.s32 %x1, %x1, 4; \
     cvt.rn.f32.s32 %e0, %x0; cvt.rn.f32.s32 %e1, %x1; add.rn.f32 %e0, %e0, 0f3F000000; add.rn.f32 %e1, %e1, 0f3E800000; \
     tex.2d.v4.u32.f32 {%x0, %x1, %x2, %x3}, [%tex1, {%e0, %e1}]; \
     mad.lo.u32 %x0, %x0, 3, %x1; mad.lo.u32 %x0, %x0, 5, %x2; mad.lo.u32 {R}, %x0, 7, %x3;",
];

const EDGES: [i64; 12] =
    [0, 1, -1, 2, 7, 31, 32, 33, 255, i32::MAX as i64, i32::MIN as i64, 0x5555_5555];

struct Generator {
    random: Random,
    /// Statements that may still be made.
    left: u32,
    functions: usize,
    whole_warps: bool,
    generation: u32,
    /// Chains of blocks so far.
    chains: u32,
}

impl Generator {
    fn below(&mut self, end: usize) -> usize {
        (self.random.bits() % end as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Fills the places of a line.
    fn fill(&mut self, template: &str, mask: u32) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(start) = rest.find('{') {
            text.push_str(&rest[..start]);
            rest = &rest[start..];
            let Some((end, filled)) = self.place(rest, mask) else {
                text.push('{');
                rest = &rest[1..];
                continue;
            };
            text.push_str(&filled);
            rest = &rest[end..];
        }
        text + rest
    }

    /// The end of the place at the start of `text`, in bytes, and what goes into it. A brace may be a vector's.
    fn place(&mut self, text: &str, mask: u32) -> Option<(usize, String)> {
        let end = text.find('}')? + 1;
        let filled = match &text[1..end - 1] {
            "R" | "r" => format!("%r{}", self.below(8)),
            "L" | "l" => format!("%l{}", self.below(4)),
            "F" | "f" => format!("%f{}", self.below(4)),
            "D" | "d" => format!("%d{}", self.below(2)),
            "P" | "p" => format!("%p{}", self.below(4)),
            "n" => self.below(256).to_string(),
            "m" => format!("{mask:#x}"),
            "first" => mask.trailing_zeros().to_string(),
            "i" if self.chance(50) => format!("%r{}", self.below(8)),
            "i" => EDGES[self.below(EDGES.len())].to_string(),
            _ => return None,
        };
        Some((end, filled))
    }

    fn plain(&mut self, template: &str, mask: u32) -> Statement {
        let text = self.fill(template, mask);
        let is_one = text.matches(';').count() == 1;
        if is_one && mask == 0 && self.chance(15) {
            let not = if self.chance(50) { "!" } else { "" };
            return Statement::Plain(format!("@{not}%p{} {text}", self.below(4)));
        }
        Statement::Plain(text)
    }

    fn statements(&mut self, together: Together, depth: u32, in_function: bool) -> Vec<Statement> {
        let count = 1 + self.below(if depth == 0 { 24 } else { 5 });
        let mut statements = Vec::new();
        for _ in 0..count {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            statements.push(self.statement(together, depth, in_function));
        }
        statements
    }

    fn statement(&mut self, together: Together, depth: u32, in_function: bool) -> Statement {
        if self.generation > 1 && self.chance(35) {
            return self.newer(together, depth, in_function);
        }
        let choice = self.below(100);
        if depth < 4 && choice < 20 {
            return self.compound(together, depth, in_function);
        }
        if !in_function && choice < 50 {
            match together {
                Together::Block if choice < 28 => {
                    if self.chance(50) {
                        let (to, from) = (self.below(8) as u32, self.below(8) as u32);
                        return Statement::Exchange {
                            to,
                            from,
                            distance: 1 + self.below(40) as u32,
                        };
                    }
                    let template = self.pick(OF_BLOCKS);
                    return self.together(template, 0);
                }
                Together::Block | Together::Warp if self.whole_warps => {
                    let template =
                        if self.chance(40) { self.pick(OF_WARPS) } else { self.pick(OF_LANES) };
                    return self.together(template, u32::MAX);
                }
                Together::Lanes(mask) => {
                    let template = self.pick(OF_LANES);
                    return self.together(template, mask);
                }
                _ => {}
            }
        }
        if !in_function && choice < 56 {
            if self.chance(20) {
                return Statement::SwapLoop { register: self.below(8) as u32 };
            }
            let template = self.pick(SUMS);
            return self.plain(template, 0);
        }
        if choice < 60 && self.functions > 0 {
            let [to, a, b] = std::array::from_fn(|_| self.below(8) as u32);
            return Statement::Call { function: self.below(self.functions), to, a, b };
        }
        let template = self.pick(PLAIN);
        self.plain(template, 0)
    }

    /// A statement that only the second generation has.
    fn newer(&mut self, together: Together, depth: u32, in_function: bool) -> Statement {
        let [to, from, third] = std::array::from_fn(|_| self.below(8) as u32);
        match self.below(10) {
            // All blocks come here once.
            0 | 1 if together == Together::Block && depth == 0 && self.chains < 4 => {
                self.chains += 1;
                Statement::Chain { place: self.chains - 1, kind: self.below(5), to, from }
            }
            0..=2 if together == Together::Block => {
                Statement::Compact { predicate: self.below(4) as u32, to, from }
            }
            3 | 4 => {
                let constant = self.chance(30);
                let returns = in_function && self.chance(50);
                Statement::Search { key: from, to, constant, returns }
            }
            5 if self.functions > 0 && !in_function => {
                Statement::Indirect { functions: self.functions, by: third, to, a: from, b: to }
            }
            6 if !in_function => {
                let template = self.pick(TEXTURES);
                self.plain(template, 0)
            }
            7 => {
                let template = self.pick(WIDE_INDICES);
                self.plain(template, 0)
            }
            _ => {
                let template = vectors::access(&mut self.random, in_function);
                self.plain(&template, 0)
            }
        }
    }

    /// Without a predicate, since all have to come.
    fn together(&mut self, template: &str, mask: u32) -> Statement {
        Statement::Plain(self.fill(template, mask))
    }

    fn compound(&mut self, together: Together, depth: u32, in_function: bool) -> Statement {
        let register = self.below(8) as u32;
        let inner =
            |generator: &mut Self, together| generator.statements(together, depth + 1, in_function);
        match (together, self.below(8)) {
            // Ways that all go together.
            (Together::Block, 0) => Statement::If {
                condition: Condition::BlockBit(self.below(2) as u32),
                then: inner(self, Together::Block),
                otherwise: inner(self, Together::Block),
            },
            (Together::Block | Together::Warp, 1) => Statement::If {
                condition: Condition::WarpBit(self.below(2) as u32),
                then: inner(self, Together::Warp),
                otherwise: inner(self, Together::Warp),
            },
            (Together::Block | Together::Warp, 2 | 3) if self.whole_warps => {
                let masks = [0xffff, 0xaaaa_aaaa, 0x1, 0x8000_0001, 0xffff_fffe, 0x00ff_ff00];
                let random = self.random.bits() as u32 | 2;
                let mask = if self.chance(50) { random } else { masks[self.below(masks.len())] };
                Statement::If {
                    condition: Condition::Lanes(mask),
                    then: inner(self, Together::Lanes(mask)),
                    otherwise: inner(self, Together::Lanes(!mask)),
                }
            }
            (Together::Block | Together::Warp | Together::Lanes(_), 4) => {
                let rounds = match together {
                    Together::Block if self.generation > 1 => Rounds::Block(self.below(4) as u32),
                    Together::Warp if self.generation > 1 => Rounds::Warp(self.below(4) as u32),
                    _ => Rounds::Fixed(1 + self.below(4) as u32),
                };
                Statement::Loop { rounds, body: inner(self, together) }
            }
            // Ways that threads go alone.
            (_, 5) => {
                let blocks = 2 + self.below(3);
                let block = |generator: &mut Self| {
                    let body = inner(generator, Together::Thread);
                    (body, generator.below(4) as u32, generator.below(blocks))
                };
                Statement::Tangle { blocks: (0..blocks).map(|_| block(self)).collect() }
            }
            (_, 6) => {
                let cases = 2 + self.below(3);
                let cases = (0..cases).map(|_| inner(self, Together::Thread)).collect();
                Statement::Switch { register, cases }
            }
            (_, 7 | 0) => {
                let mut body = inner(self, Together::Thread);
                if self.chance(60) {
                    let at = self.below(body.len() + 1);
                    let predicate = self.below(4) as u32;
                    body.insert(at, Statement::Leave { predicate, next_round: self.chance(40) });
                }
                let rounds = if self.chance(60) {
                    Rounds::Register(register)
                } else {
                    Rounds::Fixed(1 + self.below(5) as u32)
                };
                Statement::Loop { rounds, body }
            }
            _ => Statement::If {
                condition: Condition::Predicate(self.below(4) as u32),
                then: inner(self, Together::Thread),
                otherwise: inner(self, Together::Thread),
            },
        }
    }
}

/// The kernel of a seed.
pub fn generate(seed: u64) -> Kernel {
    const BLOCKS: [[u32; 2]; 10] =
        [[32, 1], [64, 1], [96, 1], [128, 1], [32, 2], [16, 4], [8, 8], [20, 1], [50, 1], [7, 9]];
    let mut generator = Generator {
        random: Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d)),
        left: 0,
        functions: 0,
        whole_warps: false,
        generation: generation_of(seed),
        chains: 0,
    };
    let block = BLOCKS[generator.below(BLOCKS.len())];
    let grid = 1 + generator.below(4) as u32;
    let mut functions = Vec::new();
    for _ in 0..generator.below(3) {
        generator.left = 10;
        // A function calls those before it.
        let mut body = generator.statements(Together::Thread, 1, true);
        if generator.chance(40) {
            let predicate = generator.below(4);
            let at = generator.below(body.len() + 1);
            let early = format!("@%p{predicate} st.param.b32 [result], %r1; @%p{predicate} ret;");
            body.insert(at, Statement::Plain(early));
        }
        functions.push(body);
        generator.functions += 1;
    }
    generator.whole_warps = has_whole_warps(block);
    generator.left = 8 + generator.below(32) as u32;
    let body = generator.statements(Together::Block, 0, false);
    generator.left = 6;
    let mut tail = generator.statements(Together::Thread, 1, false);
    if generator.chance(50) {
        let at = generator.below(tail.len() + 1);
        tail.insert(at, Statement::Plain(format!("@%p{} exit;", generator.below(4))));
    }
    Kernel { generation: generation_of(seed), block, grid, functions, body, tail }
}
