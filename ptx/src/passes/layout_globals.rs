//! Input: the tree, its symbols, and the functions' numbers.
//! Output: the segment of `.global` and `.const` variables: offsets, first bytes, relocations.
//! Why here: it needs the functions' numbers for initialisers, and lowering needs its offsets. It is
//! made of the whole module, so that kernels compiled apart share their variables.

use ptx_parser::{
    Attribute, Directive, Error, Function, Immediate, Initializer, Linkage, Module, ScalarType,
    StateSpace, Statement, Variable,
};
use rustc_hash::FxHashMap;

use super::index_symbols::{Symbol, Symbols};
use super::layout_parameters::{align_of, size_of};
use super::number_functions::Numbers;
use crate::info::{GlobalLayout, GlobalSpace, GlobalVar, Relocation};

/// The layout, and the offset of each variable.
#[derive(Debug, Default)]
pub struct Globals {
    pub layout: GlobalLayout,
    pub offsets: FxHashMap<Declared, u64>,
}

/// The place where a variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Declared {
    /// At module scope: its index in the directives.
    InModule(usize),
    /// In a function, which is the only one that sees it: its place in the text.
    InFunction(u32),
}

/// Bytes of a texture's handle.
const HANDLE: u64 = 8;

/// No segment is larger than this; more is a mistake in the PTX.
const LARGEST: u64 = 1 << 40;

/// Lays out the module's variables. Fails with an error for each that cannot be.
pub fn run<'a>(
    module: &Module<'a>,
    symbols: &Symbols<'a>,
    numbers: &Numbers,
) -> Result<Globals, Vec<Error>> {
    let mut variables: Vec<(Declared, &Variable<'a>, GlobalSpace)> = Vec::new();
    for (index, directive) in module.directives.iter().enumerate() {
        match directive {
            Directive::Variable(variable)
                if symbols.get(variable.name) == Some(Symbol::Variable(index)) =>
            {
                let space = space_of(variable);
                variables.extend(space.map(|space| (Declared::InModule(index), variable, space)));
            }
            Directive::Function(Function { body: Some(body), .. }) => {
                in_function(body, &mut variables);
            }
            _ => {}
        }
    }
    // Variables that start as zero come last, so that the image is short.
    variables.sort_by_key(|(_, variable, _)| variable.initializer.is_none());

    let mut globals = Globals {
        layout: GlobalLayout { align: 16, ..GlobalLayout::default() },
        ..Globals::default()
    };
    let mut errors = Vec::new();
    for (index, variable, space) in &variables {
        let (mut size, mut align) = (size_of(variable), align_of(variable));
        // `.tex .u32 name` is a handle too, whatever its type says.
        if variable.space == StateSpace::Tex {
            (size, align) = (size.max(HANDLE), align.max(HANDLE));
        }
        let offset = globals.layout.size.next_multiple_of(align);
        if size > LARGEST || offset > LARGEST {
            errors.push(Error::invalid(variable.span, format!("`{}` is too large", variable.name)));
            continue;
        }
        globals.layout.size = offset + size;
        globals.layout.align = globals.layout.align.max(align);
        globals.offsets.insert(*index, offset);
        globals.layout.vars.push(GlobalVar {
            name: name_of(index, variable),
            offset,
            size,
            align,
            space: *space,
            visible: matches!(variable.linkage, Linkage::Visible | Linkage::Weak | Linkage::Common),
            external: variable.linkage == Linkage::Extern,
            managed: variable.attributes.contains(&Attribute::Managed),
        });
    }
    for (index, variable, space) in &variables {
        if *space == GlobalSpace::Samplerref
            && let Some(&offset) = globals.offsets.get(index)
        {
            let end = offset + size_of(variable);
            let mut writer = Writer { variable, end, symbols, numbers, globals: &mut globals };
            let each = u64::from(variable.type_.size());
            for at in (offset..end).step_by(each as usize) {
                writer.put(at, sampler_word(variable.initializer.as_ref()), variable.type_.size());
            }
            continue;
        }
        if let (Some(initializer), Some(&offset)) =
            (&variable.initializer, globals.offsets.get(index))
        {
            let end = offset + size_of(variable);
            let mut writer = Writer { variable, end, symbols, numbers, globals: &mut globals };
            if let Err(error) = writer.write(initializer, offset) {
                errors.push(error);
            }
        }
    }
    if errors.is_empty() { Ok(globals) } else { Err(errors) }
}

/// The space of a variable in the segment; none where it lies elsewhere.
fn space_of(variable: &Variable<'_>) -> Option<GlobalSpace> {
    Some(match (variable.type_, variable.space) {
        (ScalarType::Texref, _) | (_, StateSpace::Tex) => GlobalSpace::Texref,
        (ScalarType::Surfref, _) => GlobalSpace::Surfref,
        (ScalarType::Samplerref, _) => GlobalSpace::Samplerref,
        (_, StateSpace::Global) => GlobalSpace::Global,
        (_, StateSpace::Const) => GlobalSpace::Const,
        _ => return None,
    })
}

/// The variables of a body that live as long as the module.
fn in_function<'m, 'a>(
    statements: &'m [Statement<'a>],
    found: &mut Vec<(Declared, &'m Variable<'a>, GlobalSpace)>,
) {
    for statement in statements {
        match statement {
            Statement::Block(inner) => in_function(inner, found),
            Statement::Variable(variable)
                if matches!(variable.space, StateSpace::Global | StateSpace::Const) =>
            {
                let place = Declared::InFunction(variable.span.start);
                found.extend(space_of(variable).map(|space| (place, variable, space)));
            }
            _ => {}
        }
    }
}

