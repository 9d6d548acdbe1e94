//! Tree to text: `Display` of every part of a tree gives PTX that parses to the same tree.

mod instruction;

use std::fmt::{self, Display, Formatter, Write};

use crate::tree::*;

impl Display for Module<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}.{}", self.version.0, self.version.1)?;
        if !self.target.words.is_empty() {
            writeln!(f, ".target {}", self.target.words.join(", "))?;
        }
        writeln!(f, ".address_size {}", self.address_size)?;
        self.directives.iter().try_for_each(|d| writeln!(f, "{d}"))
    }
}

impl Display for Directive<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Directive::Variable(variable) => write!(f, "{variable};"),
            Directive::Function(function) => function.fmt(f),
            Directive::Alias { name, aliasee, .. } => write!(f, ".alias {name}, {aliasee};"),
            Directive::File { index, name } => write!(f, ".file {index} \"{name}\""),
            Directive::Section { name } => write!(f, ".section {name} {{ }}"),
            Directive::Pragma(texts) => pragma(f, texts),
            Directive::Prototype(prototype) => prototype.fmt(f),
        }
    }
}

fn pragma(f: &mut Formatter<'_>, texts: &[&str]) -> fmt::Result {
    let texts: Vec<_> = texts.iter().map(|t| format!("\"{t}\"")).collect();
    write!(f, ".pragma {};", texts.join(", "))
}

fn commas<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{item}")?;
    }
    Ok(())
}

impl Linkage {
    /// The directive, with the blank behind it; nothing for internal names.
    fn prefix(self) -> &'static str {
        match self {
            Linkage::Internal => "",
            Linkage::Visible => ".visible ",
            Linkage::Extern => ".extern ",
            Linkage::Weak => ".weak ",
            Linkage::Common => ".common ",
        }
    }
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Attribute::Managed => f.write_str(".managed"),
            Attribute::Unified(low, high) => write!(f, ".unified({low}, {high})"),
        }
    }
}

fn attributes(f: &mut Formatter<'_>, list: &[Attribute]) -> fmt::Result {
    if list.is_empty() {
        return Ok(());
    }
    f.write_str(".attribute(")?;
    commas(f, list)?;
    f.write_str(") ")
}

impl Display for Variable<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} ", self.linkage.prefix(), self.space)?;
        attributes(f, &self.attributes)?;
        if let Some(align) = self.align {
            write!(f, ".align {align} ")?;
        }
        if let Some(vector) = self.vector {
            write!(f, "{vector} ")?;
        }
        write!(f, "{} ", self.type_)?;
        if let Some(Pointer { space, align }) = self.pointer {
            f.write_str(".ptr ")?;
            if let Some(space) = space {
                write!(f, "{space} ")?;
            }
            if let Some(align) = align {
                write!(f, ".align {align} ")?;
            }
        }
        f.write_str(self.name)?;
        if let Some(range) = self.range {
            write!(f, "<{range}>")?;
        }
        for size in &self.dimensions {
            match size {
                0 => f.write_str("[]")?,
                size => write!(f, "[{size}]")?,
            }
        }
        match &self.initializer {
            Some(value) => write!(f, " = {value}"),
            None => Ok(()),
        }
    }
}

impl Display for Initializer<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Initializer::Immediate(value) => value.fmt(f),
            Initializer::List(values) => {
                f.write_char('{')?;
                commas(f, values)?;
                f.write_char('}')
            }
            Initializer::Property(name, value) => write!(f, "{name} = {value}"),
            Initializer::Symbol { address, generic, mask } => {
                if let Some(mask) = mask {
                    write!(f, "{mask:#X}(")?;
                }
                let base = address.base.unwrap_or_default();
                if *generic {
                    write!(f, "generic({base})")?;
                } else {
                    f.write_str(base)?;
                }
                if address.offset != 0 {
                    write!(f, "+{}", address.offset)?;
                }
                f.write_str(if mask.is_some() { ")" } else { "" })
            }
        }
    }
}

