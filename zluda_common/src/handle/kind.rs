//! The registry of the kinds of objects that handles of all libraries lead to: no library takes another one's handle.

use std::fmt;

/// A kind of object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kind(u16);

/// The bits of a kind that tell the members of a family apart.
pub(super) const MEMBER_BITS: u32 = 4;
const FAMILY_BITS: u32 = 5;

impl Kind {
    /// Member `member` (below 16) of a family (below 32).
    pub(super) const fn new(family: u16, member: u16) -> Kind {
        assert!(family < 1 << FAMILY_BITS && member < 1 << MEMBER_BITS);
        Kind(family << MEMBER_BITS | member)
    }

    pub(super) const fn family(self) -> u64 {
        (self.0 >> MEMBER_BITS) as u64
    }

    pub(super) const fn member(self) -> u64 {
        (self.0 & ((1 << MEMBER_BITS) - 1)) as u64
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(kind, _)| kind == self).map_or("?", |(_, name)| name);
        write!(f, "{name} ({}.{})", self.family(), self.member())
    }
}

/// Names kinds, each with its family and its member there.
macro_rules! kinds {
    ($($name:ident = $family:literal . $member:literal,)*) => {
        impl Kind {
            $(pub const $name: Kind = Kind::new($family, $member);)*
        }

        const NAMES: &[(Kind, &str)] = &[$((Kind::$name, stringify!($name))),*];
    };
}

// The driver's objects are the first member of a family each: their handles are 16-aligned. Each library above the driver
// has a family of its own, cuDNN two.
kinds! {
    CONTEXT = 1 . 0,
    STREAM = 2 . 0,
    EVENT = 3 . 0,
    MODULE = 4 . 0,
    FUNCTION = 5 . 0,
    LIBRARY = 6 . 0,
    KERNEL = 7 . 0,
    LINK = 8 . 0,
    POOL = 9 . 0,
    GRAPH = 10 . 0,
    GRAPH_NODE = 11 . 0,
    GRAPH_EXEC = 12 . 0,
    ARRAY = 13 . 0,
    MIPMAPPED_ARRAY = 14 . 0,
    TEXTURE_REFERENCE = 15 . 0,
    SURFACE_REFERENCE = 16 . 0,
    USER_OBJECT = 17 . 0,
    GRAPH_DEVICE_NODE = 23 . 0,
    MEMORY = 28 . 0,
    GREEN_CONTEXT = 29 . 0,
    RESOURCE_DESCRIPTION = 30 . 0,
    EXTERNAL_MEMORY = 31 . 0,

    NVML_DEVICE = 18 . 0,
    NVML_EVENT_SET = 18 . 1,
    NVML_SYSTEM_EVENT_SET = 18 . 2,

    CUBLAS = 19 . 0,
    CUBLASLT_MATMUL_DESC = 19 . 1,
    CUBLASLT_LAYOUT = 19 . 2,
    CUBLASLT_PREFERENCE = 19 . 3,
    CUBLASLT_TRANSFORM_DESC = 19 . 4,
    CUBLASXT = 19 . 5,
    CUBLASLT_EMULATION_DESC = 19 . 6,

    CUFFT_PLAN = 20 . 0,

    CURAND_GENERATOR = 21 . 0,

    CUSPARSE = 22 . 0,
    CUSPARSE_MAT_DESCR = 22 . 1,
    CUSPARSE_SPVEC = 22 . 2,
    CUSPARSE_DNVEC = 22 . 3,
    CUSPARSE_SPMAT = 22 . 4,
    CUSPARSE_DNMAT = 22 . 5,
    CUSPARSE_SPGEMM = 22 . 6,
    CUSPARSE_SPSV = 22 . 7,
    CUSPARSE_SPSM = 22 . 8,
    CUSPARSE_INFO = 22 . 9,
    CUSPARSE_CSRU2CSR_INFO = 22 . 10,

    CUSOLVER_DN = 25 . 0,
    CUSOLVER_DN_PARAMS = 25 . 1,
    CUSOLVER_SYEVJ_INFO = 25 . 2,
    CUSOLVER_GESVDJ_INFO = 25 . 3,
    CUSOLVER_IRS_PARAMS = 25 . 4,
    CUSOLVER_IRS_INFOS = 25 . 5,
    CUSOLVER_SP = 25 . 6,
    CUSOLVER_CSRQR_INFO = 25 . 7,

    CUDNN = 26 . 0,
    CUDNN_TENSOR = 26 . 1,
    CUDNN_FILTER = 26 . 2,
    CUDNN_CONVOLUTION = 26 . 3,
    CUDNN_POOLING = 26 . 4,
    CUDNN_ACTIVATION = 26 . 5,
    CUDNN_LRN = 26 . 6,
    CUDNN_DROPOUT = 26 . 7,
    CUDNN_OP_TENSOR = 26 . 8,
    CUDNN_REDUCE_TENSOR = 26 . 9,
    CUDNN_TENSOR_TRANSFORM = 26 . 10,
    CUDNN_SPATIAL_TRANSFORMER = 26 . 11,
    CUDNN_RNN = 27 . 0,
    CUDNN_RNN_DATA = 27 . 1,
    CUDNN_CTC_LOSS = 27 . 2,
    CUDNN_BACKEND = 27 . 3,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_kinds_are_the_same() {
        for (i, (kind, name)) in NAMES.iter().enumerate() {
            let same = NAMES[..i].iter().find(|(other, _)| other == kind);
            assert!(same.is_none(), "{name} and {same:?}");
        }
    }
}
