//! Intrinsics whose first argument is a number that says what to do: `zluda.matrix` and `zluda.texture`. Each
//! distinct number becomes a function of its own, in which the device library's code for all of them meets the
//! constant, so that LLVM leaves what the operation needs. For the most frequent numbers that has been done when the
//! product was built.
//!
//! Input: calls of these intrinsics with a constant. Output: calls of functions for each number, which call the library's.
//! Why here: before the library is linked, which has the functions that these ones call.

use llvm_zluda::{Linkage, Module, Value};
use rustc_hash::FxHashMap;
use simt::intrinsics::PREFIX;
use simt_abi::{MatrixKind, MatrixOperation, MatrixType, TextureAction, TextureOperation};

use crate::gpu::MatrixUnit;
use crate::intrinsics::OWN;
use crate::library::{self, Library};
use crate::{Error, Matrices};

/// The functions that operations which are code already are made of (library/build/ready_made.rs).
const READY_MADE: [&str; 2] = ["zluda.amd.matrix.multiply", "zluda.amd.matrix.doubles"];
const LOOK_UP: &str = "zluda.amd.texture.look_up";
/// All look-ups, as code: of the operation in two words and so many others.
const READY_MADE_LOOK_UP: &str = "zluda.amd.texture.sample";
const LOOK_UP_WORDS: usize = 20;
/// Columns of a tile of a product of a group of warps.
const TILE: u16 = 8;

/// The function of the device library that does an operation: `void (i64 operation, ptr words, ptr results)`.
fn implementation(
    intrinsic: &str,
    operation: u64,
    unit: MatrixUnit,
    matrices: Matrices,
) -> Option<&'static str> {
    if intrinsic.starts_with("zluda.texture.") {
        return Some(match TextureOperation::decode(operation)?.action {
            TextureAction::Sample | TextureAction::Gather => LOOK_UP,
            TextureAction::Query => "zluda.amd.texture.query",
            TextureAction::IsType => "zluda.amd.texture.is_type",
            _ => "zluda.amd.texture.surface",
        });
    }
    let operation = MatrixOperation::unpack(operation)?;
    if has_instruction(&operation, unit, matrices) {
        return match unit {
            MatrixUnit::Wmma3 => Some("zluda.amd.matrix.rdna3"),
            MatrixUnit::Wmma4 => Some("zluda.amd.matrix.rdna4"),
            MatrixUnit::Mfma1 | MatrixUnit::Mfma2 => Some("zluda.amd.matrix.cdna2"),
            MatrixUnit::Mfma3 | MatrixUnit::Mfma4 => Some("zluda.amd.matrix.cdna3"),
            MatrixUnit::None => None,
        };
    }
    Some(match operation.kind {
        MatrixKind::Multiply if operation.is_quad_pairs() => "zluda.amd.matrix.quad_pairs",
        MatrixKind::Multiply if operation.a == MatrixType::F64 => "zluda.amd.matrix.doubles",
        MatrixKind::Multiply => "zluda.amd.matrix.multiply",
        MatrixKind::WarpGroup => "zluda.amd.matrix.warp_group",
        MatrixKind::Load => "zluda.amd.matrix.load",
        MatrixKind::Store => "zluda.amd.matrix.store",
        MatrixKind::Transpose => "zluda.amd.matrix.transpose",
    })
}

/// Whether instructions of the GPU may do it: products of integers are the same everywhere.
fn has_instruction(operation: &MatrixOperation, unit: MatrixUnit, matrices: Matrices) -> bool {
    use MatrixType::{Bf16, F16, F32, S8, U8};
    let MatrixOperation { a, b, c, d, .. } = *operation;
    let fits = unit != MatrixUnit::None
        && operation.kind == MatrixKind::Multiply
        && (operation.m, operation.n) == (16, 8)
        && !operation.sparse
        && operation.scale.is_none();
    let fast = matrices == Matrices::Fast && (c, d) == (F32, F32);
    fits && match (a, b, operation.k) {
        (F16, F16, 8 | 16) => fast,
        (Bf16, Bf16, 8 | 16) => fast && unit != MatrixUnit::Mfma1,
        (S8, S8, 16 | 32) => true,
        // MFMA has signed numbers only.
        (S8 | U8, S8 | U8, 16 | 32) => matches!(unit, MatrixUnit::Wmma3 | MatrixUnit::Wmma4),
        _ => false,
    }
}

