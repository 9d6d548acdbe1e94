//! The interface between per-thread IR and all who run it: numbers in the code, and structures in memory that kernels read.
//!
//! `ptx/` puts the numbers of [operations](MatrixOperation) into per-thread IR; the engine of x86-64 code and the device
//! library of AMD GPUs do what they say. What only one kind of device has is in `cpu_abi` and `amd_abi`.

mod matrix;
pub mod mbarrier;
mod tensor;
pub mod tensor_map;
pub mod texel_format;
mod texture;
pub mod texture_object;

pub use matrix::{
    BlockScale, MatrixKind, MatrixOperation, MatrixRounding, MatrixType, MatrixWords,
};
pub use tensor::{Reduction, TensorField, TensorMode, TensorReduction};
pub use texture::{
    SurfaceBounds, SurfaceReduction, TEXTURE_RESULTS, TextureAction, TextureAttribute,
    TextureGeometry, TextureLevel, TextureObjectKind, TextureOperation, TextureType, sampler_word,
};

/// Lanes in a warp.
pub const WARP_SIZE: u32 = 32;

/// Blocks in a cluster at most.
pub const MAX_CLUSTER_BLOCKS: u32 = 16;
