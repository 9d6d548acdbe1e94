//! Makes one struct of all forms of an instruction: which fields it has, and how each form fills them.

use crate::grammar::{Block, Declaration, Form, Group, Modifier, error};

/// A modifier field of the struct.
pub struct Field {
    pub name: String,
    /// The enum of `crate::modifier`; none for a flag.
    pub type_: Option<String>,
    /// Forms leave it out.
    pub optional: bool,
}

/// An operand field of the struct.
pub struct OperandField {
    pub name: String,
    pub kind: Kind,
    pub optional: bool,
    pub write: bool,
    /// The first that is there holds; none where the type is not known.
    pub types: Vec<TypeRule>,
}

/// Where the type of an operand comes from.
#[derive(Clone, PartialEq, Eq)]
pub enum TypeRule {
    Field(usize),
    Fixed(String),
    /// The type in the first field, doubled if the second is `.wide`.
    Wide(usize, usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Operand,
    Address,
}

/// A place for a modifier in a form.
pub struct Slot {
    /// None for all words of the type.
    pub words: Vec<String>,
    pub type_: Option<String>,
    pub field: Option<usize>,
    pub optional: bool,
}

pub struct OperandSlot {
    pub fields: Vec<usize>,
    pub bracket: bool,
    pub vector: bool,
    pub optional: bool,
    pub not: bool,
    pub minus: bool,
    pub pair: Option<(usize, bool)>,
    pub suffix: Option<Slot>,
}

pub struct MergedForm {
    pub opcode: String,
    pub modifiers: Vec<Slot>,
    pub operands: Vec<OperandSlot>,
}

pub struct Merged {
    pub fields: Vec<Field>,
    pub operands: Vec<OperandField>,
    pub forms: Vec<MergedForm>,
}

/// Instructions with more operands than this live in a box, so that the others stay small.
const OPERANDS_INLINE: usize = 4;

impl Merged {
    pub fn boxed(&self) -> bool {
        self.operands.len() > OPERANDS_INLINE
    }
}

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

const SCALAR_TYPE: &str = "ScalarType";

fn is_scalar(word: &str) -> bool {
    SCALAR_TYPES.contains(&word)
}

/// A modifier of a form with its words looked up.
struct Resolved {
    words: Vec<String>,
    field: Option<String>,
    type_: Option<String>,
    optional: bool,
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

fn group<'a>(blocks: &'a [Block], own: &'a Block, name: &str) -> Option<&'a Group> {
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

/// What the type of an operand may come from: as declared, else by the name that the manual gives to it,
/// else the instruction's one type.
fn choices(
    declaration: &Declaration,
    operand: &str,
    pair: bool,
    constant: Option<&str>,
) -> Vec<String> {
    let own = declaration.types.iter().find(|t| t.operands.iter().any(|o| snake(o) == operand));
    if let Some(own) = own {
        return own.choices.clone();
    }
    let known = match operand {
        "cache_policy" => Some(".b64"),
        "membermask" => Some(".b32"),
        _ if pair => Some(".pred"),
        _ => None,
    };
    if let Some(known) = known {
        return vec![known.to_owned()];
    }
    match declaration.types.iter().find(|t| t.operands.is_empty()) {
        Some(others) => others.choices.clone(),
        None => vec![constant.map_or_else(|| "type_".to_owned(), |c| format!(".{c}"))],
    }
}

pub fn merge(declaration: &Declaration) -> syn::Result<Merged> {
    let fail = |text: String| error(&declaration.name, text);
    let mut resolved: Vec<(Form, Vec<Resolved>, Vec<Option<Resolved>>)> = Vec::new();
    for block in &declaration.blocks {
        for form in block.forms.iter().flat_map(|f| split_cache_policy(f, block)) {
            let find = |m: &Modifier| resolve(&declaration.blocks, block, m);
            let modifiers = form.modifiers.iter().map(find).collect();
            let suffixes = form.operands.iter().map(|o| o.suffix.as_ref().map(find)).collect();
            resolved.push((form, modifiers, suffixes));
        }
    }
    // Literals without a field: flags where forms differ in them, nothing where all have them.
    let always = |word: &str| {
        resolved.iter().all(|(_, mods, _)| {
            mods.iter().any(|m| {
                !m.optional && m.field.is_none() && m.words.len() == 1 && m.words[0] == word
            })
        })
    };
    let constant_type = {
        let mut literals = resolved
            .iter()
            .flat_map(|(_, mods, _)| mods)
            .filter(|m| m.field.as_deref() == Some("type_"));
        let first = literals.clone().next().map(|m| m.words.clone());
        let everywhere = resolved
            .iter()
            .all(|(_, mods, _)| mods.iter().any(|m| m.field.as_deref() == Some("type_")));
        let first = first.filter(|w| w.len() == 1 && everywhere);
        first.filter(|w| literals.all(|m| m.words == *w && !m.optional)).map(|w| w[0].clone())
    };
    let mut constants = Vec::new();
    for (_, mods, _) in &resolved {
        for m in mods {
            if m.field.is_none() && m.words.len() == 1 && always(&m.words[0]) {
                constants.push(m.words[0].clone());
            }
        }
    }
    let mut fields: Vec<Field> = Vec::new();
    let mut operands: Vec<OperandField> = Vec::new();
    let mut forms = Vec::new();
    let mut seen_fields: Vec<Vec<(usize, bool)>> = Vec::new();
    let mut seen_operands: Vec<Vec<(usize, bool)>> = Vec::new();
    for (form, modifiers, suffixes) in resolved {
        let mut own_fields = Vec::new();
        let mut own_operands = Vec::new();
        let mut slot = |m: Resolved| -> syn::Result<Slot> {
            let constant = match &m.field {
                None => constants.contains(&m.words[0]),
                Some(field) => field == "type_" && constant_type.is_some(),
            };
            if constant {
                return Ok(Slot { words: m.words, type_: None, field: None, optional: m.optional });
            }
            let name = m.field.clone().unwrap_or_else(|| snake(&m.words[0]));
            let index = match fields.iter().position(|f| f.name == name) {
                Some(index) => {
                    let field = &mut fields[index];
                    if field.type_.is_none() {
                        field.type_.clone_from(&m.type_);
                    } else if m.type_.is_some() && m.type_ != field.type_ {
                        return Err(fail(format!("`{name}` has two types")));
                    }
                    index
                }
                None => {
                    fields.push(Field {
                        name: name.clone(),
                        type_: m.type_.clone(),
                        optional: false,
                    });
                    fields.len() - 1
                }
            };
            if own_fields.iter().any(|(f, _)| *f == index) {
                return Err(fail(format!("a form fills `{name}` twice")));
            }
            own_fields.push((index, m.optional));
            Ok(Slot { words: m.words, type_: m.type_, field: Some(index), optional: m.optional })
        };
        let modifiers = modifiers.into_iter().map(&mut slot).collect::<syn::Result<Vec<_>>>()?;
        let mut operand_slots = Vec::new();
        for (operand, suffix) in form.operands.iter().zip(suffixes) {
            let mut place =
                |name: &str, kind: Kind, optional: bool, outside: bool| -> syn::Result<usize> {
                    let write = outside
                        && match &declaration.writes {
                            Some(writes) => writes.iter().any(|w| w == name),
                            None => matches!(name, "d" | "p" | "q"),
                        };
                    let name = snake(name);
                    let index = match operands.iter().position(|o| o.name == name) {
                        Some(index) if operands[index].kind != kind => {
                            return Err(fail(format!("operand `{name}` has two kinds")));
                        }
                        Some(index) => index,
                        None => {
                            operands.push(OperandField {
                                name,
                                kind,
                                optional: false,
                                write,
                                types: Vec::new(),
                            });
                            operands.len() - 1
                        }
                    };
                    own_operands.push((index, optional));
                    Ok(index)
                };
            let kind = if operand.bracket && operand.names.len() == 1 {
                Kind::Address
            } else {
                Kind::Operand
            };
            let indices = operand
                .names
                .iter()
                .map(|n| place(n, kind, operand.optional, !operand.bracket))
                .collect::<syn::Result<Vec<_>>>()?;
            let pair = match &operand.pair {
                Some((name, optional)) => {
                    Some((place(name, Kind::Operand, *optional, true)?, *optional))
                }
                None => None,
            };
            let suffix = suffix.map(&mut slot).transpose()?;
            operand_slots.push(OperandSlot {
                fields: indices,
                bracket: operand.bracket,
                vector: operand.vector,
                optional: operand.optional,
                not: operand.not,
                minus: operand.minus,
                pair,
                suffix,
            });
        }
        seen_fields.push(own_fields);
        seen_operands.push(own_operands);
        forms.push(MergedForm { opcode: form.opcode.clone(), modifiers, operands: operand_slots });
    }
    let always_in = |seen: &[Vec<(usize, bool)>], index: usize| {
        seen.iter().all(|form| form.iter().any(|(i, optional)| *i == index && !optional))
    };
    for slot in forms.iter().flat_map(|f: &MergedForm| &f.modifiers) {
        if slot.words.len() != 1 && slot.field.is_some_and(|f| fields[f].type_.is_none()) {
            return Err(fail(format!("`{}` is a choice and needs a type", slot.words.join(", "))));
        }
    }
    for (index, field) in fields.iter_mut().enumerate() {
        field.optional = !always_in(&seen_fields, index);
        if field.type_.is_none() && !field.optional {
            field.optional = true;
        }
    }
    for (index, operand) in operands.iter_mut().enumerate() {
        operand.optional = !always_in(&seen_operands, index);
    }
    let paired: Vec<usize> = forms
        .iter()
        .flat_map(|f: &MergedForm| &f.operands)
        .filter_map(|o| Some(o.pair?.0))
        .collect();
    for (index, operand) in operands.iter_mut().enumerate() {
        let pair = paired.contains(&index);
        let choices = choices(declaration, &operand.name, pair, constant_type.as_deref());
        for choice in choices {
            let field = |name: &str| fields.iter().position(|f| f.name == name);
            operand.types.push(match choice.strip_prefix('.') {
                Some(literal) => TypeRule::Fixed(literal.to_owned()),
                None if choice == "wide" => match (field("type_"), field("mode")) {
                    (Some(type_), Some(mode)) => TypeRule::Wide(type_, mode),
                    _ => return Err(fail("`wide` needs `type` and `mode`".to_owned())),
                },
                None => match field(&choice) {
                    Some(index) if fields[index].type_.as_deref() == Some(SCALAR_TYPE) => {
                        TypeRule::Field(index)
                    }
                    // The default of an instruction that has no such field.
                    _ if choice == "type_" => continue,
                    _ => return Err(fail(format!("`{choice}` is no type"))),
                },
            });
        }
    }
    if let Some(f) = fields.iter().find(|f| operands.iter().any(|o| o.name == f.name)) {
        return Err(fail(format!("`{}` is a modifier and an operand", f.name)));
    }
    Ok(Merged { fields, operands, forms })
}
