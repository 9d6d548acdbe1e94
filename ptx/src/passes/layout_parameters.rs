//! Input: the parameters of a kernel or function, in order.
//! Output: the offset, size and alignment of each, and the size of all.
//! Why here: kernel descriptions and lowering share it; it needs nothing but the tree.

use ptx_parser::Variable;

use crate::info::ParamInfo;

/// Bytes of a variable in memory, from its type, vector size and dimensions. An unsized array has 0.
pub fn size_of(variable: &Variable<'_>) -> u64 {
    variable
        .dimensions
        .iter()
        .fold(element_size(variable), |size, &length| size.saturating_mul(length))
}

/// Bytes of one element: of its type, or its vector.
pub fn element_size(variable: &Variable<'_>) -> u64 {
    u64::from(variable.type_.size()) * variable.vector.map_or(1, lanes)
}

/// The declared alignment, else the natural one, in bytes; a power of two.
pub fn align_of(variable: &Variable<'_>) -> u64 {
    variable.align.map_or_else(|| element_size(variable).max(1), u64::from).next_power_of_two()
}

/// The elements of a vector.
pub fn lanes(size: ptx_parser::VectorSize) -> u64 {
    match size {
        ptx_parser::VectorSize::V2 => 2,
        ptx_parser::VectorSize::V4 => 4,
        ptx_parser::VectorSize::V8 => 8,
    }
}

/// CUDA's layout: each parameter at the next multiple of its alignment. The second result is the size
/// in bytes, without padding at the end.
pub fn run(parameters: &[Variable<'_>]) -> (Vec<ParamInfo>, u32) {
    let mut end = 0u64;
    let layout = parameters
        .iter()
        .map(|parameter| {
            let (size, align) = (size_of(parameter), align_of(parameter));
            let offset = end.next_multiple_of(align);
            end = offset.saturating_add(size);
            ParamInfo { offset: clamp(offset), size: clamp(size), align: clamp(align) }
        })
        .collect();
    (layout, clamp(end))
}

fn clamp(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
