//! Arguments from C: pointers with a meaning, and handles that have been checked.

use cuda_types::curand::curandError;

zluda_api::conversions!(curandError);
