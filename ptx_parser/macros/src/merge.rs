//! Makes one struct of all forms of an instruction: which fields it has, and how each form fills them.

use crate::grammar::{self, Declaration, error};
use crate::resolve::{self, Resolved, ResolvedForm, SCALAR_TYPE, snake};

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
    pub constants: Vec<Constants>,
    pub space: Option<SpaceRule>,
}

/// The values of a constant, where `when` holds.
pub struct Constants {
    pub registers: bool,
    pub ranges: Vec<(i64, i64, i64)>,
    pub when: Vec<(bool, Vec<Atom>)>,
}

/// The source of an address's state space.
pub enum SpaceRule {
    Field(usize),
    Fixed(String),
}

/// The source of an operand's type.
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
    /// The number of modifiers that belong to the name.
    pub name: usize,
    pub modifiers: Vec<Slot>,
    pub operands: Vec<OperandSlot>,
}

/// A rule with its names looked up.
pub struct Rule {
    pub never: bool,
    pub gone: bool,
    pub version: (u16, u16),
    pub targets: Vec<String>,
    pub when: Vec<(bool, Vec<Atom>)>,
}

pub enum Atom {
    Word(String),
    Field(usize, String),
    Operand(usize, String),
}

pub struct Merged {
    pub rules: Vec<Rule>,
    pub fields: Vec<Field>,
    pub operands: Vec<OperandField>,
    pub forms: Vec<MergedForm>,
}

/// Instructions with more operands than this live in a box, so that the others stay small.
const OPERANDS_INLINE: usize = 4;

impl Merged {
    /// Whether there are too many operands for them to stand in the instruction itself.
    pub fn boxed(&self) -> bool {
        self.operands.len() > OPERANDS_INLINE
    }
}

/// The candidates for the type of an operand: as declared, else by the name that the manual gives to it, else the
/// instruction's one type.
fn choices(
    declaration: &Declaration,
    operand: &str,
    pair: bool,
    shared_type: Option<&str>,
) -> Vec<String> {
    let own = declaration.types.iter().find(|t| t.operands.iter().any(|o| snake(o) == operand));
    if let Some(own) = own {
        return own.choices.clone();
    }
    let known = match operand {
        "cache_policy" | "a_desc" | "b_desc" | "s_desc" | "zero_column_mask_desc" => Some(".u64"),
        "membermask" | "idesc" => Some(".u32"),
        "scale_a_data" | "scale_b_data" => Some(".b32"),
        "cta_mask" | "byte_mask" => Some(".b16"),
        "scale_d" | "enable_input_d" => Some(".pred"),
        _ if pair => Some(".pred"),
        _ => None,
    };
    if let Some(known) = known {
        return vec![known.to_owned()];
    }
    match declaration.types.iter().find(|t| t.operands.is_empty()) {
        Some(others) => others.choices.clone(),
        None => vec![shared_type.map_or_else(|| "type_".to_owned(), |c| format!(".{c}"))],
    }
}

/// Literals that may stand anywhere, though forms begin with them.
const ANYWHERE: &[&str] = &[
    "sync",
    "aligned",
    "cc",
    "approx",
    "sp",
    "tile",
    "L1",
    "L2",
    "L2::evict_normal",
    "mbarrier_init",
    "sat",
    "global",
    "release",
    "mmio",
    "get_first_ctaid",
    "is_canceled",
    "noComplete",
];

/// The number of modifiers that belong to the name of a form, as `.async.bulk` in `cp.async.bulk`: nothing stands
/// before or between them.
fn name_length(declaration: &Declaration, form: &ResolvedForm) -> usize {
    let of_name = |(written, modifier): &(&grammar::Modifier, &Resolved)| {
        let names = &declaration.name_fields;
        let declared = names.contains(&written.name)
            || written.field.as_ref().is_some_and(|f| names.contains(f));
        let literal = modifier.field.is_none()
            && modifier.words.len() == 1
            && !modifier.optional
            && !ANYWHERE.contains(&modifier.words[0].as_str());
        declared || literal
    };
    form.form.modifiers.iter().zip(&form.modifiers).take_while(of_name).count()
}

