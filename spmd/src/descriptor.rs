//! The `<kernel>.kd` constant that tells the engine how to run a kernel ([`cpu_abi::KernelDescriptor`]).

use cpu_abi::{ABI_VERSION, DESCRIPTOR_SUFFIX, KernelKind, MAGIC};
use llvm_zluda::{Linkage, Module, Opcode, Value};

use crate::Error;

/// The fields of a descriptor that are not the same for all kernels.
#[derive(Clone, Debug)]
pub struct Description {
    pub kind: KernelKind,
    /// `cpu_abi::FLAG_*`
    pub flags: u32,
    pub param_size: u32,
    pub static_shared_size: u32,
    pub max_threads_per_block: u32,
}

/// The index of the field of a descriptor that holds the flags.
const FLAGS: usize = 3;
/// The index of the field that holds the size of local memory.
const LOCAL_SIZE: usize = 7;
/// The index of that which holds the size of a warp's frame.
const FRAME_SIZE: usize = 9;

/// Adds the descriptor of the kernel `name` with the given entry function; both become the only exported
/// symbols of the object.
pub fn emit<'c>(module: &Module<'c>, name: &str, entry: Value<'c>, description: &Description) {
    let context = module.context();
    let word = |value: u32| context.i32().const_int(value as u64);
    // In the order of the fields of `KernelDescriptor`.
    let fields = [
        word(MAGIC),
        word(ABI_VERSION),
        word(description.kind as u32),
        word(description.flags),
        entry,
        word(description.param_size),
        word(description.static_shared_size),
        // Known when the code is: see `note_frames`.
        word(0),
        word(description.max_threads_per_block),
        // Known behind `return_at_barriers`.
        word(0),
    ];
    let constant = context.const_structure(&fields);
    let global = module.add_global(
        &format!("{name}{DESCRIPTOR_SUFFIX}"),
        constant.ty(),
        0,
        Linkage::LLVMExternalLinkage,
    );
    global.set_initializer(constant);
    global.set_global_constant(true);
    global.set_alignment(8);
}

/// Tells the descriptor what the functions of lowered code keep on the stack, for each thread: its variables, and fragments
/// of matrices. A call of vector code keeps those of `lanes` threads.
pub fn note_frames(module: &Module<'_>, lanes: u32) {
    let bytes: u64 = module
        .functions()
        .into_iter()
        .flat_map(|function| function.blocks())
        .flat_map(|block| block.instructions())
        .filter(|instruction| instruction.opcode() == Opcode::LLVMAlloca)
        .map(|alloca| module.size_of(alloca.allocated_type()))
        .fold(0, u64::saturating_add);
    set(module, LOCAL_SIZE, u32::try_from(bytes / u64::from(lanes)).unwrap_or(u32::MAX));
}

/// Tells the descriptor what the entry keeps for each warp that has returned, in bytes. Fails if it is beyond measure.
pub fn note_frame_of_warp(module: &Module<'_>, bytes: u64) -> Result<(), Error> {
    let bytes = u32::try_from(bytes)
        .map_err(|_| Error::Unsupported("a warp that keeps 4 GiB at barriers".to_owned()))?;
    set(module, FRAME_SIZE, bytes);
    Ok(())
}

/// Adds flags.
pub fn note_flags(module: &Module<'_>, flags: u32) {
    change(module, FLAGS, |before| before | flags);
}

fn set(module: &Module<'_>, field: usize, value: u32) {
    change(module, field, |_| value);
}

fn change(module: &Module<'_>, field: usize, make: impl FnOnce(u32) -> u32) {
    let globals = module.globals().into_iter();
    let mut descriptors = globals.filter(|global| global.name().ends_with(DESCRIPTOR_SUFFIX));
    let Some((global, constant)) =
        descriptors.find_map(|global| Some((global, global.initializer()?)))
    else {
        return;
    };
    let mut fields = constant.operands();
    let before = fields[field].as_const_int().and_then(|number| u32::try_from(number).ok());
    fields[field] = module.context().i32().const_int(make(before.unwrap_or(0)).into());
    global.set_initializer(module.context().const_structure(&fields));
}
