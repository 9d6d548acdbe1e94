//! A kernel as a tree of statements, and its PTX.
//!
//! Every thread has the registers `%r0..7` (32 bits), `%l0..3` (64 bits), `%f0..3`, `%d0..1` and `%p0..3`, which
//! begin with values of their own, and stores them all at the end. So any statement can be left out.

/// Threads of a warp.
const WARP: u32 = 32;
/// Bytes of output of each thread.
pub const ROW: usize = 128;
/// Words of input, which kernels only read.
pub const INPUT: usize = 256;
/// Words that all threads add to, in global and in shared memory.
pub const SUMS: usize = 16;
/// Bytes of each thread that it alone reads and writes, from the second generation on.
pub const OWN: usize = 64;
/// Bytes of each block in a chain; four chains of four blocks.
const LINK: usize = 32;
pub const CHAINS: usize = 4 * 4 * LINK;
/// Rounds that a block waits for the one before it: so long that it comes, but not forever.
const PATIENCE: u32 = 1 << 22;
/// Entries of the sorted table, and the bits of keys.
const TABLE: u32 = 64;
const KEYS: u32 = 1023;

/// Seeds of the second generation begin here; its kernels have all that those of the first have, and more.
pub const SECOND: u64 = 1 << 32;

/// The generation of a seed, 1 or 2.
pub fn generation_of(seed: u64) -> u32 {
    if seed < SECOND { 1 } else { 2 }
}

#[derive(Clone, Debug)]
pub enum Statement {
    /// Instructions without labels.
    Plain(String),
    /// By a predicate of each thread.
    If {
        condition: Condition,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Loop {
        rounds: Rounds,
        body: Vec<Statement>,
    },
    /// Leaves the innermost loop, or goes on with its next round, where the predicate holds.
    Leave {
        predicate: u32,
        next_round: bool,
    },
    /// Blocks that jump to one another: each ends with a jump to the block `to` where its predicate holds.
    Tangle {
        blocks: Vec<(Vec<Statement>, u32, usize)>,
    },
    /// By the low bits of a register.
    Switch {
        register: u32,
        cases: Vec<Vec<Statement>>,
    },
    /// `%r<to> = function(%r<a>, %r<b>)`
    Call {
        function: usize,
        to: u32,
        a: u32,
        b: u32,
    },
    /// Adds a register to the last sum, by a loop around a compare-and-swap.
    SwapLoop {
        register: u32,
    },
    /// A block adds its first thread's register to what the block before it has published in one access, and publishes
    /// that. All blocks come here once.
    Chain {
        place: u32,
        /// The width of the access, and its order.
        kind: usize,
        to: u32,
        from: u32,
    },
    /// The registers of the threads where the predicate holds are written one behind the other, by a scan.
    Compact {
        predicate: u32,
        to: u32,
        from: u32,
    },
    /// A binary search in a sorted table, which ends early where it finds the key.
    Search {
        key: u32,
        to: u32,
        constant: bool,
        /// From the function, where the key is found.
        returns: bool,
    },
    /// `%r<to> = one of the first functions(%r<a>, %r<b>)`, which each thread chooses by a register.
    Indirect {
        functions: usize,
        by: u32,
        to: u32,
        a: u32,
        b: u32,
    },
    /// Every thread reads a neighbour's register through shared memory.
    Exchange {
        to: u32,
        from: u32,
        distance: u32,
    },
}

#[derive(Clone, Copy, Debug)]
pub enum Condition {
    Predicate(u32),
    /// The same for all threads of a block, or of a warp: a bit of the block's or the warp's number.
    BlockBit(u32),
    WarpBit(u32),
    /// The lanes of a mask.
    Lanes(u32),
}

#[derive(Clone, Copy, Debug)]
pub enum Rounds {
    Fixed(u32),
    /// The two low bits of a register: each thread has its own number.
    Register(u32),
    /// By the number of the block, or of the warp, and this more.
    Block(u32),
    Warp(u32),
}

#[derive(Clone, Debug)]
pub struct Kernel {
    pub generation: u32,
    pub block: [u32; 2],
    pub grid: u32,
    pub functions: Vec<Vec<Statement>>,
    pub body: Vec<Statement>,
    /// The statements after the last barrier; a thread may end within.
    pub tail: Vec<Statement>,
}

impl Kernel {
    /// Blocks, and the width and the height of a block.
    pub fn launch(&self) -> [u32; 3] {
        [self.grid, self.block[0], self.block[1]]
    }