/// Replaces the calls of these intrinsics. What is no operation stays, and is refused for it.
pub fn run(
    module: &Module<'_>,
    library: Library,
    unit: MatrixUnit,
    matrices: Matrices,
) -> Result<(), Error> {
    for intrinsic in module.functions() {
        let name = intrinsic.name();
        let ours = name.starts_with("zluda.matrix.") || name.starts_with("zluda.texture.");
        if ours && intrinsic.is_declaration() {
            specialise_calls(module, library, intrinsic, &name, |number| {
                implementation(&name, number, unit, matrices)
            })?;
        }
    }
    Ok(())
}

fn specialise_calls<'c>(
    module: &Module<'c>,
    library: Library,
    intrinsic: Value<'c>,
    name: &str,
    implementation: impl Fn(u64) -> Option<&'static str>,
) -> Result<(), Error> {
    let mut calls: FxHashMap<u64, Vec<Value<'c>>> = FxHashMap::default();
    for call in intrinsic.users().into_iter().filter(|user| user.is_instruction()) {
        let number = call.arguments().first().and_then(|number| number.as_const_int());
        if let Some(number) = number {
            calls.entry(number).or_default().push(call);
        }
    }
    for (number, calls) in calls {
        let Some(implementation) = implementation(number) else { continue };
        if implementation == LOOK_UP && library.is_ready_made(READY_MADE_LOOK_UP) {
            for call in calls {
                look_up(module, call, number);
            }
            continue;
        }
        let own = format!("{name}.{number:x}");
        let is_ready_made = READY_MADE.contains(&implementation) && library.is_ready_made(&own);
        let own = if is_ready_made { own } else { name_of(name, number, implementation) };
        let function = declare(module, intrinsic, &own);
        for call in &calls {
            replace(module, *call, function, &call.arguments()[1..]);
        }
        if is_ready_made {
            continue;
        }
        if library::file_of(&own).is_some() {
            library::add_file(module, &own)?;
        } else if let Some(tile) = tile_of(library, number) {
            define_of_tiles(module, function, &tile);
        } else {
            define(module, function, number, implementation);
        }
        // Linking puts another one in its place.
        if let Some(function) = module.function(&own).filter(|_| calls.len() > 1) {
            module.add_attribute(function, "noinline");
        }
    }
    Ok(())
}

/// The name of an operation that is no code yet: library/build/specialised.rs has the most frequent ones as bitcode.
fn name_of(intrinsic: &str, number: u64, implementation: &str) -> String {
    let body = implementation.rsplit('.').next().unwrap_or_default();
    format!("{intrinsic}.{number:x}.{body}")
}

/// A product of a group of warps with eight columns, if there is code for that.
fn tile_of(library: Library, number: u64) -> Option<MatrixOperation> {
    let whole = MatrixOperation::unpack(number).filter(|it| it.kind == MatrixKind::WarpGroup)?;
    let tile = MatrixOperation { n: TILE, ..whole };
    library.is_ready_made(&name_of_tile(&tile)).then_some(tile)
}

fn name_of_tile(tile: &MatrixOperation) -> String {
    format!("zluda.matrix.tile.{:x}", tile.pack())
}

/// A product with more columns is one tile after the other, each with its part of the accumulator and its number.
fn define_of_tiles<'c>(module: &Module<'c>, function: Value<'c>, tile: &MatrixOperation) {
    let context = module.context();
    let word = context.i32();
    let words = tile.words();
    let results = function.value_type().result();
    let each = words.c as usize;
    let ty = context.structure(&vec![word; each], false);
    let ty = context.function_type(ty, &vec![word; words.inputs() as usize + 1]);
    let product = module.declare_function(&name_of_tile(tile), ty);
    for attribute in ["nounwind", "convergent"] {
        module.add_attribute(product, attribute);
    }
    function.set_linkage(Linkage::LLVMInternalLinkage);
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let parameters = function.parameters();
    let (factors, rest) = parameters.split_at((words.a + words.b) as usize);
    let (sums, more) = rest.split_at(rest.len() - words.more as usize);
    let mut all = results.poison();
    for (number, sums) in sums.chunks(each).enumerate() {
        let own = [word.const_int(number as u64)];
        let tile = builder.call(product, &[factors, sums, more, &own].concat());
        for index in 0..each {
            let value = builder.extract_value(tile, index as u32);
            all = builder.insert_value(all, value, (number * each + index) as u32);
        }
    }
    builder.ret(all);
}

