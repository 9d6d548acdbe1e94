//! Lanes in memory, of which one or a few are stored or loaded at a time.
//!
//! LLVM keeps vectors of integers without gaps: in one of `i33` the second element begins at the 34th bit. Integers of such
//! widths come of clamps and of what `instcombine` and SROA make. In memory whose elements are looked for by their number they
//! are as wide as their place.

use llvm_zluda::{Builder, Module, Type, Value};

/// An element, or a vector of them, as it is in memory.
pub(crate) fn kept<'c>(module: &Module<'c>, ty: Type<'c>) -> Type<'c> {
    let element = if ty.is_vector() { ty.element() } else { ty };
    let bits = module.size_of(element) as u32 * 8;
    if !element.is_int() || element.bits() == bits {
        return ty;
    }
    let wide = module.context().int(bits);
    if ty.is_vector() { wide.vector(ty.len() as u32) } else { wide }
}

/// Stores an element, or elements that follow each other.
pub(crate) fn store<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    value: Value<'c>,
    place: Value<'c>,
    align: u32,
) {
    let ty = kept(module, value.ty());
    let value = if ty == value.ty() { value } else { b.zext(value, ty) };
    b.store(value, place, align);
}

/// Loads a value of this type, which [`store`] stored, alone or as a part of another one. `align` is in bytes.
pub(crate) fn load<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    ty: Type<'c>,
    place: Value<'c>,
    align: u32,
) -> Value<'c> {
    let kept = kept(module, ty);
    let value = b.load(kept, place, align);
    if kept == ty { value } else { b.trunc(value, ty) }
}

/// The address of the element with a number.
pub(crate) fn place_of<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    element: Type<'c>,
    row: Value<'c>,
    number: Value<'c>,
) -> Value<'c> {
    b.gep(kept(module, element), row, &[number])
}

/// The element of a number.
pub(crate) fn load_element<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    element: Type<'c>,
    row: Value<'c>,
    number: Value<'c>,
) -> Value<'c> {
    let place = place_of(module, b, element, row, number);
    load(module, b, element, place, module.align_of(element))
}

/// Stores the element with a number.
pub(crate) fn store_element<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    value: Value<'c>,
    row: Value<'c>,
    number: Value<'c>,
) {
    let place = place_of(module, b, value.ty(), row, number);
    store(module, b, value, place, module.align_of(value.ty()));
}