    /// The module's text.
    pub fn ptx(&self) -> String {
        let mut printer = Printer { generation: self.generation, ..Printer::default() };
        printer.text.push_str(".version 8.0\n.target sm_80\n.address_size 64\n");
        for number in 0..self.functions.len() {
            printer.line(&format!("{};", signature(number)));
        }
        printer.tables(self.functions.len());
        for (number, body) in self.functions.iter().enumerate() {
            printer.function(number, body);
        }
        printer.kernel(self);
        printer.text
    }
}

fn signature(number: usize) -> String {
    format!(
        ".func (.param .b32 result) f{number} (.param .b32 a, .param .b32 b, .param .b64 words)"
    )
}

#[derive(Default)]
struct Printer {
    text: String,
    generation: u32,
    labels: u32,
    /// The labels of the next round and the end of the loops around.
    loops: Vec<(u32, u32)>,
    /// The number of tangles around.
    tangles: u32,
}

impl Printer {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn place(&mut self, label: u32) {
        self.line(&format!("L{label}:"));
    }

    fn registers(&mut self) {
        self.line(
            ".reg .b32 %r<8>, %x<4>, %t, %lane, %warp, %count<9>, %fuel<9>, %sh; .reg .b64 %l<4>, %y<4>, %in, %out, %sum;\n\
             .reg .f32 %f<4>; .reg .f64 %d<2>; .reg .pred %p<4>, %q<2>; .reg .b16 %h<2>;\n\
             .local .align 16 .b8 stack[32]; .reg .b64 %stack; mov.u64 %stack, stack;",
        );
        if self.generation > 1 {
            self.line(
                ".reg .b32 %z<8>, %osh; .reg .b64 %own, %more, %tex0, %tex1; .reg .b16 %g<4>; .reg .f32 %e<4>; .reg .f64 %c<2>;",
            );
        }
    }

    /// The tables in which statements of the second generation look up.
    fn tables(&mut self, functions: usize) {
        if self.generation < 2 {
            return;
        }
        let sorted: Vec<String> =
            (0..TABLE).map(|i| (i * i / 4 + 3 * (i & !1)).to_string()).collect();
        let sorted = sorted.join(", ");
        self.line(&format!(".global .align 4 .b32 sorted[{TABLE}] = {{{sorted}}};"));
        self.line(&format!(".const .align 4 .b32 constants[{TABLE}] = {{{sorted}}};"));
        if functions > 0 {
            let names: Vec<String> = (0..functions).map(|number| format!("f{number}")).collect();
            self.line(&format!(
                ".global .align 8 .u64 table[{functions}] = {{{}}};",
                names.join(", ")
            ));
        }
    }

    /// Values of its own for each register, from `%t`.
    fn first_values(&mut self, from: usize) {
        for i in from..8 {
            let (factor, plus) = (0x9e37_79b1_u32.wrapping_mul(2 * i as u32 + 1), 77 * i);
            self.line(&format!("mad.lo.s32 %r{i}, %t, {}, {plus};", factor as i32));
        }
        for i in 0..4 {
            self.line(&format!("mul.wide.s32 %l{i}, %r{}, %r{};", i, i + 4));
            self.line(&format!("shr.s32 %x0, %r{}, {}; cvt.rn.f32.s32 %f{i}, %x0;", i + 2, 4 * i));
            self.line(&format!("setp.lt.s32 %p{i}, %r{}, {};", i + 1, 1000 * i));
            self.line(&format!("st.local.b64 [%stack+{}], %l{i};", 8 * i));
        }
        self.line("cvt.rn.f64.s32 %d0, %r6; cvt.rn.f64.s64 %d1, %l1;");
    }