impl Display for Function<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            FunctionKind::Entry => ".entry ",
            FunctionKind::Func => ".func ",
        };
        write!(f, "{}{kind}", self.linkage.prefix())?;
        attributes(f, &self.attributes)?;
        if !self.returns.is_empty() {
            f.write_char('(')?;
            commas(f, &self.returns)?;
            f.write_str(") ")?;
        }
        write!(f, "{}(", self.name)?;
        commas(f, &self.parameters)?;
        f.write_char(')')?;
        self.directives.iter().try_for_each(|d| write!(f, "\n{d}"))?;
        match &self.body {
            None => f.write_char(';'),
            Some(body) => {
                f.write_str("\n{\n")?;
                statements(f, body, 1)?;
                f.write_char('}')
            }
        }
    }
}

impl Display for FunctionDirective<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        use FunctionDirective::*;
        match self {
            Maxntid([x, y, z]) => write!(f, ".maxntid {x}, {y}, {z}"),
            Reqntid([x, y, z]) => write!(f, ".reqntid {x}, {y}, {z}"),
            Minnctapersm(n) => write!(f, ".minnctapersm {n}"),
            Maxnctapersm(n) => write!(f, ".maxnctapersm {n}"),
            Maxnreg(n) => write!(f, ".maxnreg {n}"),
            Noreturn => f.write_str(".noreturn"),
            Explicitcluster => f.write_str(".explicitcluster"),
            Reqnctapercluster([x, y, z]) => write!(f, ".reqnctapercluster {x}, {y}, {z}"),
            Maxclusterrank(n) => write!(f, ".maxclusterrank {n}"),
            Blocksareclusters => f.write_str(".blocksareclusters"),
            AbiPreserve(n) => write!(f, ".abi_preserve {n}"),
            AbiPreserveControl(n) => write!(f, ".abi_preserve_control {n}"),
            Language(codes) => {
                f.write_str(".language ")?;
                commas(f, codes)
            }
            Pragma(texts) => pragma(f, texts),
        }
    }
}

impl Display for Prototype<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: .callprototype ", self.name)?;
        if !self.returns.is_empty() {
            f.write_char('(')?;
            commas(f, &self.returns)?;
            f.write_str(") ")?;
        }
        f.write_str("_ (")?;
        commas(f, &self.parameters)?;
        f.write_char(')')?;
        self.directives.iter().try_for_each(|d| write!(f, " {d}"))?;
        f.write_char(';')
    }
}

fn statements(f: &mut Formatter<'_>, body: &[Statement<'_>], depth: usize) -> fmt::Result {
    for statement in body {
        let indent = if matches!(statement, Statement::Label { .. }) { 0 } else { depth };
        write!(f, "{:indent$}", "", indent = 4 * indent)?;
        match statement {
            Statement::Block(inner) => {
                f.write_str("{\n")?;
                statements(f, inner, depth + 1)?;
                writeln!(f, "{:indent$}}}", "", indent = 4 * indent)?;
            }
            _ => writeln!(f, "{statement}")?,
        }
    }
    Ok(())
}

impl Display for Statement<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Variable(variable) => write!(f, "{variable};"),
            Statement::Label { name, .. } => write!(f, "{name}:"),
            Statement::Instruction(instruction) => instruction.fmt(f),
            Statement::Block(body) => {
                f.write_str("{\n")?;
                statements(f, body, 1)?;
                f.write_char('}')
            }
            Statement::Prototype(prototype) => prototype.fmt(f),
            Statement::CallTargets { name, targets, .. } => {
                write!(f, "{name}: .calltargets {};", targets.join(", "))
            }
            Statement::BranchTargets { name, targets, .. } => {
                write!(f, "{name}: .branchtargets {};", targets.join(", "))
            }
            Statement::Loc(Loc { file, line, column }) => write!(f, ".loc {file} {line} {column}"),
            Statement::Pragma(texts) => pragma(f, texts),
            Statement::Unknown(unknown) => f.write_str(unknown.text),
        }
    }
}

impl Display for GuardedInstruction<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(Guard { predicate, not }) = self.guard {
            write!(f, "@{}{predicate} ", if not { "!" } else { "" })?;
        }
        write!(f, "{};", self.instruction)
    }
}
