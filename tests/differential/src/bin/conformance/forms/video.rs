//! Video instructions: on selected bytes and halves, and on all bytes and halves of words at once.

use crate::form::{Form, Type};

const I32: Type = Type::Int(32);
const SIGNS: [&str; 2] = ["u32", "s32"];
const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

/// Takes each of its words in turn, so that all of them occur without a form for every combination.
struct Turn<'a>(&'a [&'a str], usize);

impl<'a> Turn<'a> {
    fn next(&mut self) -> &'a str {
        self.1 += 1;
        self.0[self.1 % self.0.len()]
    }
}

fn form(family: &'static str, opcode: &str, operands: &str) -> Form {
    Form::new(family, &format!("{opcode} {operands};"), I32, &[I32, I32, I32])
        .named(format!("{opcode} {}", operands.replace(['%', ' '], "")))
}

/// All types of result and operands, `sat` or not.
fn types() -> Vec<String> {
    let mut all = Vec::new();
    for d in SIGNS {
        for a in SIGNS {
            for b in SIGNS {
                all.push(format!("{d}.{a}.{b}"));
            }
        }
    }
    all
}

/// One instruction alone, with each second operation, and merged into another word.
fn scalar(forms: &mut Vec<Form>, opcode: &str, selectors: &mut [Turn<'_>; 3]) {
    let [d, a, b] = selectors;
    let mut operands = |tail: &str| format!("%d, %a{}, %b{}{tail}", a.next(), b.next());
    forms.push(form("video", opcode, &operands("")));
    for second in ["add", "min", "max"] {
        forms.push(form("video", &format!("{opcode}.{second}"), &operands(", %c")));
    }
    let merged = operands(", %c").replacen("%d", &format!("%d{}", d.next()), 1);
    forms.push(form("video", opcode, &merged));
}

pub fn forms() -> Vec<Form> {
    let mut forms = Vec::new();
    let parts = [".b0", ".b1", ".b2", ".b3", ".h0", ".h1"];
    let sources = ["", ".b0", ".h1", ".b1", ".b3", "", ".h0", ".b2", ""];
    let others = [".h0", "", ".b2", ".b0", ".h1", ".b3", ".b1", ""];
    let mut selectors = [Turn(&parts, 0), Turn(&sources, 0), Turn(&others, 0)];
    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"] {
        for types in types() {
            for sat in ["", ".sat"] {
                scalar(&mut forms, &format!("{op}.{types}{sat}"), &mut selectors);
            }
        }
    }
    for op in ["vshl", "vshr"] {
        for d in SIGNS {
            for a in SIGNS {
                for sat in ["", ".sat"] {
                    for mode in ["clamp", "wrap"] {
                        scalar(
                            &mut forms,
                            &format!("{op}.{d}.{a}.u32{sat}.{mode}"),
                            &mut selectors,
                        );
                    }
                }
            }
        }
    }
    for a in SIGNS {
        for b in SIGNS {
            for comparison in COMPARISONS {
                scalar(&mut forms, &format!("vset.{a}.{b}.{comparison}"), &mut selectors);
            }
        }
    }
    let [_, a, b] = &mut selectors;
    let mut signs = Turn(&["%a, %b, %c", "-%a, %b, %c", "%a, -%b, %c", "%a, %b, -%c"], 0);
    for types in types() {
        for sat in ["", ".sat"] {
            for scale in ["", ".shr7", ".shr15"] {
                for plus in ["", ".po"] {
                    let operands = if plus.is_empty() { signs.next() } else { "%a, %b, %c" };
                    let operands = operands
                        .replace("%a", &format!("%a{}", a.next()))
                        .replace("%b", &format!("%b{}", b.next()));
                    forms.push(form(
                        "video",
                        &format!("vmad.{types}{plus}{sat}{scale}"),
                        &format!("%d, {operands}"),
                    ));
                }
            }
        }
    }
    forms.extend(parallel());
    forms
}

fn parallel() -> Vec<Form> {
    let mut forms = Vec::new();
    let halves = Lanes {
        count: 2,
        masks: Turn(&["", ".h0", ".h1", ".h10"], 0),
        a: Turn(&["", ".h10", ".h32", ".h01", ".h23", ".h00", ".h31"], 0),
        b: Turn(&["", ".h32", ".h10", ".h22", ".h03"], 0),
    };
    let bytes = Lanes {
        count: 4,
        masks: Turn(&["", ".b0", ".b10", ".b3210", ".b31", ".b210", ".b2"], 0),
        a: Turn(&["", ".b3210", ".b7654", ".b0123", ".b7070", ".b1111"], 0),
        b: Turn(&["", ".b7654", ".b3210", ".b4567", ".b6420"], 0),
    };
    for mut lanes in [halves, bytes] {
        let count = lanes.count;
        for op in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"] {
            for types in types() {
                for tail in ["", ".sat", ".add"] {
                    let operands = lanes.operands();
                    forms.push(form("simd", &format!("{op}{count}.{types}{tail}"), &operands));
                }
            }
        }
        for a in SIGNS {
            for b in SIGNS {
                for comparison in COMPARISONS {
                    for tail in ["", ".add"] {
                        let opcode = format!("vset{count}.{a}.{b}.{comparison}{tail}");
                        forms.push(form("simd", &opcode, &lanes.operands()));
                    }
                }
            }
        }
    }
    forms
}

struct Lanes {
    count: u32,
    masks: Turn<'static>,
    a: Turn<'static>,
    b: Turn<'static>,
}

impl Lanes {
    fn operands(&mut self) -> String {
        format!("%d{}, %a{}, %b{}, %c", self.masks.next(), self.a.next(), self.b.next())
    }
}