/// A name that no other variable has: nobody asks for those of functions.
fn name_of(declared: &Declared, variable: &Variable<'_>) -> String {
    match declared {
        Declared::InModule(_) => variable.name.to_owned(),
        Declared::InFunction(place) => format!("{}@{place}", variable.name),
    }
}

/// The word that a `.samplerref` holds: its properties, of which those that are not said are the first ones.
fn sampler_word(initializer: Option<&Initializer<'_>>) -> u64 {
    use simt_abi::sampler_word::{ADDRESS_SHIFT, FORCE_UNNORMALIZED, LINEAR, TAG};
    const CLAMP: u64 = 1;
    let mut address = [CLAMP; 3];
    let mut word = TAG;
    let properties = match initializer {
        Some(Initializer::List(items)) => items.as_slice(),
        Some(property) => std::slice::from_ref(property),
        None => &[],
    };
    for property in properties {
        let Initializer::Property(name, value) = property else { continue };
        let word_of = match &**value {
            Initializer::Symbol { address, .. } => address.base.unwrap_or_default(),
            _ => "",
        };
        let number = match &**value {
            Initializer::Immediate(immediate) => immediate.integer().unwrap_or_default(),
            _ => 0,
        };
        let axis = ["addr_mode_0", "addr_mode_1", "addr_mode_2"].iter().position(|it| it == name);
        match (axis, *name) {
            (Some(axis), _) => {
                address[axis] = match word_of {
                    "wrap" => 0,
                    "mirror" => 2,
                    "clamp_to_border" => 3,
                    _ => CLAMP,
                };
            }
            (None, "filter_mode") if word_of == "linear" => word |= LINEAR,
            (None, "force_unnormalized_coords") if number != 0 => word |= FORCE_UNNORMALIZED,
            _ => {}
        }
    }
    address.iter().zip(ADDRESS_SHIFT).fold(word, |word, (mode, shift)| word | mode << shift)
}

struct Writer<'w, 'a> {
    variable: &'w Variable<'a>,
    /// The offset behind it.
    end: u64,
    symbols: &'w Symbols<'a>,
    numbers: &'w Numbers,
    globals: &'w mut Globals,
}

/// Constants that operands of the type do not take, and initial values do, as NVIDIA's compiler has them. More
/// bits than the type has are cut.
fn initial_bits(immediate: Immediate, type_: ScalarType) -> Option<u64> {
    use ScalarType::*;
    Some(match (immediate, type_) {
        (Immediate::F32(bits), B8 | B16 | B64) => bits.into(),
        (Immediate::F64(bits), B8 | B16) => bits,
        (Immediate::F64(_), B32) => immediate.bits(F32)?,
        (_, F32) => (immediate.integer()? as f32).to_bits().into(),
        (_, F64) => (immediate.integer()? as f64).to_bits(),
        _ => return None,
    })
}

