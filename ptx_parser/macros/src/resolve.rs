//! Looks up what the words of a form are: choices, types, literals.

use crate::grammar::{Alternatives, Block, Declaration, Form, Modifier};

/// The words of `crate::modifier::ScalarType`. They need no type in a table.
const SCALAR_TYPES: &[&str] = &[
    "b1",
    "b2",
    "b4",
    "b8",
    "b16",
    "b32",
    "b64",
    "b128",
    "u2",
    "u4",
    "u8",
    "u16",
    "u32",
    "u64",
    "s2",
    "s4",
    "s8",
    "s16",
    "s32",
    "s64",
    "f16",
    "f32",
    "f64",
    "bf16",
    "tf32",
    "f16x2",
    "bf16x2",
    "f32x2",
    "u16x2",
    "s16x2",
    "e4m3",
    "e5m2",
    "e2m3",
    "e3m2",
    "e2m1",
    "e4m3x2",
    "e5m2x2",
    "e2m3x2",
    "e3m2x2",
    "e2m1x2",
    "e4m3x4",
    "e5m2x4",
    "e2m3x4",
    "e3m2x4",
    "e2m1x4",
    "ue8m0",
    "ue4m3",
    "ue8m0x2",
    "b8x16",
    "b6x16_p32",
    "b4x16_p64",
    "pred",
    "texref",
    "samplerref",
    "surfref",
    "b1024",
];

pub const SCALAR_TYPE: &str = "ScalarType";

fn is_scalar(word: &str) -> bool {
    SCALAR_TYPES.contains(&word)
}

/// A modifier of a form with its words looked up.
pub struct Resolved {
    pub words: Vec<String>,
    pub field: Option<String>,
    pub type_: Option<String>,
    pub optional: bool,
}

impl Resolved {
    /// Whether it is a literal that every form may share.
    fn is_literal(&self, word: &str) -> bool {
        !self.optional && self.field.is_none() && self.words == [word]
    }

    fn is_type(&self) -> bool {
        self.field.as_deref() == Some("type_")
    }
}

/// A form with its words looked up.
pub struct ResolvedForm {
    pub form: Form,
    pub modifiers: Vec<Resolved>,
    /// The selectors of its operands.
    pub suffixes: Vec<Option<Resolved>>,
}

/// `CmpOp` and `scale-A-tmem` as Rust names.
pub fn snake(name: &str) -> String {
    if name == "NaN" {
        return "nan".to_owned();
    }
    let mut out = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && lower {
                out.push('_');
            }
            lower = c.is_ascii_lowercase();
            out.push(c.to_ascii_lowercase());
        } else {
            lower = false;
            if !out.ends_with('_') {
                out.push('_');
            }
        }
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    if matches!(out.as_str(), "type" | "async" | "match" | "box" | "ref") {
        out.push('_');
    }
    out
}

fn group<'a>(blocks: &'a [Block], own: &'a Block, name: &str) -> Option<&'a Alternatives> {
    let find = |b: &'a Block| b.groups.iter().find(|g| g.name == name);
    find(own).or_else(|| blocks.iter().find_map(find))
}

fn resolve(blocks: &[Block], own: &Block, modifier: &Modifier) -> Resolved {
    if let Some(group) = group(blocks, own, &modifier.name) {
        let scalar = !group.words.is_empty() && group.words.iter().all(|w| is_scalar(w));
        let type_ = group.type_.clone().or_else(|| scalar.then(|| SCALAR_TYPE.to_owned()));
        let field = modifier.field.as_ref().or(group.field.as_ref()).unwrap_or(&group.name);
        Resolved {
            words: group.words.clone(),
            field: Some(snake(field)),
            type_,
            optional: modifier.optional,
        }
    } else {
        let scalar = is_scalar(&modifier.name);
        let field = match &modifier.field {
            Some(field) => Some(snake(field)),
            None if scalar => Some("type_".to_owned()),
            None => None,
        };
        let type_ = scalar.then(|| SCALAR_TYPE.to_owned());
        Resolved { words: vec![modifier.name.clone()], field, type_, optional: modifier.optional }
    }
}

/// A form with a cache hint has a cache policy, and no form without one: written in the manual as two
/// options, meant as two forms.
fn split_cache_policy(form: &Form, own: &Block) -> Vec<Form> {
    let hint = |m: &Modifier| {
        m.optional
            && (m.name == "L2::cache_hint"
                || own.groups.iter().any(|g| g.name == m.name && g.words == ["L2::cache_hint"]))
    };
    let policy = |o: &crate::grammar::Operand| o.optional && o.names == ["cache-policy"];
    if !form.modifiers.iter().any(hint) || !form.operands.iter().any(policy) {
        return vec![form.clone()];
    }
    let mut without = form.clone();
    without.modifiers.retain(|m| !hint(m));
    without.operands.retain(|o| !policy(o));
    let mut with = form.clone();
    with.modifiers.iter_mut().filter(|m| hint(m)).for_each(|m| m.optional = false);
    with.operands.iter_mut().filter(|o| policy(o)).for_each(|o| o.optional = false);
    vec![without, with]
}

/// All forms of an instruction.
pub fn forms(declaration: &Declaration) -> Vec<ResolvedForm> {
    let mut forms = Vec::new();
    for block in &declaration.blocks {
        for form in block.forms.iter().flat_map(|f| split_cache_policy(f, block)) {
            let find = |m: &Modifier| resolve(&declaration.blocks, block, m);
            let modifiers = form.modifiers.iter().map(find).collect();
            let suffixes = form.operands.iter().map(|o| o.suffix.as_ref().map(find)).collect();
            forms.push(ResolvedForm { form, modifiers, suffixes });
        }
    }
    forms
}

/// The literals that all forms have: they need no field.
pub fn shared_literals(forms: &[ResolvedForm]) -> Vec<String> {
    let Some(first) = forms.first() else { return Vec::new() };
    let everywhere =
        |word: &str| forms.iter().all(|f| f.modifiers.iter().any(|m| m.is_literal(word)));
    first.modifiers.iter().flat_map(|m| &m.words).filter(|w| everywhere(w)).cloned().collect()
}

/// The literal type that all forms have in the place of `type_`, if there is one: it needs no field.
pub fn shared_type(forms: &[ResolvedForm]) -> Option<String> {
    let types = || forms.iter().flat_map(|f| &f.modifiers).filter(|m| m.is_type());
    let [word] = &types().next()?.words[..] else { return None };
    let everywhere = forms.iter().all(|f| f.modifiers.iter().any(Resolved::is_type));
    let same = types().all(|m| m.words == [word.as_str()] && !m.optional);
    (everywhere && same).then(|| word.clone())
}
