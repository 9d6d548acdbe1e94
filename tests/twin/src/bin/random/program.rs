//! A kernel as a tree of statements, and its PTX.
//!
//! Statements that compute are text that refers to the variables of [`PREAMBLE`]; what controls has labels
//! only once it is printed, so that statements can be taken out. Masks stand in `%m<depth>`: the lanes that
//! are known to be together.

use std::fmt::Write;

/// Bytes of a thread's row of results.
pub const ROW: usize = 128;

#[derive(Clone, Debug)]
pub enum Statement {
    Text(String),
    /// The condition sets `%p0`; a ballot tells the lanes of each side who is with them.
    If {
        condition: String,
        depth: usize,
        yes: Vec<Statement>,
        no: Vec<Statement>,
        /// Lanes meet in the sides, so the masks of both are wanted.
        masks: bool,
    },
    /// `%c<number>` counts down from what `count` sets; `leave` sets `%p1` where lanes leave early.
    Loop {
        number: usize,
        depth: usize,
        count: String,
        body: Vec<Statement>,
        leave: Option<String>,
        divergent: bool,
        masks: bool,
    },
    /// `selector` sets `%s`, which is below the number of cases; cases may fall through.
    Switch {
        selector: String,
        cases: Vec<(Vec<Statement>, bool)>,
    },
    /// Blocks that jump to one another in any way until `%fuel` is spent: body, condition (sets `%p0`),
    /// targets of true and false.
    Jumps(Vec<(Vec<Statement>, String, usize, usize)>),
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub body: Vec<Statement>,
    /// Calls itself so many times less one, as the first argument says.
    pub recursive: bool,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub block: [u32; 3],
    pub grid: u32,
    pub functions: Vec<Function>,
    pub body: Vec<Statement>,
}

const REGISTERS: &str = "  .reg .pred %p<4>;
  .reg .b32 %r<8>, %m<12>, %c<12>, %s, %fuel, %thread, %warp, %lane, %x<8>, %h<8>;
  .reg .b64 %q<4>, %y<8>, %in, %cells, %row;
  .reg .f32 %f<4>, %g<4>;
  .reg .f64 %d<2>, %e<4>;
";

impl Program {
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    pub fn ptx(&self) -> String {
        let mut text = ".version 7.8\n.target sm_80\n.address_size 64\n".to_owned();
        let mut labels = 0;
        for function in &self.functions {
            let _ = write!(
                text,
                ".func (.param .b32 result) {}(.param .b32 a, .param .b32 b, .param .b32 mask, .param .b64 input)\n{{\n{REGISTERS}\
                 \x20 .local .align 8 .b8 local[64];\n  .param .b32 answer;\n",
                function.name
            );
            text += "  ld.param.u32 %r0, [a];\n  ld.param.u32 %r1, [b];\n  ld.param.u32 %m0, [mask];\n  ld.param.u64 %in, [input];\n";
            text += "  mov.u32 %thread, %r1;\n  mov.u32 %lane, %laneid;\n";
            text += &seed_variables("%r1");
            text += "  mov.u32 %fuel, 12;\n";
            if function.recursive {
                // The lanes that go deeper do not know one another.
                text += "  and.b32 %x0, %r0, 3;\n  setp.eq.u32 %p2, %x0, 0;\n  @%p2 bra done;\n  sub.u32 %x0, %x0, 1;\n\
                         \x20 mad.lo.u32 %x1, %r1, 3, 7;\n  mov.u32 %m1, 0;\n";
                let _ = write!(
                    text,
                    "  call (answer), {}, (%x0, %x1, %m1, %in);\n  ld.param.u32 %x2, [answer];\n  xor.b32 %r1, %r1, %x2;\ndone:\n",
                    function.name
                );
            }
            for statement in &function.body {
                statement.print(&mut text, &mut labels);
            }
            text += "  xor.b32 %x0, %r0, %r1;\n  add.u32 %x0, %x0, %r2;\n  xor.b32 %x0, %x0, %r3;\n  st.param.b32 [result], %x0;\n  ret;\n}\n";
        }
        let [x, y, z] = self.block;
        let _ = write!(
            text,
            ".visible .entry kernel(.param .u64 input, .param .u64 output, .param .u64 atomics)\n.maxntid {x}, {y}, {z}\n{{\n{REGISTERS}\
             \x20 .shared .align 16 .b8 shared[4096];\n  .local .align 8 .b8 local[64];\n  .param .b32 answer;\n"
        );
        text += "  mov.u32 %x0, %tid.x;\n  mov.u32 %x1, %tid.y;\n  mov.u32 %x2, %tid.z;\n  mov.u32 %x3, %ntid.x;\n  mov.u32 %x4, %ntid.y;\n\
                 \x20 mad.lo.u32 %x1, %x2, %x4, %x1;\n  mad.lo.u32 %thread, %x1, %x3, %x0;\n  shr.u32 %warp, %thread, 5;\n  mov.u32 %lane, %laneid;\n";
        let _ = writeln!(text, "  mov.u32 %m0, {};", u32::MAX);
        if !self.threads().is_multiple_of(32) {
            let (last, rest) = (self.threads() / 32, (1u64 << (self.threads() % 32)) - 1);
            let _ = write!(
                text,
                "  setp.eq.u32 %p0, %warp, {last};\n  selp.b32 %m0, {rest}, %m0, %p0;\n"
            );
        }
        text += "  ld.param.u64 %in, [input];\n  ld.param.u64 %cells, [atomics];\n  ld.param.u64 %row, [output];\n  mov.u32 %x0, %ctaid.x;\n";
        let _ = writeln!(text, "  mad.lo.u32 %x0, %x0, {}, %thread;", self.threads());
        let _ = write!(text, "  mad.wide.u32 %row, %x0, {ROW}, %row;\n  mov.u32 %fuel, 40;\n");
        text += &seed_variables("%x0");
        text += "  shl.b32 %x1, %thread, 3;\n  mov.u32 %x2, shared;\n  add.u32 %x1, %x1, %x2;\n  st.shared.u64 [%x1], 0;\n  bar.sync 0;\n";
        for statement in &self.body {
            statement.print(&mut text, &mut labels);
        }
        text += STORE_ROW;
        text += "  ret;\n}\n";
        text
    }

