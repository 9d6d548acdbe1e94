//! The facts that a driver needs of a module without compiling it: its kernels and its globals. All of
//! them can be kept as bytes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A kernel: its parameters, and the resources that it asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInfo {
    pub name: String,
    pub params: Vec<ParamInfo>,
    /// Bytes of CUDA's parameters.
    pub param_size: u32,
    /// The offset of the hidden parameters, in bytes: `param_size` rounded up to 8.
    pub hidden_offset: u32,
    /// Bytes of the whole parameter buffer.
    pub total_param_size: u32,
    /// Bytes of statically declared shared memory of the kernel and the functions that it reaches.
    pub static_shared: u32,
    /// The same of machine code that was lifted, where its PTX takes more.
    pub machine_code_shared: Option<u32>,
    /// Bytes of the module's `.const` variables, whether the kernel reads them or not.
    pub const_size: u32,
    /// Bytes of `.local` variables of the kernel and the functions that it reaches; of machine code, what its file says.
    pub local_size: u32,
    /// Threads in a block at most; 1024 where the kernel does not say.
    pub max_threads: u32,
    /// `.maxntid`, absent dimensions as 1.
    pub maxntid: Option<[u32; 3]>,
    /// `.reqntid`: the exact size of a block.
    pub reqntid: Option<[u32; 3]>,
    /// `.reqnctapercluster`: blocks in a cluster along each axis.
    pub cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: launches have to say how large clusters are.
    pub explicit_cluster: bool,
    /// `.maxclusterrank`: blocks in a cluster at most.
    pub max_cluster_blocks: Option<u32>,
    /// `.blocksareclusters`: the grid of a launch counts clusters.
    pub grid_of_clusters: bool,
    /// `.minnctapersm`
    pub min_blocks: Option<u32>,
    /// The architecture that the module is for, `.target`: 75 for `sm_75`. Of machine code, what it was compiled for.
    pub architecture: u32,
    /// Registers of a thread, of machine code that was lifted.
    pub registers: Option<u32>,
    /// `.visible` or `.weak`: programs can ask for it by name.
    pub visible: bool,
    /// The number that stands for it where code takes its address; 0 if none does. Kernels of machine code from several files may
    /// have the same.
    pub address: u64,
    /// It, or a function that it reaches, launches graphs.
    pub launches_graphs: bool,
    /// Why the kernel cannot be compiled, as far as reading the module tells.
    pub error: Option<KernelError>,
}

/// An error in a kernel or in a function that it reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelError {
    /// The PTX breaks the language's rules; otherwise it is not known yet.
    pub invalid: bool,
    /// All errors with their places.
    pub text: String,
}

/// A parameter of a kernel. Offsets and sizes are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParamInfo {
    pub offset: u32,
    pub size: u32,
    pub align: u32,
}

/// The segment that holds a module's `.global` and `.const` variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalLayout {
    /// Bytes.
    pub size: u64,
    pub align: u64,
    pub vars: Vec<GlobalVar>,
    /// The first bytes of the segment; the rest, up to `size`, is 0.
    pub image: Vec<u8>,
    /// The addresses that go into the image once that of the segment is known.
    pub relocations: Vec<Relocation>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalVar {
    pub name: String,
    /// From the start of the segment.
    pub offset: u64,
    pub size: u64,
    pub align: u64,
    pub space: GlobalSpace,
    /// `.visible`, `.weak` or `.common`: programs can ask for it by name.
    pub visible: bool,
    /// `.extern` without a definition: another module has it.
    pub external: bool,
    /// `.attribute(.managed)`
    pub managed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GlobalSpace {
    Global,
    Const,
    /// Eight bytes that hold the handle of a texture.
    Texref,
    /// Eight bytes that hold the handle of a surface.
    Surfref,
    /// Eight bytes that say how textures are sampled.
    Samplerref,
}

/// A place in the image that holds an address: `(segment + target) >> shift`, cut to `width` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// The place of the address, in bytes from the start of the segment.
    pub offset: u64,
    /// The address, in bytes from the start of the segment; the addend is in it.
    pub target: i64,
    /// Bytes: 1, 2, 4 or 8.
    pub width: u8,
    /// Bits; 0 but for single bytes of an address.
    pub shift: u8,
}

/// The kept bytes are not what this version writes.
#[derive(Debug, thiserror::Error)]
#[error("not a kept description of a module: {0}")]
pub struct DecodeError(#[from] postcard::Error);

macro_rules! bytes {
    ($($type_:ty),*) => {$(
        impl $type_ {
            /// For [`Self::from_bytes`] of the same version.
            pub fn to_bytes(&self) -> Vec<u8> {
                encode(self)
            }

            /// Reads the bytes of [`Self::to_bytes`]. Fails if they are not what this version writes.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
                decode(bytes)
            }
        }
    )*};
}

bytes!(KernelInfo, GlobalLayout);

fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // Growing a vector does not fail, and all types here have lengths.
    postcard::to_stdvec(value).unwrap_or_default()
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    Ok(postcard::from_bytes(bytes)?)
}
