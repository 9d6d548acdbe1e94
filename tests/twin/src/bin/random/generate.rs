//! Random programs whose results do not depend on the order in which threads run.
//!
//! Each thread changes variables of its own. Threads see one another's values only across barriers, in warp
//! operations that name exactly the lanes that come, and through atomics that commute and whose results
//! nobody looks at. Sums, products and conversions of floats end in a value that is no NaN.

use crate::program::{Function, Program, STORE_ROW, Statement};

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x1234_5678_9abc_def0)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.below(words.len())]
    }

    /// A word that is often at an edge.
    pub fn word(&mut self) -> u64 {
        const EDGES: [u64; 12] = [
            0,
            1,
            2,
            31,
            32,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            u64::MAX,
            1 << 63,
            0x7fff_ffff_ffff_ffff,
            0x3f80_0000,
        ];
        match self.below(4) {
            0 => EDGES[self.below(EDGES.len())],
            1 => self.next() & 0xff,
            _ => self.next(),
        }
    }
}

/// Where statements stand.
#[derive(Clone, Copy)]
struct Place {
    /// The mask of the lanes that are together.
    depth: usize,
    loops: usize,
    /// All threads of the block that live come here together.
    block: bool,
    /// All lanes of `%m<depth>` come here together.
    warp: bool,
    in_function: bool,
}

struct Generator {
    random: Random,
    functions: usize,
    budget: usize,
    /// Some threads have ended, so that counts of threads are not known.
    ended: bool,
    whole_warps: bool,
}

pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    const BLOCKS: [[u32; 3]; 9] = [
        [32, 1, 1],
        [64, 1, 1],
        [96, 1, 1],
        [128, 1, 1],
        [48, 1, 1],
        [16, 4, 1],
        [33, 2, 1],
        [8, 4, 2],
        [20, 1, 1],
    ];
    let block = BLOCKS[random.below(BLOCKS.len())];
    let grid = 1 + random.below(2) as u32;
    let functions = random.below(3);
    let whole_warps = block.iter().product::<u32>().is_multiple_of(32);
    let mut generator = Generator { random, functions: 0, budget: 0, ended: false, whole_warps };
    let functions = (0..functions)
        .map(|index| {
            generator.budget = 8;
            let recursive = generator.random.chance(40);
            let place =
                Place { depth: 0, loops: 0, block: false, warp: !recursive, in_function: true };
            let function = Function {
                name: format!("function{index}"),
                body: generator.list(place, 5),
                recursive,
            };
            generator.functions += 1;
            function
        })
        .collect();
    generator.budget = 20 + generator.random.below(25);
    let place = Place { depth: 0, loops: 0, block: true, warp: true, in_function: false };
    let mut body = Vec::new();
    while generator.budget > 0 {
        body.push(generator.statement(place));
    }
    Program { block, grid, functions, body }
}

impl Generator {
    fn list(&mut self, place: Place, most: usize) -> Vec<Statement> {
        (0..=self.random.below(most)).map(|_| self.statement(place)).collect()
    }

    fn statement(&mut self, place: Place) -> Statement {
        self.budget = self.budget.saturating_sub(1);
        let nests = self.budget > 0 && place.depth < 5 && place.loops < 4;
        match self.random.below(100) {
            0..14 if nests => self.branch(place),
            14..26 if nests => self.repeat(place),
            26..30 if nests => self.switch(place),
            30..34 if nests => self.jumps(),
            34..42 if place.block => Statement::Text(self.exchange()),
            42..46 if place.block => Statement::Text(self.barrier()),
            46..62 if place.warp => Statement::Text(self.warp_operation(place.depth)),
            62..66 if self.functions > 0 => Statement::Text(self.call(place)),
            66..70 if !place.in_function => Statement::Text(self.atomic()),
            70..78 => Statement::Text(self.memory()),
            78..80 if place.block && place.loops == 0 && place.depth == 0 => {
                Statement::Text(self.exit())
            }
            _ => Statement::Text(self.arithmetic()),
        }
    }

    fn r(&mut self) -> String {
        format!("%r{}", self.random.below(8))
    }

    fn q(&mut self) -> String {
        format!("%q{}", self.random.below(4))
    }

    fn f(&mut self) -> String {
        format!("%f{}", self.random.below(4))
    }

    fn d(&mut self) -> String {
        format!("%d{}", self.random.below(2))
    }

