//! Textures and surfaces: every instruction is a call of `zluda.texture.<words>`, which the device's runtime
//! answers.

use llvm_zluda::Value;
use ptx_parser::isa::{Istypep, Suld, Suq, Sured, Sust, Tex, Tld4, Txq};
use ptx_parser::{
    Address, AtomicOp, Geometry, Operand, ScalarType, SurfaceMode, TextureComponent, TextureQuery,
    VectorSize,
};
use simt_abi::{
    SurfaceBounds, SurfaceReduction, TEXTURE_RESULTS, TextureAction, TextureAttribute,
    TextureGeometry, TextureLevel, TextureObjectKind, TextureOperation, TextureType,
};

use super::Lowered;
use super::function::{Entity, FunctionLowering, word};
use super::operand::Width;

impl<'c, 'a> FunctionLowering<'_, '_, 'c, 'a> {
    pub fn tex(&mut self, i: &Tex<'a>) -> Lowered {
        let geometry = self.geometry(i.geom)?;
        let mut operation =
            TextureOperation::new(TextureAction::Sample, geometry, self.texel_type(i.dtype)?);
        operation.whole = i.ctype == ScalarType::S32;
        let mut words = self.object(&i.a)?;
        words.extend(self.sampler(i.b.as_ref())?);
        words.extend(self.coordinates(&i.c, geometry.coordinates(), i.ctype)?);
        if i.level {
            operation.level = TextureLevel::Level;
            words.push(self.wanted_word(i.lod.as_ref(), i.ctype)?);
        } else if i.grad {
            operation.level = TextureLevel::Grad;
            for slopes in [&i.d_pdx, &i.d_pdy] {
                let Some(slopes) = slopes else { return Err(self.invalid("slopes are missing")) };
                words.extend(self.coordinates(slopes, geometry.axes(), i.ctype)?);
            }
        } else if i.base {
            operation.level = TextureLevel::Base;
        }
        self.offset_and_depth(&mut operation, [i.e.as_ref(), i.f.as_ref()], &mut words)?;
        let results = self.texture_call(operation, &words);
        self.write_texels(&i.d, i.dtype, &results)?;
        self.write_presence(i.p.as_ref(), &results)
    }

    pub fn tld4(&mut self, i: &Tld4<'a>) -> Lowered {
        let geometry = self.geometry(i.geom)?;
        let mut operation =
            TextureOperation::new(TextureAction::Gather, geometry, self.texel_type(i.dtype)?);
        operation.detail = match i.comp {
            TextureComponent::R => 0,
            TextureComponent::G => 1,
            TextureComponent::B => 2,
            TextureComponent::A => 3,
        };
        let mut words = self.object(&i.a)?;
        words.extend(self.sampler(i.b.as_ref())?);
        words.extend(self.coordinates(&i.c, geometry.coordinates(), ScalarType::F32)?);
        self.offset_and_depth(&mut operation, [i.e.as_ref(), i.f.as_ref()], &mut words)?;
        let results = self.texture_call(operation, &words);
        self.write_texels(&i.d, i.dtype, &results)?;
        self.write_presence(i.p.as_ref(), &results)
    }

    pub fn txq(&mut self, i: &Txq<'a>) -> Lowered {
        let mut words = self.queried(&i.a)?;
        let level = match &i.lod {
            Some(level) => self.read_u32(level)?,
            None => self.i32(0),
        };
        words.push(level);
        self.query(&i.d, i.query, &words)
    }

    pub fn suq(&mut self, i: &Suq<'a>) -> Lowered {
        let mut words = self.queried(&i.a)?;
        words.push(self.i32(0));
        self.query(&i.d, i.query, &words)
    }

