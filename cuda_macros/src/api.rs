//! The APIs: their tables, and how the macros treat them.

use proc_macro2::Ident;
use std::collections::BTreeMap;

/// One of NVIDIA's APIs.
pub(crate) struct Api {
    /// The name of its module in `cuda_types`.
    pub(crate) name: &'static str,
    /// The declarations of its functions, as one `extern` block.
    functions: &'static str,
    /// The names that the library exports, a line each.
    exports: &'static str,
    /// The type of status that functions return.
    pub(crate) status: &'static str,
    /// Whether a name of the library is that of a variable.
    pub(crate) is_variable: fn(&str) -> bool,
}

const APIS: &[Api] = &[
    Api {
        name: "cuda",
        functions: include_str!("cuda_functions.rs"),
        exports: include_str!("cuda_exports.txt"),
        status: "CUresult",
        is_variable: is_debugger_variable,
    },
    Api {
        name: "nvml",
        functions: include_str!("nvml_functions.rs"),
        exports: include_str!("nvml_exports.txt"),
        status: "nvmlReturn_t",
        is_variable: |_| false,
    },
    Api {
        name: "cublas",
        functions: include_str!("cublas_functions.rs"),
        exports: include_str!("cublas_exports.txt"),
        status: "cublasStatus_t",
        is_variable: |_| false,
    },
    Api {
        name: "cufft",
        functions: include_str!("cufft_functions.rs"),
        exports: include_str!("cufft_exports.txt"),
        status: "cufftResult",
        is_variable: |_| false,
    },
    Api {
        name: "curand",
        functions: include_str!("curand_functions.rs"),
        exports: include_str!("curand_exports.txt"),
        status: "curandStatus_t",
        is_variable: |_| false,
    },
    Api {
        name: "cusparse",
        functions: include_str!("cusparse_functions.rs"),
        exports: include_str!("cusparse_exports.txt"),
        status: "cusparseStatus_t",
        is_variable: |_| false,
    },
    Api {
        name: "cudnn",
        functions: include_str!("cudnn_functions.rs"),
        exports: include_str!("cudnn_exports.txt"),
        status: "cudnnStatus_t",
        is_variable: |_| false,
    },
    Api {
        name: "cudnn8",
        functions: include_str!("cudnn8_functions.rs"),
        exports: include_str!("cudnn8_exports.txt"),
        status: "cudnnStatus_t",
        is_variable: |_| false,
    },
    Api {
        name: "cusolver",
        functions: include_str!("cusolver_functions.rs"),
        exports: include_str!("cusolver_exports.txt"),
        status: "cusolverStatus_t",
        is_variable: |_| false,
    },
];

impl Api {
    /// The API of this name.
    pub(crate) fn find(name: &Ident) -> syn::Result<&'static Api> {
        APIS.iter()
            .find(|api| name == api.name)
            .ok_or_else(|| syn::Error::new(name.span(), "an API that cuda_macros does not have"))
    }

    /// The declared functions by name.
    pub(crate) fn declarations(&self) -> syn::Result<BTreeMap<String, syn::ForeignItemFn>> {
        let file = syn::parse_file(self.functions)?;
        let blocks = file.items.into_iter().filter_map(|item| match item {
            syn::Item::ForeignMod(block) => Some(block.items),
            _ => None,
        });
        Ok(blocks
            .flatten()
            .filter_map(|item| match item {
                syn::ForeignItem::Fn(function) => Some((function.sig.ident.to_string(), function)),
                _ => None,
            })
            .collect())
    }

    /// The names that the library exports.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.exports.lines().filter(|line| !line.is_empty()).collect()
    }
}

/// The driver's symbols that are variables: what cuda-gdb looks at.
fn is_debugger_variable(name: &str) -> bool {
    const FUNCTIONS: [&str; 8] = [
        "cudbgApiAttach",
        "cudbgApiDetach",
        "cudbgApiInit",
        "cudbgGetAPI",
        "cudbgGetAPIVersion",
        "cudbgMain",
        "cudbgReportDriverApiError",
        "cudbgReportDriverInternalError",
    ];
    name.starts_with("cudbg") && !FUNCTIONS.contains(&name)
}