    /// A register, or a constant.
    fn r_or_constant(&mut self) -> String {
        if self.random.chance(25) { (self.random.word() as u32).to_string() } else { self.r() }
    }

    /// Sets a predicate from the thread's variables.
    fn condition(&mut self, predicate: &str) -> String {
        let (a, b, f, g, q, s) =
            (self.r(), self.r_or_constant(), self.f(), self.f(), self.q(), self.q());
        match self.random.below(7) {
            0 => format!("  setp.lt.s32 {predicate}, {a}, {b};\n"),
            1 => {
                let bit = 1 << self.random.below(5);
                format!("  and.b32 %x0, {a}, {bit};\n  setp.ne.u32 {predicate}, %x0, 0;\n")
            }
            2 => {
                let bound = self.random.below(33);
                format!("  setp.lt.u32 {predicate}, %lane, {bound};\n")
            }
            3 => format!("  setp.gt.f32 {predicate}, {f}, {g};\n"),
            4 => format!("  setp.ge.u64 {predicate}, {q}, {s};\n"),
            5 => {
                let bit = self.random.below(5);
                format!(
                    "  shr.u32 %x0, %lane, {bit};\n  and.b32 %x0, %x0, 1;\n  setp.eq.u32 {predicate}, %x0, 0;\n"
                )
            }
            _ => format!("  setp.hi.u32 {predicate}, {a}, {b};\n"),
        }
    }

    fn branch(&mut self, place: Place) -> Statement {
        // The same for the whole block, or not.
        if place.block && self.random.chance(25) {
            let inner = Place { depth: place.depth + 1, ..place };
            return Statement::If {
                condition: "  mov.u32 %x0, %ctaid.x;\n  setp.eq.u32 %p0, %x0, 0;\n".to_owned(),
                depth: place.depth,
                yes: self.list(inner, 3),
                no: self.list(inner, 3),
                masks: true,
            };
        }
        let inner = Place { depth: place.depth + 1, block: false, ..place };
        Statement::If {
            condition: self.condition("%p0"),
            depth: place.depth,
            yes: self.list(inner, 4),
            no: if self.random.chance(60) { self.list(inner, 4) } else { vec![] },
            masks: place.warp,
        }
    }

    fn repeat(&mut self, place: Place) -> Statement {
        let number = place.loops;
        let divergent = !place.block || self.random.chance(60);
        let inner = Place {
            depth: place.depth + 1,
            loops: place.loops + 1,
            block: place.block && !divergent,
            ..place
        };
        let count = if divergent {
            let a = self.r();
            let mask = self.random.pick(&["3", "1", "7"]);
            format!("  and.b32 %c{number}, {a}, {mask};\n")
        } else {
            format!("  mov.u32 %c{number}, {};\n", 1 + self.random.below(3))
        };
        let body = self.list(inner, 4);
        let leave = (divergent && self.random.chance(40)).then(|| self.condition("%p1"));
        Statement::Loop {
            number,
            depth: place.depth,
            count,
            body,
            leave,
            divergent,
            masks: place.warp,
        }
    }

    fn switch(&mut self, place: Place) -> Statement {
        let a = self.r();
        let cases = 2 + self.random.below(3);
        let inner = Place { depth: place.depth + 1, block: false, warp: false, ..place };
        let selector = format!("  rem.u32 %s, {a}, {cases};\n");
        let cases = (0..cases).map(|_| (self.list(inner, 2), self.random.chance(30))).collect();
        Statement::Switch { selector, cases }
    }

    fn jumps(&mut self) -> Statement {
        let blocks = 2 + self.random.below(4);
        let blocks = (0..blocks)
            .map(|_| {
                let body = (0..1 + self.random.below(2))
                    .map(|_| {
                        let text =
                            if self.random.chance(80) { self.arithmetic() } else { self.memory() };
                        Statement::Text(text)
                    })
                    .collect();
                let condition = self.condition("%p0");
                (body, condition, self.random.below(blocks + 1), self.random.below(blocks + 1))
            })
            .collect();
        Statement::Jumps(blocks)
    }

