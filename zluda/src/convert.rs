//! Arguments from C: pointers with a meaning, and handles that have been checked.

zluda_api::conversions!(cuda_types::cuda::CUerror);