    fn function(&mut self, number: usize, body: &[Statement]) {
        self.line(&format!("{}\n{{", signature(number)));
        self.registers();
        self.line("ld.param.b32 %r0, [a]; ld.param.b32 %r1, [b]; ld.param.b64 %in, [words]; xor.b32 %t, %r0, %r1; mov.u32 %lane, %laneid;");
        self.first_values(2);
        self.statements(body);
        self.line("st.param.b32 [result], %r0; ret;\n}");
    }

    fn kernel(&mut self, kernel: &Kernel) {
        let newer = self.generation > 1;
        let more =
            if newer { ", .param .u64 more, .param .u64 tex0, .param .u64 tex1" } else { "" };
        self.line(&format!(
            ".visible .entry random(.param .u64 in, .param .u64 out, .param .u64 sum{more})\n{{"
        ));
        if newer {
            self.line(".shared .align 16 .b8 own[4096]; .shared .align 16 .b8 packed[512]; .shared .align 16 .b8 word[4];");
        }
        self.line(".shared .align 16 .b8 slots[4096]; .shared .align 16 .b8 sums[64];");
        self.registers();
        let [width, height] = kernel.block;
        self.line(&format!(
            "mov.u32 %x0, %tid.x; mov.u32 %x1, %tid.y; mad.lo.u32 %sh, %x1, {width}, %x0;\n\
             mov.u32 %x2, %ctaid.x; mad.lo.u32 %t, %x2, {}, %sh; mov.u32 %lane, %laneid; shr.u32 %warp, %sh, 5;\n\
             ld.param.u64 %in, [in]; cvta.to.global.u64 %in, %in; ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out;\n\
             ld.param.u64 %sum, [sum]; cvta.to.global.u64 %sum, %sum; mad.wide.u32 %out, %t, {ROW}, %out;",
            width * height
        ));
        if newer {
            self.line(&format!(
                "ld.param.u64 %more, [more]; cvta.to.global.u64 %more, %more; ld.param.u64 %tex0, [tex0]; ld.param.u64 %tex1, [tex1];\n\
                 mad.wide.u32 %own, %t, {OWN}, %more; add.u64 %own, %own, {CHAINS}; shl.b32 %x0, %sh, 5; mov.u32 %osh, own; add.u32 %osh, %osh, %x0;\n\
                 mov.b64 %y0, 0; st.shared.v2.b64 [%osh], {{%y0, %y0}}; st.shared.v2.b64 [%osh+16], {{%y0, %y0}};"
            ));
        }
        self.line(
            "setp.lt.u32 %q0, %sh, 16; shl.b32 %x0, %sh, 2; mov.u32 %x1, sums; add.u32 %x1, %x1, %x0;\n\
             @%q0 st.shared.u32 [%x1], 0; bar.sync 0;",
        );
        self.first_values(0);
        self.statements(&kernel.body);
        self.line("bar.sync 0; and.b32 %x0, %sh, 15; shl.b32 %x0, %x0, 2; mov.u32 %x1, sums; add.u32 %x1, %x1, %x0;");
        self.line("ld.shared.u32 %x2, [%x1]; st.global.u32 [%out+100], %x2; bar.sync 0;");
        self.store();
        self.statements(&kernel.tail);
        self.store();
        self.line("ret;\n}");
    }