    /// Values go to other threads of the block through shared memory.
    fn exchange(&mut self) -> String {
        let (r, q, to, q2) = (self.r(), self.q(), self.r(), self.q());
        let step = self.random.below(128);
        let (store, load) = match self.random.below(5) {
            0 => (format!("st.shared.u64 [%x1], {q}"), format!("ld.shared.u64 {q2}, [%x1]")),
            1 => (format!("st.shared.u8 [%x1+3], {r}"), format!("ld.shared.s8 {to}, [%x1+3]")),
            2 => (format!("st.shared.u16 [%x1+2], {r}"), format!("ld.shared.s16 {to}, [%x1+2]")),
            3 => (
                format!("st.shared.v2.u32 [%x1], {{{r}, {to}}}"),
                format!("ld.shared.v2.u32 {{{to}, %x4}}, [%x1]"),
            ),
            _ => (
                format!("st.shared.u32 [%x1+4], {r}"),
                format!("ld.volatile.shared.u32 {to}, [%x1+4]"),
            ),
        };
        let from = match self.random.below(3) {
            0 => format!("  xor.b32 %x3, %thread, {};\n", step & 31),
            1 => format!("  add.u32 %x3, %thread, {step};\n"),
            _ => format!("  mad.lo.u32 %x3, %thread, 5, {step};\n"),
        };
        format!(
            "  shl.b32 %x1, %thread, 3;\n  mov.u32 %x2, shared;\n  add.u32 %x1, %x1, %x2;\n  {store};\n  bar.sync 0;\n{from}\
             \x20 mov.u32 %x4, %ntid.x;\n  mov.u32 %x5, %ntid.y;\n  mul.lo.u32 %x4, %x4, %x5;\n  mov.u32 %x5, %ntid.z;\n  mul.lo.u32 %x4, %x4, %x5;\n\
             \x20 rem.u32 %x3, %x3, %x4;\n  shl.b32 %x1, %x3, 3;\n  add.u32 %x1, %x1, %x2;\n  {load};\n  bar.sync 0;\n"
        )
    }

    fn barrier(&mut self) -> String {
        let (to, condition) = (self.r(), self.condition("%p0"));
        let id = self.random.below(16);
        match self.random.below(4) {
            0 => format!("{condition}  bar.red.popc.u32 {to}, {id}, %p0;\n"),
            1 => format!(
                "{condition}  bar.red.and.pred %p1, {id}, %p0;\n  selp.b32 {to}, 77, {to}, %p1;\n"
            ),
            2 => format!(
                "{condition}  bar.red.or.pred %p1, {id}, %p0;\n  selp.b32 {to}, 78, {to}, %p1;\n"
            ),
            _ if self.whole_warps && !self.ended => format!(
                "  mov.u32 %x0, %ntid.x;\n  mov.u32 %x1, %ntid.y;\n  mul.lo.u32 %x0, %x0, %x1;\n  mov.u32 %x1, %ntid.z;\n  mul.lo.u32 %x0, %x0, %x1;\n\
                 \x20 barrier.sync {id}, %x0;\n"
            ),
            _ => format!("  barrier.sync {id};\n"),
        }
    }

    fn warp_operation(&mut self, depth: usize) -> String {
        let mask = format!("%m{depth}");
        let (a, to, q) = (self.r(), self.r(), self.q());
        let condition = self.condition("%p0");
        match self.random.below(12) {
            0..3 => {
                let mode = self.random.pick(&["up", "down", "bfly", "idx"]);
                let clamp = match (mode, self.random.below(3)) {
                    ("up", 0) => 0,
                    ("up", _) => 0x1000,
                    (_, 0) => 31,
                    (_, 1) => 0x181f,
                    _ => 0x101f,
                };
                let by = if self.random.chance(50) {
                    self.random.below(32).to_string()
                } else {
                    let by = self.r();
                    return format!(
                        "  and.b32 %x1, {by}, 31;\n  shfl.sync.{mode}.b32 %x2|%p1, {a}, %x1, {clamp}, {mask};\n{}",
                        read_member(mode, "%x1", clamp, &mask, &to)
                    );
                };
                format!(
                    "  mov.u32 %x1, {by};\n  shfl.sync.{mode}.b32 %x2|%p1, {a}, {by}, {clamp}, {mask};\n{}",
                    read_member(mode, "%x1", clamp, &mask, &to)
                )
            }
            3 => format!("{condition}  vote.sync.ballot.b32 {to}, %p0, {mask};\n"),
            4 => {
                let mode = self.random.pick(&["all", "any", "uni"]);
                format!(
                    "{condition}  vote.sync.{mode}.pred %p1, %p0, {mask};\n  selp.b32 %x0, 5, 9, %p1;\n  add.u32 {to}, {to}, %x0;\n"
                )
            }
            5 => format!("  and.b32 %x0, {a}, 3;\n  match.any.sync.b32 {to}, %x0, {mask};\n"),
            6 => format!("  and.b64 %y0, {q}, 5;\n  match.any.sync.b64 {to}, %y0, {mask};\n"),
            7 => format!("  and.b32 %x0, {a}, 1;\n  match.all.sync.b32 {to}|%p1, %x0, {mask};\n"),
            8..10 => {
                let operation = self.random.pick(&[
                    "add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32",
                    "or.b32", "xor.b32",
                ]);
                format!("  redux.sync.{operation} {to}, {a}, {mask};\n")
            }
            10 => format!("  bar.warp.sync {mask};\n"),
            // Two instructions, the same meaning: those who name one another meet all the same.
            _ => format!(
                "{condition}  popc.b32 %x0, {mask};\n  selp.b32 %x0, %x0, 3, %p0;\n  shfl.sync.bfly.b32 %x1, %x0, 0, 31, {mask};\n  add.u32 {to}, {to}, %x1;\n"
            ),
        }
    }