    /// Statements, nested ones included.
    pub fn len(&self) -> usize {
        self.functions.iter().map(|function| count(&function.body)).sum::<usize>()
            + count(&self.body)
    }

    /// Without the `number`-th statement and what is in it.
    pub fn without(&self, number: usize) -> Program {
        let mut smaller = self.clone();
        let mut left = number;
        for function in &mut smaller.functions {
            if remove(&mut function.body, &mut left) {
                return smaller;
            }
        }
        remove(&mut smaller.body, &mut left);
        smaller
    }
}

/// Stores the variables of a thread.
pub const STORE_ROW: &str = "  st.global.v4.u32 [%row], {%r0, %r1, %r2, %r3};
  st.global.v4.u32 [%row+16], {%r4, %r5, %r6, %r7};
  st.global.v2.u64 [%row+32], {%q0, %q1};
  st.global.v2.u64 [%row+48], {%q2, %q3};
  st.global.v4.f32 [%row+64], {%f0, %f1, %f2, %f3};
  st.global.v2.f64 [%row+80], {%d0, %d1};
";

/// The variables begin as words of the input that depend on the thread.
fn seed_variables(thread: &str) -> String {
    let mut text = format!("  and.b32 %x7, {thread}, 255;\n  mad.wide.u32 %y7, %x7, 64, %in;\n");
    for index in 0..8 {
        let _ = writeln!(text, "  ld.global.u32 %h{index}, [%y7+{}];", 4 * index);
    }
    for index in 2..8 {
        let _ = writeln!(text, "  mov.u32 %r{index}, %h{index};");
    }
    if thread == "%x0" {
        text += "  mov.u32 %r0, %h0;\n  mov.u32 %r1, %h1;\n";
    }
    for index in 0..4 {
        let _ = writeln!(text, "  ld.global.u64 %q{index}, [%y7+{}];", 32 + 8 * index);
        let _ = writeln!(text, "  cvt.rn.f32.s32 %f{index}, %h{index};");
    }
    text += "  cvt.rn.f64.s32 %d0, %h4;\n  cvt.rn.f64.s64 %d1, %q1;\n";
    for index in 0..8 {
        let _ = writeln!(text, "  st.local.u64 [local+{}], %q{};", 8 * index, index % 4);
    }
    text
}

fn count(statements: &[Statement]) -> usize {
    statements
        .iter()
        .map(|statement| 1 + statement.parts().into_iter().map(count).sum::<usize>())
        .sum()
}

fn remove(statements: &mut Vec<Statement>, left: &mut usize) -> bool {
    for index in 0..statements.len() {
        if *left == 0 {
            statements.remove(index);
            return true;
        }
        *left -= 1;
        for part in statements[index].parts_mut() {
            if remove(part, left) {
                return true;
            }
        }
    }
    false
}