impl<'a> Writer<'_, 'a> {
    /// Writes at `offset`; gives where the next element is. The elements of lists follow each other, however
    /// many an inner list leaves out: NVIDIA's compiler does not pad them.
    fn write(&mut self, initializer: &Initializer<'a>, offset: u64) -> Result<u64, Error> {
        let next = offset + u64::from(self.variable.type_.size());
        match initializer {
            Initializer::List(items) => {
                items.iter().try_fold(offset, |offset, item| self.write(item, offset))
            }
            _ if next > self.end => {
                Err(self.invalid("the initializer has more elements than the variable"))
            }
            Initializer::Immediate(immediate) => {
                let type_ = self.variable.type_;
                let bits = immediate
                    .bits(type_)
                    .or_else(|| initial_bits(*immediate, type_))
                    .ok_or_else(|| self.invalid("the constant does not fit the variable's type"))?;
                self.put(offset, bits, type_.size());
                Ok(next)
            }
            // Of samplers, which are opaque words.
            Initializer::Property(..) => Ok(offset),
            Initializer::Symbol { address, mask, .. } => {
                self.symbol(address, *mask, offset).map(|()| next)
            }
        }
    }

    fn symbol(
        &mut self,
        address: &ptx_parser::Address<'a>,
        mask: Option<u64>,
        offset: u64,
    ) -> Result<(), Error> {
        let width = self.variable.type_.size();
        let Some(name) = address.base else {
            self.put(offset, address.offset as u64, width);
            return Ok(());
        };
        let shift = match mask {
            Some(mask)
                if mask.trailing_zeros() % 8 == 0 && mask >> mask.trailing_zeros() == 0xff =>
            {
                mask.trailing_zeros() as u8
            }
            Some(_) => return Err(self.invalid("a mask of an address keeps exactly one byte")),
            None => 0,
        };
        match self.symbols.get(name) {
            Some(Symbol::Function(function)) => {
                let number = self.numbers.address(function).ok_or_else(|| {
                    Error::unsupported(
                        self.variable.span,
                        format!("the address of `{name}`, which has no body here"),
                    )
                })?;
                self.put(offset, number.wrapping_add(address.offset as u64) >> shift, width);
                Ok(())
            }
            Some(Symbol::Variable(index)) => {
                let Some(&target) = self.globals.offsets.get(&Declared::InModule(index)) else {
                    return Err(self.invalid(&format!("the address of `{name}` is not a constant")));
                };
                let target = (target as i64).wrapping_add(address.offset);
                self.put(offset, 0, width);
                let width = width.min(8) as u8;
                self.globals.layout.relocations.push(Relocation { offset, target, width, shift });
                Ok(())
            }
            None => Err(self.invalid(&format!("`{name}` is not declared"))),
        }
    }

    fn put(&mut self, offset: u64, bits: u64, width: u32) {
        let image = &mut self.globals.layout.image;
        let (start, width) = (offset as usize, width.min(8) as usize);
        if image.len() < start + width {
            image.resize(start + width, 0);
        }
        image[start..start + width].copy_from_slice(&bits.to_le_bytes()[..width]);
    }

    fn invalid(&self, message: &str) -> Error {
        Error::invalid(self.variable.span, format!("`{}`: {message}", self.variable.name))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    /// The expected bytes are those that ptxas 13.5 writes into the section of initial values.
    #[test]
    fn floating_point_constants_start_variables_of_all_types() {
        let cases: [(&str, &[u8]); 8] = [
            (".f64 x = 0f3F800000", &[0, 0, 0x80, 0x3f]),
            (".b64 x = 0f3F800000", &[0, 0, 0x80, 0x3f]),
            (".b64 x = 1.5", &[0, 0, 0, 0, 0, 0, 0xf8, 0x3f]),
            (".b32 x[2] = {1.5, 0d3FF8000012345678}", &[0, 0, 0xc0, 0x3f, 1, 0, 0xc0, 0x3f]),
            (".f32 x = 0d3FF0000000000000", &[0, 0, 0x80, 0x3f]),
            (".b16 x[2] = {0f3FC01234, 0d3FF8000012345678}", &[0x34, 0x12, 0x78, 0x56]),
            (".b16 x[2] = {1.5, 5}", &[0, 0, 5, 0]),
            (".b8 x[2] = {1.5, 0f3FC01234}", &[0, 0x34]),
        ];
        for (variable, bytes) in cases {
            let text = format!(".version 9.0\n.target sm_90\n.global .align 8 {variable};");
            let globals = crate::pipeline::analyze(&text).map(|analysis| analysis.globals);
            let mut image = globals.unwrap().layout.image;
            let zeros = bytes.len().max(image.len());
            image.resize(zeros, 0);
            assert_eq!(image[..bytes.len()], *bytes, "{variable}");
        }
    }
}
