//! Attributes, metadata and module flags.

use llvm_sys::core::*;
use llvm_sys::{
    LLVMAttributeFunctionIndex, LLVMAttributeIndex, LLVMAttributeReturnIndex,
    LLVMModuleFlagBehavior,
};

use crate::{Context, Module, Type, Value};

/// The index of a parameter's attributes, at a function or a call.
fn parameter_index(parameter: u32) -> LLVMAttributeIndex {
    parameter + 1
}

impl Context {
    fn enum_attribute(
        &self,
        name: &str,
        value: u64,
    ) -> Option<llvm_sys::prelude::LLVMAttributeRef> {
        // SAFETY: pointer and length describe `name`; kind 0 means that LLVM does not know it.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            debug_assert_ne!(kind, 0, "no such attribute: {name}");
            (kind != 0).then(|| LLVMCreateEnumAttribute(self.raw(), kind, value))
        }
    }
}

/// The bits of the `memory` attribute, as LLVM encodes it: two bits a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryEffects {
    None,
    Read,
}

impl<'c> Module<'c> {
    /// Adds an attribute such as `nounwind` to a function.
    pub fn add_attribute(&self, function: Value<'c>, name: &str) {
        if let Some(attribute) = self.context().enum_attribute(name, 0) {
            // SAFETY: callers give functions only.
            unsafe { LLVMAddAttributeAtIndex(function.raw, LLVMAttributeFunctionIndex, attribute) }
        }
    }

    /// Adds an attribute with a number such as `uwtable` to a function.
    pub fn add_attribute_with_value(&self, function: Value<'c>, name: &str, value: u64) {
        if let Some(attribute) = self.context().enum_attribute(name, value) {
            // SAFETY: callers give functions only.
            unsafe { LLVMAddAttributeAtIndex(function.raw, LLVMAttributeFunctionIndex, attribute) }
        }
    }

    /// Says that a function gives an `i32` below `end`.
    pub fn limit_result(&self, function: Value<'c>, end: u32) {
        const NAME: &str = "range";
        // SAFETY: bounds of 32 bits are one word each; callers give functions with such a result.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
            let (first, end) = ([0u64], [u64::from(end)]);
            let attribute = LLVMCreateConstantRangeAttribute(
                self.context().raw(),
                kind,
                32,
                first.as_ptr(),
                end.as_ptr(),
            );
            LLVMAddAttributeAtIndex(function.raw, LLVMAttributeReturnIndex, attribute)
        }
    }

    /// Adds an attribute with a number such as `align` or `dereferenceable` to a parameter.
    pub fn add_parameter_attribute(
        &self,
        function: Value<'c>,
        parameter: u32,
        name: &str,
        value: u64,
    ) {
        if let Some(attribute) = self.context().enum_attribute(name, value) {
            // SAFETY: callers give functions and parameters that they have.
            unsafe { LLVMAddAttributeAtIndex(function.raw, parameter_index(parameter), attribute) }
        }
    }

    /// Adds an attribute with a type such as `byref` or `byval` to a parameter.
    pub fn add_parameter_type_attribute(
        &self,
        function: Value<'c>,
        parameter: u32,
        name: &str,
        ty: Type<'c>,
    ) {
        // SAFETY: callers give functions and parameters that they have.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            debug_assert_ne!(kind, 0, "no such attribute: {name}");
            let attribute = LLVMCreateTypeAttribute(self.context().raw(), kind, ty.raw);
            LLVMAddAttributeAtIndex(function.raw, parameter_index(parameter), attribute)
        }
    }

    /// Adds `"name"="value"` to a function.
    pub fn add_string_attribute(&self, function: Value<'c>, name: &str, value: &str) {
        // SAFETY: pointers and lengths describe the texts; callers give functions only.
        unsafe {
            let attribute = LLVMCreateStringAttribute(
                self.context().raw(),
                name.as_ptr().cast(),
                name.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            );
            LLVMAddAttributeAtIndex(function.raw, LLVMAttributeFunctionIndex, attribute)
        }
    }

    /// The value of a function's `"name"="value"`.
    pub fn string_attribute(&self, function: Value<'c>, name: &str) -> Option<String> {
        // SAFETY: LLVM returns null or an attribute whose text lives as long as the context.
        unsafe {
            let attribute = LLVMGetStringAttributeAtIndex(
                function.raw,
                LLVMAttributeFunctionIndex,
                name.as_ptr().cast(),
                name.len() as u32,
            );
            if attribute.is_null() {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetStringAttributeValue(attribute, &mut length);
            if length == 0 {
                return Some(String::new());
            }
            Some(
                String::from_utf8_lossy(std::slice::from_raw_parts(text.cast(), length as usize))
                    .into_owned(),
            )
        }
    }

    /// Whether a function has an enum attribute, by LLVM's name of it.
    pub fn has_attribute(&self, function: Value<'c>, name: &str) -> bool {
        // SAFETY: LLVM returns null where the attribute is not there.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(function.raw, LLVMAttributeFunctionIndex, kind).is_null()
        }
    }

    /// Removes `name` from a function.
    pub fn remove_attribute(&self, function: Value<'c>, name: &str) {
        // SAFETY: removing what is not there does nothing.
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMRemoveEnumAttributeAtIndex(function.raw, LLVMAttributeFunctionIndex, kind)
        }
    }

    /// `memory(none)` or `memory(read)`.
    pub fn set_memory_effects(&self, function: Value<'c>, effects: MemoryEffects) {
        let bits = match effects {
            MemoryEffects::None => 0,
            // ref = 1 for each location, two bits apart.
            MemoryEffects::Read => 0x5555_5555 & LOCATION_BITS,
        };
        if let Some(attribute) = self.context().enum_attribute("memory", bits) {
            // SAFETY: callers give functions only.
            unsafe { LLVMAddAttributeAtIndex(function.raw, LLVMAttributeFunctionIndex, attribute) }
        }
    }

    /// Adds a module flag with an integer, which must not be there with another value.
    pub fn add_flag(&self, name: &str, value: u32) {
        // SAFETY: the metadata belongs to the context.
        unsafe {
            let constant = self.context().i32().const_int(value as u64);
            LLVMAddModuleFlag(
                self.raw(),
                LLVMModuleFlagBehavior::LLVMModuleFlagBehaviorError,
                name.as_ptr().cast(),
                name.len(),
                LLVMValueAsMetadata(constant.raw),
            )
        }
    }
}

