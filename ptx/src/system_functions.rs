//! The functions that modules call and do not define.

use crate::lower::device_runtime;

/// Functions that modules declare `.extern` and that the system has.
const SYSTEM_FUNCTIONS: [&str; 7] =
    ["vprintf", "malloc", "free", "__assertfail", "memset", "memcpy", "cudaGraphSetConditional"];

/// The prefixes of the names of NVIDIA's other system functions.
const SYSTEM_PREFIXES: [&str; 4] = ["cnp", "vfprintf", "__profile", "__cuda_"];

/// Whether no module has to define the function.
pub fn is_system_function(name: &str) -> bool {
    SYSTEM_FUNCTIONS.contains(&name)
        || device_runtime::is_about_graphs(name)
        || SYSTEM_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