    fn call(&mut self, place: Place) -> String {
        let function = self.random.below(self.functions);
        let (a, b, to) = (self.r(), self.r(), self.r());
        // A mask that names the lane alone is right everywhere.
        let mask = if place.warp {
            format!("  mov.u32 %x0, %m{};\n", place.depth)
        } else {
            "  mov.u32 %x0, 1;\n  shl.b32 %x0, %x0, %lane;\n".to_owned()
        };
        format!(
            "{mask}  call (answer), function{function}, ({a}, {b}, %x0, %in);\n  ld.param.u32 {to}, [answer];\n"
        )
    }

    fn atomic(&mut self) -> String {
        let a = self.r();
        let q = self.q();
        let cell = self.random.below(3);
        let operations =
            ["add.u32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "or.b32", "xor.b32"];
        // Each cell knows one operation, so that the order does not matter.
        let number = self.random.below(operations.len() + 2);
        let address =
            format!("  and.b32 %x0, %lane, {cell};\n  mad.wide.u32 %y0, %x0, 128, %cells;\n");
        match operations.get(number) {
            Some(operation) => {
                let instruction = if self.random.chance(50) {
                    format!("red.global.{operation} [%y0+{}], {a}", 8 * number)
                } else {
                    format!("atom.global.{operation} %x1, [%y0+{}], {a}", 8 * number)
                };
                format!("{address}  {instruction};\n")
            }
            None if number == 8 => format!("{address}  red.global.add.u64 [%y0+64], {q};\n"),
            None => format!("{address}  atom.global.max.u64 %y1, [%y0+72], {q};\n"),
        }
    }

    fn memory(&mut self) -> String {
        let (a, to, q, f, d) = (self.r(), self.r(), self.q(), self.f(), self.d());
        match self.random.below(8) {
            0 => format!(
                "  and.b32 %x0, {a}, 7;\n  mov.u64 %y0, local;\n  mad.wide.u32 %y0, %x0, 8, %y0;\n  st.local.u32 [%y0+4], {to};\n"
            ),
            1 => format!(
                "  and.b32 %x0, {a}, 7;\n  mov.u64 %y0, local;\n  mad.wide.u32 %y0, %x0, 8, %y0;\n  ld.local.u64 {q}, [%y0];\n"
            ),
            2 => format!(
                "  and.b32 %x0, {a}, 63;\n  mov.u64 %y0, local;\n  mad.wide.u32 %y0, %x0, 1, %y0;\n  ld.local.s8 {to}, [%y0];\n"
            ),
            3 => {
                let index = 8 * self.random.below(7);
                format!(
                    "  st.local.v2.u32 [local+{index}], {{{a}, {to}}};\n  ld.local.u16 {to}, [local+{}];\n",
                    index + 2
                )
            }
            4 => format!(
                "  and.b32 %x0, {a}, 4095;\n  mad.wide.u32 %y0, %x0, 4, %in;\n  ld.global.u32 {to}, [%y0];\n"
            ),
            5 => format!(
                "  and.b32 %x0, {a}, 16383;\n  cvt.u64.u32 %y0, %x0;\n  add.u64 %y0, %y0, %in;\n  ld.global.nc.u8 {to}, [%y0];\n"
            ),
            6 => format!(
                "  and.b32 %x0, {a}, 1023;\n  mad.wide.u32 %y0, %x0, 16, %in;\n  ld.global.v2.u64 {{{q}, %y1}}, [%y0];\n  cvt.rn.f64.s64 {d}, %y1;\n"
            ),
            _ => format!(
                "  and.b32 %x0, {a}, 8191;\n  mad.wide.u32 %y0, %x0, 2, %in;\n  ld.global.s16 %x1, [%y0];\n  cvt.rn.f32.s32 {f}, %x1;\n"
            ),
        }
    }

    /// Some threads end, with what they have.
    fn exit(&mut self) -> String {
        self.ended = true;
        let condition = self.condition("%p0");
        let store = STORE_ROW.replace("  st.", "  @%p0 st.");
        format!(
            "{condition}  not.pred %p1, %p0;\n  vote.sync.ballot.b32 %m0, %p1, %m0;\n{store}  @%p0 exit;\n"
        )
    }

    fn arithmetic(&mut self) -> String {
        let text = match self.random.below(10) {
            0..5 => self.word_arithmetic(),
            5..7 => self.long_arithmetic(),
            7..9 => self.float_arithmetic(),
            _ => self.conversion(),
        };
        // One instruction may be predicated.
        if text.lines().count() == 1 && self.random.chance(20) {
            let condition = self.condition("%p0");
            return format!("{condition}  @%p0 {}", text.trim_start());
        }
        text
    }

    fn word_arithmetic(&mut self) -> String {
        let (to, a, b, c) = (self.r(), self.r(), self.r_or_constant(), self.r());
        let simple = [
            "add.u32",
            "sub.u32",
            "mul.lo.u32",
            "mul.hi.u32",
            "mul.hi.s32",
            "and.b32",
            "or.b32",
            "xor.b32",
            "min.s32",
            "max.s32",
            "min.u32",
            "max.u32",
            "shl.b32",
            "shr.u32",
            "shr.s32",
            "mul24.lo.u32",
            "add.sat.s32",
            "sub.sat.s32",
        ];
        match self.random.below(12) {
            0..5 => format!("  {} {to}, {a}, {b};\n", self.random.pick(&simple)),
            5 => format!(
                "  {} {to}, {a};\n",
                self.random.pick(&[
                    "abs.s32",
                    "neg.s32",
                    "not.b32",
                    "popc.b32",
                    "clz.b32",
                    "brev.b32",
                    "bfind.u32",
                    "bfind.s32",
                    "bfind.shiftamt.u32"
                ])
            ),
            6 => format!(
                "  {} {to}, {a}, {b}, {c};\n",
                self.random.pick(&[
                    "mad.lo.u32",
                    "mad.hi.s32",
                    "sad.u32",
                    "sad.s32",
                    "prmt.b32",
                    "shf.l.wrap.b32",
                    "shf.r.clamp.b32",
                    "dp4a.u32.u32",
                    "dp2a.lo.s32.u32"
                ])
            ),
            7 => format!("  lop3.b32 {to}, {a}, {b}, {c}, {};\n", self.random.below(256)),
            8 if self.random.chance(50) => {
                let (operation, b) = (self.random.pick(&["bfe.u32", "bfe.s32"]), self.r());
                format!("  {operation} {to}, {a}, {b}, {c};\n")
            }
            8 => format!("  bfi.b32 {to}, {a}, {b}, {c}, {to};\n"),
            9 => {
                let operation = self.random.pick(&["div.u32", "rem.u32"]);
                format!("  or.b32 %x0, {c}, 1;\n  {operation} {to}, {a}, %x0;\n")
            }
            10 => {
                let operation = self.random.pick(&["div.s32", "rem.s32"]);
                format!(
                    "  and.b32 %x0, {c}, 65535;\n  add.u32 %x0, %x0, 1;\n  {operation} {to}, {a}, %x0;\n"
                )
            }
            _ => format!("{}  selp.b32 {to}, {a}, {b}, %p0;\n", self.condition("%p0")),
        }
    }

    fn long_arithmetic(&mut self) -> String {
        let (to, a, b, r, c) = (self.q(), self.q(), self.q(), self.r(), self.r());
        let simple = [
            "add.u64",
            "sub.u64",
            "mul.lo.u64",
            "mul.hi.u64",
            "mul.hi.s64",
            "and.b64",
            "or.b64",
            "xor.b64",
            "min.s64",
            "max.u64",
        ];
        match self.random.below(8) {
            0..3 => format!("  {} {to}, {a}, {b};\n", self.random.pick(&simple)),
            3 => format!(
                "  {} {to}, {a}, {r};\n",
                self.random.pick(&["shl.b64", "shr.u64", "shr.s64"])
            ),
            4 => format!(
                "  {} {to}, {r}, {c};\n",
                self.random.pick(&["mul.wide.u32", "mul.wide.s32"])
            ),
            5 => {
                format!("  {} {r}, {a};\n", self.random.pick(&["popc.b64", "clz.b64", "bfind.u64"]))
            }
            6 => format!("  or.b64 %y0, {b}, 1;\n  div.u64 {to}, {a}, %y0;\n"),
            _ => format!("  mov.b64 {to}, {{{r}, {c}}};\n"),
        }
    }

    fn float_arithmetic(&mut self) -> String {
        if self.random.chance(30) {
            let (to, a, b) = (self.d(), self.d(), self.d());
            let operation = match self.random.below(5) {
                0 => format!("fma.rn.f64 %e0, {a}, {b}, {to}"),
                1 => format!("div.rn.f64 %e0, {a}, {b}"),
                2 => format!("sqrt.rn.f64 %e0, {a}"),
                _ => format!(
                    "{} %e0, {a}, {b}",
                    self.random.pick(&[
                        "add.rn.f64",
                        "mul.rn.f64",
                        "sub.rz.f64",
                        "min.f64",
                        "add.rp.f64"
                    ])
                ),
            };
            return format!(
                "  {operation};\n  testp.notanumber.f64 %p0, %e0;\n  selp.f64 {to}, 0d3FF0000000000000, %e0, %p0;\n"
            );
        }
        let (to, a, b, c) = (self.f(), self.f(), self.f(), self.f());
        let operation = match self.random.below(7) {
            0 => format!("fma.rn.f32 %g0, {a}, {b}, {c}"),
            1 => format!("fma.rn.ftz.f32 %g0, {a}, {b}, {c}"),
            2 => format!("div.rn.f32 %g0, {a}, {b}"),
            3 => format!("sqrt.rn.f32 %g0, {a}"),
            _ => format!(
                "{} %g0, {a}, {b}",
                self.random.pick(&[
                    "add.rn.f32",
                    "add.rn.ftz.f32",
                    "mul.rn.f32",
                    "mul.rz.f32",
                    "sub.rm.f32",
                    "min.f32",
                    "max.f32",
                    "mul.sat.f32"
                ])
            ),
        };
        format!(
            "  {operation};\n  testp.notanumber.f32 %p0, %g0;\n  selp.f32 {to}, 0f3F800000, %g0, %p0;\n"
        )
    }

    fn conversion(&mut self) -> String {
        let (r, q, f, d) = (self.r(), self.q(), self.f(), self.d());
        match self.random.below(8) {
            0 => format!("  cvt.rzi.s32.f32 {r}, {f};\n"),
            1 => format!("  cvt.rni.u32.f64 {r}, {d};\n"),
            2 => format!("  cvt.rn.f32.u32 {f}, {r};\n"),
            3 => format!("  cvt.rz.f32.s64 {f}, {q};\n"),
            4 => format!("  cvt.f64.f32 {d}, {f};\n"),
            5 => format!("  cvt.s64.s32 {q}, {r};\n"),
            6 => format!("  cvt.u32.u64 {r}, {q};\n"),
            _ => format!("  cvt.sat.s8.s32 {r}, {r};\n"),
        }
    }
}

/// A shuffle's result counts where the lane that it came from takes part.
fn read_member(mode: &str, by: &str, clamp: u32, mask: &str, to: &str) -> String {
    let segment = (clamp >> 8) & 31;
    let source = match mode {
        "up" => format!("  sub.u32 %x3, %lane, {by};\n"),
        "down" => format!("  add.u32 %x3, %lane, {by};\n"),
        "bfly" => format!("  xor.b32 %x3, %lane, {by};\n"),
        _ => format!(
            "  and.b32 %x3, %lane, {segment};\n  and.b32 %x4, {by}, {};\n  or.b32 %x3, %x3, %x4;\n",
            31 & !segment
        ),
    };
    format!(
        "{source}  selp.b32 %x3, %x3, %lane, %p1;\n  shr.u32 %x4, {mask}, %x3;\n  and.b32 %x4, %x4, 1;\n  setp.ne.u32 %p2, %x4, 0;\n\
         \x20 @%p2 mov.u32 {to}, %x2;\n  @%p1 add.u32 {to}, {to}, 1;\n"
    )
}