/// The struct, as far as the forms read so far make it.
struct Merger<'d> {
    declaration: &'d Declaration,
    shared_literals: Vec<String>,
    shared_type: Option<String>,
    fields: Vec<Field>,
    operands: Vec<OperandField>,
}

/// The fields or operands that one form fills: an index, and whether it is optional there.
type Filled = Vec<(usize, bool)>;

impl Merger<'_> {
    fn fail<T>(&self, text: String) -> syn::Result<T> {
        Err(error(&self.declaration.name, text))
    }

    fn slot(&mut self, modifier: Resolved, filled: &mut Filled) -> syn::Result<Slot> {
        let Resolved { words, field, type_, optional } = modifier;
        let shared = match &field {
            None => self.shared_literals.contains(&words[0]),
            Some(field) => field == "type_" && self.shared_type.is_some(),
        };
        if shared {
            return Ok(Slot { words, type_: None, field: None, optional });
        }
        let name = field.unwrap_or_else(|| snake(&words[0]));
        let index = self.field(&name, &type_)?;
        if filled.iter().any(|(f, _)| *f == index) {
            return self.fail(format!("a form fills `{name}` twice"));
        }
        filled.push((index, optional));
        Ok(Slot { words, type_, field: Some(index), optional })
    }

    fn field(&mut self, name: &str, type_: &Option<String>) -> syn::Result<usize> {
        let Some(index) = self.fields.iter().position(|f| f.name == name) else {
            let field = Field { name: name.to_owned(), type_: type_.clone(), optional: false };
            self.fields.push(field);
            return Ok(self.fields.len() - 1);
        };
        let field = &mut self.fields[index];
        if field.type_.is_none() {
            field.type_.clone_from(type_);
        } else if type_.is_some() && *type_ != field.type_ {
            return self.fail(format!("`{name}` has two types"));
        }
        Ok(index)
    }

    /// The field of an operand; only one outside of brackets can be a destination.
    fn operand(&mut self, name: &str, kind: Kind, outside: bool) -> syn::Result<usize> {
        let write = outside
            && match &self.declaration.writes {
                Some(writes) => writes.iter().any(|w| w == name),
                None => matches!(name, "d" | "p" | "q"),
            };
        let name = snake(name);
        match self.operands.iter().position(|o| o.name == name) {
            Some(index) if self.operands[index].kind != kind => {
                self.fail(format!("operand `{name}` has two kinds"))
            }
            Some(index) => Ok(index),
            None => {
                self.operands.push(OperandField {
                    name,
                    kind,
                    optional: false,
                    write,
                    types: Vec::new(),
                    constants: Vec::new(),
                    space: None,
                });
                Ok(self.operands.len() - 1)
            }
        }
    }

    fn operand_slot(
        &mut self,
        operand: &grammar::Operand,
        suffix: Option<Resolved>,
        filled_fields: &mut Filled,
        filled_operands: &mut Filled,
    ) -> syn::Result<OperandSlot> {
        let address = operand.bracket && operand.names.len() == 1;
        let kind = if address { Kind::Address } else { Kind::Operand };
        let mut fields = Vec::new();
        for name in &operand.names {
            fields.push(self.operand(name, kind, !operand.bracket)?);
        }
        filled_operands.extend(fields.iter().map(|f| (*f, operand.optional)));
        let mut pair = None;
        if let Some((name, optional)) = &operand.pair {
            let index = self.operand(name, Kind::Operand, true)?;
            filled_operands.push((index, *optional));
            pair = Some((index, *optional));
        }
        Ok(OperandSlot {
            fields,
            bracket: operand.bracket,
            vector: operand.vector,
            optional: operand.optional,
            not: operand.not,
            minus: operand.minus,
            pair,
            suffix: suffix.map(|s| self.slot(s, filled_fields)).transpose()?,
        })
    }

    fn type_rules(&self, operand: &str, pair: bool) -> syn::Result<Vec<TypeRule>> {
        let field = |name: &str| self.fields.iter().position(|f| f.name == name);
        let mut rules = Vec::new();
        for choice in choices(self.declaration, operand, pair, self.shared_type.as_deref()) {
            if let Some(literal) = choice.strip_prefix('.') {
                rules.push(TypeRule::Fixed(literal.to_owned()));
            } else if choice == "wide" {
                match (field("type_"), field("mode")) {
                    (Some(type_), Some(mode)) => rules.push(TypeRule::Wide(type_, mode)),
                    _ => return self.fail("`wide` needs `type` and `mode`".to_owned()),
                }
            } else {
                match field(&choice) {
                    Some(index) if self.fields[index].type_.as_deref() == Some(SCALAR_TYPE) => {
                        rules.push(TypeRule::Field(index));
                    }
                    // The default of an instruction that has no such field.
                    _ if choice == "type_" => {}
                    _ => return self.fail(format!("`{choice}` is no type")),
                }
            }
        }
        Ok(rules)
    }

    fn constants(&self, operand: &str) -> syn::Result<Vec<Constants>> {
        let own = |c: &&grammar::Constants| c.operands.iter().any(|o| snake(o) == operand);
        let constants = self.declaration.constants.iter().filter(own);
        constants
            .map(|c| {
                let grammar::Constants { registers, ranges, when, .. } = c.clone();
                Ok(Constants { registers, ranges, when: self.terms(&when)? })
            })
            .collect()
    }

    /// As declared; else what the field `space` or `ss` says.
    fn space(&self, operand: &OperandField) -> syn::Result<Option<SpaceRule>> {
        let field = |name: &str| self.fields.iter().position(|f| f.name == snake(name));
        let own = |s: &&grammar::Space| s.operands.iter().any(|o| snake(o) == operand.name);
        Ok(match self.declaration.spaces.iter().find(own) {
            Some(own) => Some(match (own.space.strip_prefix('.'), field(&own.space)) {
                (Some(word), _) => SpaceRule::Fixed(word.to_owned()),
                (None, Some(index)) => SpaceRule::Field(index),
                (None, None) => return self.fail(format!("`{}` is no field", own.space)),
            }),
            None if operand.kind == Kind::Address => {
                field("space").or(field("ss")).map(SpaceRule::Field)
            }
            None => None,
        })
    }

    /// Fails where a table names operands that there are not.
    fn unknown_operand(&self) -> syn::Result<()> {
        let constants = self.declaration.constants.iter().flat_map(|c| &c.operands);
        let spaces = self.declaration.spaces.iter().flat_map(|s| &s.operands);
        let types = self.declaration.types.iter().flat_map(|t| &t.operands);
        let known = |name: &str| self.operands.iter().any(|o| o.name == snake(name));
        if let Some(name) = constants.chain(spaces).chain(types).find(|name| !known(name)) {
            return self.fail(format!("there is no operand `{name}`"));
        }
        let written = |name: &str| {
            let forms = self.declaration.blocks.iter().flat_map(|b| &b.forms);
            let mut modifiers = forms.flat_map(|f| &f.modifiers);
            modifiers.any(|m| m.name == name || m.field.as_deref() == Some(name))
        };
        match self.declaration.name_fields.iter().find(|name| !written(name)) {
            Some(name) => self.fail(format!("there is no modifier `{name}`")),
            None => Ok(()),
        }
    }

    fn atom(&self, atom: &grammar::Atom) -> syn::Result<Atom> {
        match atom {
            grammar::Atom::Word(word) => Ok(Atom::Word(word.clone())),
            grammar::Atom::Field(field, word) => {
                match self.fields.iter().position(|f| f.name == snake(field)) {
                    Some(index) => Ok(Atom::Field(index, word.clone())),
                    None => self.fail(format!("a rule names the field `{field}`")),
                }
            }
            grammar::Atom::Operand(operand, kind) => {
                let kind = kind.clone().unwrap_or_else(|| "present".to_owned());
                match self.operands.iter().position(|o| o.name == snake(operand)) {
                    Some(index) => Ok(Atom::Operand(index, kind)),
                    None => self.fail(format!("a rule names the operand `{operand}`")),
                }
            }
        }
    }

    fn terms(&self, terms: &[grammar::Term]) -> syn::Result<Vec<(bool, Vec<Atom>)>> {
        let term = |term: &grammar::Term| {
            let any = term.any.iter().map(|a| self.atom(a)).collect::<syn::Result<_>>()?;
            Ok((term.not, any))
        };
        terms.iter().map(term).collect()
    }

    fn rule(&self, rule: &grammar::Rule) -> syn::Result<Rule> {
        Ok(Rule {
            never: rule.never,
            gone: rule.gone,
            version: rule.version.unwrap_or_default(),
            targets: rule.targets.clone(),
            when: self.terms(&rule.when)?,
        })
    }

    /// Errors that only the whole struct shows.
    fn check(&self, forms: &[MergedForm]) -> syn::Result<()> {
        for slot in forms.iter().flat_map(|f| &f.modifiers) {
            if slot.words.len() != 1 && slot.field.is_some_and(|f| self.fields[f].type_.is_none()) {
                return self
                    .fail(format!("`{}` is a choice and needs a type", slot.words.join(", ")));
            }
        }
        match self.fields.iter().find(|f| self.operands.iter().any(|o| o.name == f.name)) {
            Some(field) => self.fail(format!("`{}` is a modifier and an operand", field.name)),
            None => Ok(()),
        }
    }
}