    /// Stores all registers; every NaN as the same one.
    fn store(&mut self) {
        for i in 0..4 {
            let at = 8 * i;
            self.line(&format!(
                "st.global.v2.b32 [%out+{at}], {{%r{}, %r{}}}; st.global.b64 [%out+{}], %l{i};",
                2 * i,
                2 * i + 1,
                32 + at
            ));
            self.line(&format!(
                "setp.nan.f32 %q0, %f{i}, %f{i}; mov.b32 %x0, %f{i}; selp.b32 %x0, 0x7fffffff, %x0, %q0; st.global.b32 [%out+{}], %x0;",
                64 + 4 * i
            ));
        }
        for i in 0..2 {
            self.line(&format!(
                "setp.nan.f64 %q0, %d{i}, %d{i}; mov.b64 %y0, %d{i}; selp.b64 %y0, -1, %y0, %q0; st.global.b64 [%out+{}], %y0;",
                80 + 8 * i
            ));
        }
        self.line("mov.b32 %x0, 0;");
        for i in 0..4 {
            self.line(&format!("selp.b32 %x1, {}, 0, %p{i}; or.b32 %x0, %x0, %x1;", 1 << i));
        }
        self.line("st.global.b32 [%out+96], %x0;");
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// Sets `%q0`.
    fn condition(&mut self, condition: Condition) {
        let text = match condition {
            Condition::Predicate(p) => format!("setp.eq.u32 %q0, 0, 0; and.pred %q0, %q0, %p{p};"),
            Condition::BlockBit(bit) => {
                format!(
                    "mov.u32 %x0, %ctaid.x; bfe.u32 %x0, %x0, {bit}, 1; setp.ne.u32 %q0, %x0, 0;"
                )
            }
            Condition::WarpBit(bit) => {
                format!("bfe.u32 %x0, %warp, {bit}, 1; setp.ne.u32 %q0, %x0, 0;")
            }
            Condition::Lanes(mask) => format!(
                "mov.b32 %x0, {mask}; shr.u32 %x0, %x0, %lane; and.b32 %x0, %x0, 1; setp.ne.u32 %q0, %x0, 0;"
            ),
        };
        self.line(&text);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Plain(text) => self.line(text),
            Statement::If { condition, then, otherwise } => {
                let (else_label, end) = (self.label(), self.label());
                self.condition(*condition);
                self.line(&format!("@!%q0 bra L{else_label};"));
                self.statements(then);
                self.line(&format!("bra L{end};"));
                self.place(else_label);
                self.statements(otherwise);
                self.place(end);
            }
            Statement::Loop { rounds, body } => {
                let (head, next, end) = (self.label(), self.label(), self.label());
                let count = self.loops.len();
                match rounds {
                    Rounds::Fixed(rounds) => self.line(&format!("mov.u32 %count{count}, {rounds};")),
                    Rounds::Register(r) => self.line(&format!("and.b32 %count{count}, %r{r}, 3;")),
                    Rounds::Block(more) => self.line(&format!(
                        "mov.u32 %x0, %ctaid.x; add.u32 %x0, %x0, {more}; and.b32 %count{count}, %x0, 3;"
                    )),
                    Rounds::Warp(more) => self.line(&format!(
                        "add.u32 %x0, %warp, {more}; and.b32 %count{count}, %x0, 3;"
                    )),
                }
                self.place(head);
                self.line(&format!("setp.eq.u32 %q0, %count{count}, 0; @%q0 bra L{end};"));
                self.loops.push((next, end));
                self.statements(body);
                self.loops.pop();
                self.place(next);
                self.line(&format!("sub.u32 %count{count}, %count{count}, 1; bra L{head};"));
                self.place(end);
            }
            Statement::Leave { predicate, next_round } => {
                // Without a loop around, as a reduced kernel may have it, there is nothing to leave.
                if let Some(&(next, end)) = self.loops.last() {
                    let to = if *next_round { next } else { end };
                    self.line(&format!("@%p{predicate} bra L{to};"));
                }
            }
            Statement::Tangle { blocks } => {
                let labels: Vec<u32> = blocks.iter().map(|_| self.label()).collect();
                let fuel = format!("%fuel{}", self.tangles);
                self.line(&format!("mov.u32 {fuel}, 6;"));
                self.tangles += 1;
                for (index, (body, predicate, to)) in blocks.iter().enumerate() {
                    self.place(labels[index]);
                    self.statements(body);
                    self.line(&format!(
                        "sub.s32 {fuel}, {fuel}, 1; setp.gt.and.s32 %q0, {fuel}, 0, %p{predicate}; @%q0 bra L{};",
                        labels[to % labels.len()]
                    ));
                }
                self.tangles -= 1;
            }
            Statement::Switch { register, cases } => {
                let labels: Vec<u32> = cases.iter().map(|_| self.label()).collect();
                let end = self.label();
                let names: Vec<String> = labels.iter().map(|label| format!("L{label}")).collect();
                self.line(&format!(
                    "rem.u32 %x0, %r{register}, {}; T{end}: .branchtargets {}; brx.idx %x0, T{end};",
                    cases.len(),
                    names.join(", ")
                ));
                for (label, body) in labels.iter().zip(cases) {
                    self.place(*label);
                    self.statements(body);
                    self.line(&format!("bra L{end};"));
                }
                self.place(end);
            }
            Statement::Call { function, to, a, b } => self.line(&format!(
                "{{ .param .b32 pa; .param .b32 pb; .param .b64 pw; .param .b32 pr; st.param.b32 [pa], %r{a}; st.param.b32 [pb], %r{b}; st.param.b64 [pw], %in; \
                 call (pr), f{function}, (pa, pb, pw); ld.param.b32 %r{to}, [pr]; }}"
            )),
            Statement::SwapLoop { register } => {
                let again = self.label();
                self.line(&format!("ld.volatile.global.u32 %x0, [%sum+{}];", 4 * (SUMS - 1)));
                self.place(again);
                self.line(&format!(
                    "mov.b32 %x1, %x0; add.u32 %x2, %x0, %r{register}; atom.global.cas.b32 %x0, [%sum+{}], %x1, %x2; \
                     setp.ne.u32 %q0, %x0, %x1; @%q0 bra L{again};",
                    4 * (SUMS - 1)
                ));
            }
            Statement::Chain { place, kind, to, from } => self.chain(*place, *kind, *to, *from),
            Statement::Compact { predicate, to, from } => self.compact(*predicate, *to, *from),
            Statement::Search { key, to, constant, returns } => {
                self.search(*key, *to, *constant, *returns);
            }
            Statement::Indirect { functions, by, to, a, b } => {
                let prototype = self.label();
                self.line(&format!(
                    "{{ .param .b32 pa; .param .b32 pb; .param .b64 pw; .param .b32 pr; rem.u32 %x0, %r{by}, {functions}; mov.u64 %y1, table; \
                     mad.wide.u32 %y1, %x0, 8, %y1; ld.global.u64 %y0, [%y1]; st.param.b32 [pa], %r{a}; st.param.b32 [pb], %r{b}; st.param.b64 [pw], %in; \
                     P{prototype}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _, .param .b64 _); \
                     call (pr), %y0, (pa, pb, pw), P{prototype}; ld.param.b32 %r{to}, [pr]; }}"
                ));
            }
            Statement::Exchange { to, from, distance } => self.line(&format!(
                "mov.u32 %x1, slots; shl.b32 %x0, %sh, 2; add.u32 %x0, %x1, %x0; st.shared.u32 [%x0], %r{from}; bar.sync 0;\n\
                 add.u32 %x0, %sh, {distance}; mov.u32 %x2, %ntid.x; mov.u32 %x3, %ntid.y; mul.lo.u32 %x2, %x2, %x3; rem.u32 %x0, %x0, %x2;\n\
                 shl.b32 %x0, %x0, 2; add.u32 %x0, %x1, %x0; ld.shared.u32 %r{to}, [%x0]; bar.sync 0;"
            )),
        }
    }
}

/// The ways in which a block publishes: the qualifiers, the registers with what they hold, and how the value comes out
/// of them. A flag first, then the value: none of it may be seen without the rest.
const LINKS: [(&str, &str, &str, &str); 5] = [
    (".relaxed.gpu.global.v2.u32", "{%x1, %z0}", "mov.u32 %x1, 1;", ""),
    (".volatile.global.v2.u32", "{%z0, %x1}", "mov.u32 %x1, 1;", ""),
    (
        ".relaxed.gpu.global.v4.u32",
        "{%z1, %z0, %z2, %x1}",
        "mov.u32 %x1, 1; mul.lo.u32 %z1, %z0, 3; not.b32 %z2, %z0;",
        "mul.lo.u32 %z3, %z0, 3; sub.u32 %z1, %z1, %z3; not.b32 %z2, %z2; sub.u32 %z2, %z2, %z0; add.u32 %z0, %z0, %z1; add.u32 %z0, %z0, %z2;",
    ),
    (
        ".relaxed.gpu.global.v2.u64",
        "{%y2, %y3}",
        "mov.u64 %y2, 1; cvt.u64.u32 %y3, %z0; mul.lo.u64 %y3, %y3, 0x100000001;",
        "cvt.u32.u64 %x1, %y2; mov.b64 {%z1, %z0}, %y3;",
    ),
    (
        ".volatile.global.v4.u16",
        "{%g0, %g1, %g2, %g3}",
        "mov.b32 {%g1, %g2}, %z0; mov.b16 %g0, 1; mov.b16 %g3, 1;",
        "cvt.u32.u16 %x1, %g0; cvt.u32.u16 %z1, %g3; sub.u32 %z1, %z1, %x1; mov.b32 %z0, {%g1, %g2}; add.u32 %z0, %z0, %z1;",
    ),
];

impl Printer {
    fn chain(&mut self, place: u32, kind: usize, to: u32, from: u32) {
        let (qualifiers, registers, pack, unpack) = LINKS[kind % LINKS.len()];
        let [again, first, skip] = std::array::from_fn(|_| self.label());
        let offset = place as usize * 4 * LINK;
        self.line(&format!(
            "setp.ne.u32 %q0, %sh, 0; @%q0 bra L{skip};\n\
             mov.u32 %x0, %ctaid.x; mad.wide.u32 %y1, %x0, {LINK}, %more; add.u64 %y1, %y1, {offset};\n\
             mov.u32 %z0, 0; mov.u32 %x2, {PATIENCE}; setp.eq.u32 %q0, %x0, 0; @%q0 bra L{first};"
        ));
        self.place(again);
        self.line(&format!(
            "ld{qualifiers} {registers}, [%y1+-{LINK}]; {unpack}\n\
             sub.s32 %x2, %x2, 1; setp.eq.u32 %q0, %x1, 0; setp.gt.and.s32 %q0, %x2, 0, %q0; @%q0 bra L{again};"
        ));
        self.place(first);
        self.line(&format!(
            "mad.lo.s32 %z0, %z0, 31, %r{from}; mov.u32 %z4, word; st.shared.u32 [%z4], %z0;\n\
             {pack} st{qualifiers} [%y1], {registers};"
        ));
        self.place(skip);
        self.line(&format!(
            "bar.sync 0; mov.u32 %z4, word; ld.shared.u32 %r{to}, [%z4]; bar.sync 0;"
        ));
    }