/// Makes a look-up of the function that has all of them.
fn look_up<'c>(module: &Module<'c>, call: Value<'c>, operation: u64) {
    let context = module.context();
    let word = context.i32();
    let ty = context.function_type(call.ty(), &[word; 2 + LOOK_UP_WORDS]);
    let function = module.declare_function(READY_MADE_LOOK_UP, ty);
    for attribute in ["nounwind", "convergent"] {
        module.add_attribute(function, attribute);
    }
    let mut arguments =
        vec![word.const_int(operation & 0xffff_ffff), word.const_int(operation >> 32)];
    arguments.extend(&call.arguments()[1..]);
    arguments.resize(2 + LOOK_UP_WORDS, word.poison());
    replace(module, call, function, &arguments);
}

fn replace<'c>(module: &Module<'c>, call: Value<'c>, function: Value<'c>, arguments: &[Value<'c>]) {
    let builder = module.context().builder();
    builder.position_before(call);
    let result = builder.call(function, arguments);
    if call.has_uses() {
        call.replace_all_uses_with(result);
    }
    call.erase();
}

/// A function of the intrinsic's arguments but the first one.
fn declare<'c>(module: &Module<'c>, intrinsic: Value<'c>, name: &str) -> Value<'c> {
    let results = intrinsic.value_type().result();
    let words = intrinsic.parameter_count() - 1;
    let context = module.context();
    let ty = context.function_type(results, &vec![context.i32(); words as usize]);
    let function = module.add_function(name, ty);
    for attribute in ["nounwind", "convergent"] {
        module.add_attribute(function, attribute);
    }
    function
}

fn define<'c>(module: &Module<'c>, function: Value<'c>, number: u64, implementation: &str) {
    let context = module.context();
    let (generic, word, wide) = (context.ptr(0), context.i32(), context.i64());
    let body = OWN.declare(module, implementation.trim_start_matches(PREFIX), 3);
    let results = function.value_type().result();
    let words = function.parameter_count();
    function.set_linkage(Linkage::LLVMInternalLinkage);
    let builder = context.builder();
    builder.position_at_end(module.append_block(function, "entry"));
    let room = |count: u32| {
        let own = builder.alloca(word.array(count.max(1).into()));
        builder.addr_space_cast(own, generic)
    };
    let place = |base: Value<'c>, index: u32| {
        builder.byte_offset(base, wide.const_int(4 * u64::from(index)))
    };
    let count = if results.is_void() { 0 } else { results.fields().len() as u32 };
    let (from, to) = (room(words), room(count));
    for (index, value) in function.parameters().into_iter().enumerate() {
        builder.store(value, place(from, index as u32), 4);
    }
    builder.call(body, &[wide.const_int(number), from, to]);
    if count == 0 {
        builder.ret_void();
        return;
    }
    let mut all = results.poison();
    for index in 0..count {
        all = builder.insert_value(all, builder.load(word, place(to, index), 4), index);
    }
    builder.ret(all);
}

#[cfg(test)]
mod tests {
    use super::{MatrixUnit, implementation, name_of};
    use crate::Matrices;
    use crate::library;
    use simt_abi::{MatrixKind, MatrixOperation, MatrixType};

    /// They have the names that the build gives them, or they would be made of the library's code again.
    #[test]
    fn frequent_operations_are_there() {
        let load = MatrixOperation::new(MatrixKind::Load, 8, 8, 4, MatrixType::B16);
        let mut product = MatrixOperation::new(MatrixKind::Multiply, 16, 8, 32, MatrixType::S8);
        (product.c, product.d, product.saturate) = (MatrixType::S32, MatrixType::S32, true);
        for (intrinsic, operation, body) in
            [("zluda.matrix.memory.4.1", load, "load"), ("zluda.matrix.4.10", product, "cdna3")]
        {
            let number = operation.pack();
            let implementation =
                implementation(intrinsic, number, MatrixUnit::Mfma3, Matrices::Exact)
                    .expect("code");
            assert!(implementation.ends_with(body), "{implementation}");
            assert!(library::file_of(&name_of(intrinsic, number, implementation)).is_some());
        }
    }
}