    fn query(&mut self, d: &Operand<'a>, query: TextureQuery, words: &[Value<'c>]) -> Lowered {
        use {TextureAttribute as A, TextureQuery as Q};
        let attribute = match query {
            Q::Width => A::Width,
            Q::Height => A::Height,
            Q::Depth => A::Depth,
            Q::ChannelDataType => A::ChannelDataType,
            Q::ChannelOrder => A::ChannelOrder,
            Q::NormalizedCoords => A::NormalizedCoords,
            Q::ArraySize => A::ArraySize,
            Q::NumMipmapLevels => A::NumMipmapLevels,
            Q::NumSamples => A::NumSamples,
            Q::ForceUnnormalizedCoords => A::ForceUnnormalizedCoords,
            Q::FilterMode => A::FilterMode,
            Q::AddrMode0 => A::AddrMode0,
            Q::AddrMode1 => A::AddrMode1,
            Q::AddrMode2 => A::AddrMode2,
            Q::MemoryLayout => A::MemoryLayout,
        };
        let operation = TextureOperation {
            detail: attribute as u8,
            ..TextureOperation::new(TextureAction::Query, TextureGeometry::D1, TextureType::B32)
        };
        let results = self.texture_call(operation, words);
        self.write(d, results[0])
    }

    pub fn istypep(&mut self, i: &Istypep<'a>) -> Lowered {
        let kind = match i.type_ {
            ScalarType::Texref => TextureObjectKind::Texture,
            ScalarType::Samplerref => TextureObjectKind::Sampler,
            _ => TextureObjectKind::Surface,
        };
        let operation = TextureOperation {
            detail: kind as u8,
            ..TextureOperation::new(TextureAction::IsType, TextureGeometry::D1, TextureType::B32)
        };
        let words = self.object(&i.a)?;
        let results = self.texture_call(operation, &words);
        let is = self.builder.trunc(results[0], self.context.i1());
        self.write(&i.p, is)
    }

    pub fn suld(&mut self, i: &Suld<'a>) -> Lowered {
        let geometry = self.geometry(i.geom)?;
        let count = element_count(i.vec);
        let operation = TextureOperation {
            count,
            bounds: bounds(i.mode),
            ..TextureOperation::new(TextureAction::Load, geometry, self.texel_type(i.dtype)?)
        };
        self.check_size(count, i.dtype)?;
        let mut words = self.object(&i.a)?;
        words.extend(self.coordinates(&i.b, geometry.coordinates(), ScalarType::S32)?);
        let results = self.texture_call(operation, &words);
        let values: Vec<_> = (0..usize::from(count))
            .map(|index| match i.dtype.bits() {
                64 => {
                    let wide = self.context.i64();
                    let low = self.builder.zext(results[2 * index], wide);
                    let high = self.builder.zext(results[2 * index + 1], wide);
                    self.builder.or(low, self.builder.shl(high, self.i64(32)))
                }
                bits => self.builder.trunc(results[index], self.context.int(bits)),
            })
            .collect();
        let elements = self.elements_or_one(&i.d, i.vec)?;
        self.check_elements(&elements, count)?;
        elements
            .iter()
            .zip(values)
            .try_for_each(|(element, value)| self.write_extended(element, value, Some(false)))
    }

    pub fn sust(&mut self, i: &Sust<'a>) -> Lowered {
        use ptx_parser::SurfaceFormat::P;
        let formatted = i.format == P;
        let geometry = self.geometry(i.geom)?;
        let count = element_count(i.vec);
        let action = if formatted { TextureAction::StoreFormatted } else { TextureAction::Store };
        let operation = TextureOperation {
            count,
            bounds: bounds(i.mode),
            ..TextureOperation::new(action, geometry, self.texel_type(i.ctype)?)
        };
        self.check_size(count, i.ctype)?;
        let mut words = self.object(&i.a)?;
        words.extend(self.coordinates(&i.b, geometry.coordinates(), ScalarType::S32)?);
        let elements = self.elements_or_one(&i.c, i.vec)?;
        self.check_elements(&elements, count)?;
        for element in &elements {
            self.push_value(element, i.ctype, &mut words)?;
        }
        self.texture_call(operation, &words);
        Ok(())
    }

    pub fn sured(&mut self, i: &Sured<'a>) -> Lowered {
        use ptx_parser::SurfaceFormat::P;
        let geometry = self.geometry(i.geom)?;
        let reduction = match i.op {
            AtomicOp::Add => SurfaceReduction::Add,
            AtomicOp::Min => SurfaceReduction::Min,
            AtomicOp::Max => SurfaceReduction::Max,
            AtomicOp::And => SurfaceReduction::And,
            AtomicOp::Or => SurfaceReduction::Or,
            other => return Err(self.invalid(format!("`sured.{}`", word(other)))),
        };
        let action =
            if i.format == P { TextureAction::ReduceFormatted } else { TextureAction::Reduce };
        let operation = TextureOperation {
            count: 1,
            detail: reduction as u8,
            bounds: bounds(Some(i.mode)),
            ..TextureOperation::new(action, geometry, self.texel_type(i.ctype)?)
        };
        let mut words = self.object(&i.a)?;
        words.extend(self.coordinates(&i.b, geometry.coordinates(), ScalarType::S32)?);
        self.push_value(&i.c, i.ctype, &mut words)?;
        self.texture_call(operation, &words);
        Ok(())
    }

    // ---- operands

    fn geometry(&self, geometry: Geometry) -> Lowered<TextureGeometry> {
        Ok(match geometry {
            Geometry::D1 => TextureGeometry::D1,
            Geometry::D2 => TextureGeometry::D2,
            Geometry::D3 => TextureGeometry::D3,
            Geometry::A1d => TextureGeometry::A1d,
            Geometry::A2d => TextureGeometry::A2d,
            Geometry::Cube => TextureGeometry::Cube,
            Geometry::Acube => TextureGeometry::Acube,
            Geometry::D2ms => TextureGeometry::D2ms,
            Geometry::A2dms => TextureGeometry::A2dms,
            other => return Err(self.invalid(format!("a texture of `.{}`", word(other)))),
        })
    }

    fn texel_type(&self, type_: ScalarType) -> Lowered<TextureType> {
        Ok(match type_ {
            ScalarType::U32 => TextureType::U32,
            ScalarType::S32 => TextureType::S32,
            ScalarType::F32 => TextureType::F32,
            ScalarType::F16 => TextureType::F16,
            ScalarType::F16x2 => TextureType::F16x2,
            ScalarType::B8 => TextureType::B8,
            ScalarType::B16 => TextureType::B16,
            ScalarType::B32 => TextureType::B32,
            ScalarType::B64 => TextureType::B64,
            ScalarType::U64 => TextureType::U64,
            ScalarType::S64 => TextureType::S64,
            other => return Err(self.invalid(format!("texels of `.{}`", word(other)))),
        })
    }

    /// A handle as two words: of a register, or what the variable or parameter holds.
    fn object(&mut self, operand: &Operand<'a>) -> Lowered<Vec<Value<'c>>> {
        let named = match operand {
            Operand::Name(name) => match self.entity(name)? {
                Entity::Memory { .. } | Entity::KernelParameter { .. } => Some(*name),
                _ => None,
            },
            _ => None,
        };
        let handle = match named {
            Some(name) => {
                let address = self.address_of(name, 0)?;
                let pointer = self.builder.int_to_ptr(address, self.generic_pointer());
                self.builder.load(self.context.i64(), pointer, 8)
            }
            None => self.read(operand, ScalarType::B64)?,
        };
        Ok(self.halves(handle).to_vec())
    }

    /// `[a]`
    fn queried(&mut self, address: &Address<'a>) -> Lowered<Vec<Value<'c>>> {
        match address.base {
            Some(name) if address.offset == 0 && address.index.is_none() => {
                self.object(&Operand::Name(name))
            }
            _ => self.object(&Operand::Offset(Box::new(address.clone()))),
        }
    }

    fn sampler(&mut self, operand: Option<&Operand<'a>>) -> Lowered<Vec<Value<'c>>> {
        match operand {
            Some(operand) => self.object(operand),
            None => Ok(vec![self.i32(0); 2]),
        }
    }

    fn halves(&self, wide: Value<'c>) -> [Value<'c>; 2] {
        let i32_type = self.context.i32();
        let high = self.builder.lshr(wide, self.i64(32));
        [self.builder.trunc(wide, i32_type), self.builder.trunc(high, i32_type)]
    }

    /// The first `count` words of a vector, which may have unused ones, or the one word of a scalar.
    fn coordinates(
        &mut self,
        operand: &Operand<'a>,
        count: usize,
        type_: ScalarType,
    ) -> Lowered<Vec<Value<'c>>> {
        let elements = match self.elements(operand) {
            Ok(elements) => elements,
            Err(_) if count == 1 => vec![operand.clone()],
            Err(error) => return Err(error),
        };
        if elements.len() < count {
            return Err(
                self.invalid(format!("{} coordinates where {count} are wanted", elements.len()))
            );
        }
        elements[..count].iter().map(|element| self.operand_word(element, type_)).collect()
    }

    /// A register of 32 bits as a word; constants are of `type_`.
    fn operand_word(&mut self, operand: &Operand<'a>, type_: ScalarType) -> Lowered<Value<'c>> {
        let value = self.read(operand, type_)?;
        Ok(self.bits_of(value))
    }

    fn wanted_word(
        &mut self,
        operand: Option<&Operand<'a>>,
        type_: ScalarType,
    ) -> Lowered<Value<'c>> {
        match operand {
            Some(operand) => self.operand_word(operand, type_),
            None => Err(self.invalid("an operand is missing")),
        }
    }

    /// `e` is an offset for each axis where it is a vector, and what is compared with otherwise.
    fn offset_and_depth(
        &mut self,
        operation: &mut TextureOperation,
        operands: [Option<&Operand<'a>>; 2],
        words: &mut Vec<Value<'c>>,
    ) -> Lowered {
        let axes = operation.geometry.axes();
        let [first, second] = operands;
        let is_offset = |this: &mut Self, operand: &Operand<'a>| match axes {
            // The offset of one axis may be a scalar: an integer, where depths are floats.
            1 if second.is_none() => !this.is_float(operand),
            1 => true,
            _ => this.elements(operand).is_ok(),
        };
        let (offset, depth) = match (first, second) {
            (Some(e), None) if !is_offset(self, e) => (None, Some(e)),
            both => both,
        };
        if let Some(offset) = offset {
            operation.offset = true;
            words.extend(self.coordinates(offset, axes, ScalarType::S32)?);
        }
        if let Some(depth) = depth {
            operation.compare = true;
            words.push(self.operand_word(depth, ScalarType::F32)?);
        }
        Ok(())
    }

    fn is_float(&mut self, operand: &Operand<'a>) -> bool {
        match operand {
            Operand::Name(name) => matches!(
                self.entity(name),
                Ok(Entity::Register { type_: ScalarType::F32, slots }) if slots.len() == 1
            ),
            Operand::Immediate(immediate) => immediate.integer().is_none(),
            _ => false,
        }
    }

    fn push_value(
        &mut self,
        operand: &Operand<'a>,
        type_: ScalarType,
        words: &mut Vec<Value<'c>>,
    ) -> Lowered {
        let value = self.read_width(operand, type_, Width::AtLeast)?;
        let bits = self.bits_of(value);
        if type_.bits() == 64 {
            words.extend(self.halves(bits));
        } else {
            words.push(self.builder.zext(bits, self.context.i32()));
        }
        Ok(())
    }

    fn check_size(&self, count: u8, type_: ScalarType) -> Lowered {
        if u32::from(count) * type_.bits() > 128 {
            return Err(self.invalid("more than 16 bytes of a surface at once"));
        }
        Ok(())
    }

    /// The elements of a vector, or the one element, which may stand in braces too.
    fn elements_or_one(
        &mut self,
        operand: &Operand<'a>,
        vector: Option<VectorSize>,
    ) -> Lowered<Vec<Operand<'a>>> {
        match self.elements(operand) {
            Err(_) if vector.is_none() => Ok(vec![operand.clone()]),
            elements => elements,
        }
    }

    fn check_elements(&self, elements: &[Operand<'a>], count: u8) -> Lowered {
        if elements.len() == usize::from(count) {
            return Ok(());
        }
        Err(self.invalid(format!("{} elements where {count} are wanted", elements.len())))
    }

    // ---- results

    fn texture_call(&self, operation: TextureOperation, words: &[Value<'c>]) -> Vec<Value<'c>> {
        let mut arguments = vec![self.i64(operation.encode())];
        arguments.extend(words);
        let name = format!("texture.{}", words.len());
        let made = self.zluda(&name, &arguments);
        (0..TEXTURE_RESULTS).map(|i| self.builder.extract_value(made, i as u32)).collect()
    }

    fn write_texels(
        &mut self,
        d: &Operand<'a>,
        type_: ScalarType,
        results: &[Value<'c>],
    ) -> Lowered {
        let elements = self.elements(d)?;
        self.check_elements(&elements, if type_ == ScalarType::F16x2 { 2 } else { 4 })?;
        for (element, &value) in elements.iter().zip(results) {
            let value = match type_ {
                ScalarType::F16 => self.builder.trunc(value, self.context.i16()),
                _ => value,
            };
            self.write(element, value)?;
        }
        Ok(())
    }

    fn write_presence(&mut self, p: Option<&Operand<'a>>, results: &[Value<'c>]) -> Lowered {
        match p {
            Some(p) => {
                let present = self.builder.trunc(results[4], self.context.i1());
                self.write(p, present)
            }
            None => Ok(()),
        }
    }
}

fn element_count(size: Option<VectorSize>) -> u8 {
    match size {
        None => 1,
        Some(VectorSize::V2) => 2,
        Some(VectorSize::V4) => 4,
        Some(VectorSize::V8) => 8,
    }
}

/// "If no mode is given, trap."
fn bounds(mode: Option<SurfaceMode>) -> SurfaceBounds {
    match mode {
        None | Some(SurfaceMode::Trap) => SurfaceBounds::Trap,
        Some(SurfaceMode::Clamp) => SurfaceBounds::Clamp,
        Some(SurfaceMode::Zero) => SurfaceBounds::Zero,
    }
}