impl Statement {
    fn parts(&self) -> Vec<&[Statement]> {
        match self {
            Self::Text(_) => vec![],
            Self::If { yes, no, .. } => vec![yes, no],
            Self::Loop { body, .. } => vec![body],
            Self::Switch { cases, .. } => cases.iter().map(|case| case.0.as_slice()).collect(),
            Self::Jumps(blocks) => blocks.iter().map(|block| block.0.as_slice()).collect(),
        }
    }

    fn parts_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Self::Text(_) => vec![],
            Self::If { yes, no, .. } => vec![yes, no],
            Self::Loop { body, .. } => vec![body],
            Self::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.0).collect(),
            Self::Jumps(blocks) => blocks.iter_mut().map(|block| &mut block.0).collect(),
        }
    }

    fn print(&self, text: &mut String, labels: &mut usize) {
        let mut label = || {
            *labels += 1;
            format!("L{labels}")
        };
        match self {
            Self::Text(line) => {
                text.push_str(line);
            }
            Self::If { condition, depth, yes, no, masks } => {
                let (other, end) = (label(), label());
                let (inner, outer) = (depth + 1, depth);
                text.push_str(condition);
                if *masks {
                    let _ = writeln!(text, "  vote.sync.ballot.b32 %m{inner}, %p0, %m{outer};");
                }
                let _ = writeln!(text, "  @!%p0 bra {other};");
                yes.iter().for_each(|statement| statement.print(text, labels));
                let _ = writeln!(text, "  bra {end};\n{other}:");
                if *masks {
                    let _ = writeln!(
                        text,
                        "  not.b32 %m{inner}, %m{inner};\n  and.b32 %m{inner}, %m{inner}, %m{outer};"
                    );
                }
                no.iter().for_each(|statement| statement.print(text, labels));
                let _ = writeln!(text, "{end}:");
            }
            Self::Loop { number, depth, count, body, leave, divergent, masks } => {
                let (head, end) = (label(), label());
                let (inner, outer) = (depth + 1, depth);
                text.push_str(count);
                if *masks {
                    let _ = writeln!(text, "  mov.u32 %m{inner}, %m{outer};");
                }
                let _ = writeln!(text, "{head}:");
                body.iter().for_each(|statement| statement.print(text, labels));
                if let Some(leave) = leave {
                    text.push_str(leave);
                    if *masks {
                        let _ = writeln!(
                            text,
                            "  not.pred %p2, %p1;\n  vote.sync.ballot.b32 %m{inner}, %p2, %m{inner};"
                        );
                    }
                    let _ = writeln!(text, "  @%p1 bra {end};");
                }
                let _ = writeln!(
                    text,
                    "  sub.u32 %c{number}, %c{number}, 1;\n  setp.gt.s32 %p0, %c{number}, 0;"
                );
                if *masks && *divergent {
                    let _ = writeln!(text, "  vote.sync.ballot.b32 %m{inner}, %p0, %m{inner};");
                }
                let _ = writeln!(text, "  @%p0 bra {head};\n{end}:");
            }
            Self::Switch { selector, cases } => {
                let names: Vec<_> = cases.iter().map(|_| label()).collect();
                let (table, end) = (label(), label());
                text.push_str(selector);
                let _ = writeln!(
                    text,
                    "{table}: .branchtargets {};\n  brx.idx %s, {table};",
                    names.join(", ")
                );
                for ((body, falls), name) in cases.iter().zip(&names) {
                    let _ = writeln!(text, "{name}:");
                    body.iter().for_each(|statement| statement.print(text, labels));
                    if !falls {
                        let _ = writeln!(text, "  bra {end};");
                    }
                }
                let _ = writeln!(text, "{end}:");
            }
            Self::Jumps(blocks) => {
                let names: Vec<_> = blocks.iter().map(|_| label()).collect();
                let end = label();
                let name = |index: usize| names.get(index).unwrap_or(&end).clone();
                for (index, (body, condition, yes, no)) in blocks.iter().enumerate() {
                    let _ = writeln!(text, "{}:", names[index]);
                    body.iter().for_each(|statement| statement.print(text, labels));
                    let _ = writeln!(
                        text,
                        "  sub.u32 %fuel, %fuel, 1;\n  setp.le.s32 %p1, %fuel, 0;\n  @%p1 bra {end};"
                    );
                    text.push_str(condition);
                    let _ = writeln!(text, "  @%p0 bra {};\n  bra {};", name(*yes), name(*no));
                }
                let _ = writeln!(text, "{end}:");
            }
        }
    }
}