    fn compact(&mut self, predicate: u32, to: u32, from: u32) {
        let [head, end] = std::array::from_fn(|_| self.label());
        self.line(&format!(
            "selp.u32 %z0, 1, 0, %p{predicate}; mov.u32 %x1, slots; shl.b32 %x0, %sh, 2; mov.u32 %x2, packed; add.u32 %x3, %x2, %x0; add.u32 %x0, %x1, %x0;\n\
             mov.u32 %z4, %ntid.x; mov.u32 %z5, %ntid.y; mul.lo.u32 %z5, %z4, %z5;\n\
             st.shared.u32 [%x0], %z0; mov.u32 %z1, 0; st.shared.u32 [%x3], %z1; mov.u32 %z1, 1; bar.sync 0;"
        ));
        self.place(head);
        self.line(&format!(
            "setp.ge.u32 %q0, %z1, %z5; @%q0 bra L{end};\n\
             mov.u32 %z2, 0; shl.b32 %z3, %z1, 2; sub.u32 %z3, %x0, %z3; setp.ge.u32 %q0, %sh, %z1; @%q0 ld.shared.u32 %z2, [%z3]; bar.sync 0;\n\
             ld.shared.u32 %z4, [%x0]; add.u32 %z4, %z4, %z2; st.shared.u32 [%x0], %z4; bar.sync 0; shl.b32 %z1, %z1, 1; bra L{head};"
        ));
        self.place(end);
        self.line(&format!(
            "ld.shared.u32 %z2, [%x0]; sub.u32 %z3, %z2, %z0; shl.b32 %z4, %z3, 2; add.u32 %z4, %x2, %z4; @%p{predicate} st.shared.u32 [%z4], %r{from};\n\
             sub.u32 %z4, %z5, 1; shl.b32 %z4, %z4, 2; add.u32 %z4, %x1, %z4; ld.shared.u32 %z4, [%z4]; bar.sync 0;\n\
             max.u32 %z4, %z4, 1; rem.u32 %z2, %sh, %z4; shl.b32 %z2, %z2, 2; add.u32 %z2, %x2, %z2; ld.shared.u32 %z2, [%z2]; add.u32 %r{to}, %z2, %z3; bar.sync 0;"
        ));
    }