/// Makes one struct of all forms of an instruction. Fails where they contradict each other or name what there is not.
pub fn merge(declaration: &Declaration) -> syn::Result<Merged> {
    let resolved = resolve::forms(declaration);
    let mut merger = Merger {
        declaration,
        shared_literals: resolve::shared_literals(&resolved),
        shared_type: resolve::shared_type(&resolved),
        fields: Vec::new(),
        operands: Vec::new(),
    };
    let mut forms = Vec::new();
    let mut fields_of_forms = Vec::new();
    let mut operands_of_forms = Vec::new();
    for resolved in resolved {
        let name = name_length(declaration, &resolved);
        let ResolvedForm { form, modifiers, suffixes } = resolved;
        let (mut filled_fields, mut filled_operands) = (Filled::new(), Filled::new());
        let mut slots = Vec::new();
        for modifier in modifiers {
            slots.push(merger.slot(modifier, &mut filled_fields)?);
        }
        let mut operands = Vec::new();
        for (operand, suffix) in form.operands.iter().zip(suffixes) {
            operands.push(merger.operand_slot(
                operand,
                suffix,
                &mut filled_fields,
                &mut filled_operands,
            )?);
        }
        forms.push(MergedForm { opcode: form.opcode, name, modifiers: slots, operands });
        fields_of_forms.push(filled_fields);
        operands_of_forms.push(filled_operands);
    }
    let always = |filled: &[Filled], index: usize| {
        filled.iter().all(|form| form.iter().any(|(i, optional)| *i == index && !optional))
    };
    for (index, field) in merger.fields.iter_mut().enumerate() {
        field.optional = !always(&fields_of_forms, index);
    }
    for index in 0..merger.operands.len() {
        let pairs = forms.iter().flat_map(|f| &f.operands).filter_map(|o| o.pair);
        let is_pair = pairs.clone().any(|(pair, _)| pair == index);
        let types = merger.type_rules(&merger.operands[index].name, is_pair)?;
        let constants = merger.constants(&merger.operands[index].name)?;
        let space = merger.space(&merger.operands[index])?;
        let operand = &mut merger.operands[index];
        operand.types = types;
        operand.constants = constants;
        operand.space = space;
        operand.optional = !always(&operands_of_forms, index);
    }
    merger.check(&forms)?;
    merger.unknown_operand()?;
    let rules = declaration.rules.iter().map(|r| merger.rule(r)).collect::<syn::Result<_>>()?;
    Ok(Merged { rules, fields: merger.fields, operands: merger.operands, forms })
}