/// Two bits for each of the locations that LLVM 22 tells apart: argument memory, inaccessible memory,
/// errno, other, and two of targets.
const LOCATION_BITS: u64 = 0xfff;

impl<'c> Value<'c> {
    /// Adds an attribute such as `alwaysinline` to a call.
    pub fn add_call_attribute(self, context: &'c Context, name: &str) {
        if let Some(attribute) = context.enum_attribute(name, 0) {
            // SAFETY: callers give calls only.
            unsafe { LLVMAddCallSiteAttribute(self.raw, LLVMAttributeFunctionIndex, attribute) }
        }
    }

    /// Says how a pointer argument of a call is aligned, in bytes.
    pub fn set_argument_alignment(self, context: &'c Context, argument: u32, bytes: u32) {
        if let Some(attribute) = context.enum_attribute("align", u64::from(bytes)) {
            // SAFETY: callers give calls, and arguments that they have.
            unsafe { LLVMAddCallSiteAttribute(self.raw, parameter_index(argument), attribute) }
        }
    }

    /// Says of a call that control comes there seldom.
    pub fn set_cold(self, context: &'c Context) {
        if let Some(attribute) = context.enum_attribute("cold", 0) {
            // SAFETY: callers give calls only.
            unsafe {
                LLVMAddCallSiteAttribute(self.raw, LLVMAttributeFunctionIndex, attribute);
            }
        }
    }

    /// Attaches `!name !{}` to an instruction, such as `invariant.load`.
    pub fn add_empty_metadata(self, context: &'c Context, name: &str) {
        // SAFETY: the node belongs to the context; callers give instructions only.
        unsafe {
            let kind =
                LLVMGetMDKindIDInContext(context.raw(), name.as_ptr().cast(), name.len() as u32);
            let node = LLVMMDNodeInContext2(context.raw(), std::ptr::null_mut(), 0);
            LLVMSetMetadata(self.raw, kind, LLVMMetadataAsValue(context.raw(), node))
        }
    }

    /// Attaches `!name !{i64 number}` to an instruction, such as `dereferenceable`.
    pub fn add_number_metadata(self, context: &'c Context, name: &str, number: u64) {
        // SAFETY: node and constant belong to the context; callers give instructions only.
        unsafe {
            let kind =
                LLVMGetMDKindIDInContext(context.raw(), name.as_ptr().cast(), name.len() as u32);
            let mut operand = LLVMValueAsMetadata(context.i64().const_int(number).raw);
            let node = LLVMMDNodeInContext2(context.raw(), &mut operand, 1);
            LLVMSetMetadata(self.raw, kind, LLVMMetadataAsValue(context.raw(), node))
        }
    }

    /// Attaches `!noalias.addrspace` to an atomic access: it is in none of the address spaces from `first` up to, and
    /// without, `end`.
    pub fn exclude_address_spaces(self, context: &'c Context, first: u32, end: u32) {
        const NAME: &str = "noalias.addrspace";
        // SAFETY: node and constants belong to the context; callers give instructions only.
        unsafe {
            let kind =
                LLVMGetMDKindIDInContext(context.raw(), NAME.as_ptr().cast(), NAME.len() as u32);
            let mut bounds = [first, end]
                .map(|bound| LLVMValueAsMetadata(context.i32().const_int(bound.into()).raw));
            let node = LLVMMDNodeInContext2(context.raw(), bounds.as_mut_ptr(), bounds.len());
            LLVMSetMetadata(self.raw, kind, LLVMMetadataAsValue(context.raw(), node))
        }
    }

    /// The number of [`Self::add_number_metadata`].
    pub fn number_metadata(self, context: &'c Context, name: &str) -> Option<u64> {
        // SAFETY: LLVM returns null where nothing is attached, and writes as many operands as it says; callers
        // give instructions only.
        unsafe {
            let kind =
                LLVMGetMDKindIDInContext(context.raw(), name.as_ptr().cast(), name.len() as u32);
            let node = LLVMGetMetadata(self.raw, kind);
            if node.is_null() || LLVMGetMDNodeNumOperands(node) != 1 {
                return None;
            }
            let mut operand = std::ptr::null_mut();
            LLVMGetMDNodeOperands(node, &mut operand);
            Value::new(operand).as_const_int()
        }
    }

    /// Whether metadata of this name is attached to an instruction.
    pub fn has_metadata(self, context: &'c Context, name: &str) -> bool {
        // SAFETY: LLVM returns null where nothing is attached; callers give instructions only.
        unsafe {
            let kind =
                LLVMGetMDKindIDInContext(context.raw(), name.as_ptr().cast(), name.len() as u32);
            !LLVMGetMetadata(self.raw, kind).is_null()
        }
    }

    /// The name of the function that a `call` calls; empty for an indirect call.
    pub fn called_name(self) -> String {
        let callee = self.callee();
        if callee.is_function() { callee.name() } else { String::new() }
    }
}

/// LLVM's version, "22.1.8".
pub fn llvm_version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: LLVM writes three numbers.
    unsafe { LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}