    fn search(&mut self, key: u32, to: u32, constant: bool, returns: bool) {
        let [head, right, found, end, done] = std::array::from_fn(|_| self.label());
        let (table, space) = if constant { ("constants", "const") } else { ("sorted", "global") };
        self.line(&format!(
            "and.b32 %z0, %r{key}, {KEYS}; mov.u32 %z1, 0; mov.u32 %z2, {TABLE}; mov.u64 %y0, {table};"
        ));
        self.place(head);
        self.line(&format!(
            "setp.ge.u32 %q0, %z1, %z2; @%q0 bra L{end}; add.u32 %z3, %z1, %z2; shr.u32 %z3, %z3, 1; mad.wide.u32 %y1, %z3, 4, %y0; ld.{space}.u32 %z4, [%y1];\n\
             setp.eq.u32 %q0, %z4, %z0; @%q0 bra L{found}; setp.lt.u32 %q0, %z4, %z0; @%q0 bra L{right}; mov.u32 %z2, %z3; bra L{head};"
        ));
        self.place(right);
        self.line(&format!("add.u32 %z1, %z3, 1; bra L{head};"));
        self.place(found);
        if returns {
            self.line("st.param.b32 [result], %z3; ret;");
        } else {
            self.line(&format!("xor.b32 %r{to}, %z3, 85; bra L{done};"));
        }
        self.place(end);
        self.line(&format!("add.u32 %r{to}, %z1, 1000;"));
        self.place(done);
    }
}

/// Shown with a kernel's text, and read back from it.
impl std::fmt::Display for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [width, height] = self.block;
        writeln!(f, "// launch {} {width} {height}", self.grid)?;
        f.write_str(&self.ptx())
    }
}

/// Whether a block is made of whole warps, so that all lanes of a full mask are there.
pub fn has_whole_warps(block: [u32; 2]) -> bool {
    (block[0] * block[1]).is_multiple_of(WARP)
}

/// The launch that the first line of a shown kernel states: blocks, width and height.
pub fn launch_of(text: &str) -> Option<[u32; 3]> {
    let mut words = text.lines().next()?.strip_prefix("// launch ")?.split(' ');
    let mut number = || words.next()?.parse().ok();
    Some([number()?, number()?, number()?])
}

/// The hash that the second line of a kept kernel states.
pub fn leaves_of(text: &str) -> Option<u64> {
    u64::from_str_radix(text.lines().nth(1)?.strip_prefix("// leaves ")?, 16).ok()
}

/// A hash of what a kernel left, FNV-1a.
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
