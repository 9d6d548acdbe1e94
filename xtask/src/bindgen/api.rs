//! The files that are generated from the headers of one of NVIDIA's APIs and from the list of names that its library
//! exports, a row of [`APIS`] each:
//!
//! | file | what |
//! |---|---|
//! | `cuda_types/src/<api>/generated.rs` | types and constants, with layout tests |
//! | `cuda_types/src/<api>/error.rs` | the type of a status that is not success; names of all statuses |
//! | `cuda_macros/src/<api>_functions.rs` | the declaration of every function |

use super::{HEADER, Result, write};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// One of NVIDIA's APIs.
pub struct Api {
    /// The name of its module of `cuda_types`, and of its files in `cuda_macros`.
    pub name: &'static str,
    /// Where its headers are.
    pub source: Source,
    includes: &'static str,
    defines: &'static [&'static str],
    /// Its types and constants, as a regular expression.
    items: &'static str,
    /// Its functions, as a regular expression.
    functions: &'static str,
    /// The enumeration of its results, as C names it, and as functions return it.
    status: (&'static str, &'static str),
    /// The type of results that are not success, and what names of such results begin with.
    error: (&'static str, &'static str),
    /// The function that gives the names of results, for their documentation.
    names: &'static str,
}

/// The headers of an API.
#[derive(Clone, Copy)]
pub enum Source {
    /// Those of the CUDA toolkit.
    Toolkit,
    /// Those of a package of its own, which may need those of the CUDA toolkit.
    Wheel(&'static str),
    /// Those of NVIDIA's libraries that the tests use.
    Libraries,
}

/// The driver.
pub const CUDA: Api = Api {
    name: "cuda",
    source: Source::Toolkit,
    includes: "#include <cuda.h>\n#include <cudaProfiler.h>\n",
    // Declares every version of every function, not only the newest.
    defines: &["__CUDA_API_VERSION_INTERNAL"],
    items: "(CU|cu|Pcu).*",
    functions: "cu.*",
    status: ("cudaError_enum", "CUresult"),
    error: ("CUerror", "CUDA_ERROR_"),
    names: "as `cuGetErrorName` gives it",
};

/// The headers declare the products of half precision in C++ alone.
const CUBLAS_INCLUDES: &str = r"
#include <cublas_api.h>
#include <cublasLt.h>
#include <cublasXt.h>
typedef struct { unsigned short x; } cublasHalf;
#define PRODUCTS(WIDTH, INT) \
    cublasStatus_t cublasHgemm##WIDTH(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
        INT m, INT n, INT k, const cublasHalf *alpha, const cublasHalf *A, INT lda, const cublasHalf *B, INT ldb, \
        const cublasHalf *beta, cublasHalf *C, INT ldc); \
    cublasStatus_t cublasHgemmBatched##WIDTH(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
        INT m, INT n, INT k, const cublasHalf *alpha, const cublasHalf *const Aarray[], INT lda, const cublasHalf *const Barray[], \
        INT ldb, const cublasHalf *beta, cublasHalf *const Carray[], INT ldc, INT batchCount); \
    cublasStatus_t cublasHgemmStridedBatched##WIDTH(cublasHandle_t handle, cublasOperation_t transa, \
        cublasOperation_t transb, INT m, INT n, INT k, const cublasHalf *alpha, const cublasHalf *A, INT lda, long long strideA, \
        const cublasHalf *B, INT ldb, long long strideB, const cublasHalf *beta, cublasHalf *C, INT ldc, long long strideC, \
        INT batchCount);
PRODUCTS(, int)
PRODUCTS(_64, int64_t)
";

/// The APIs of which we make libraries.
pub const APIS: &[Api] = &[
    CUDA,
    Api {
        name: "nvml",
        source: Source::Wheel("nvidia-nvml-dev==13.5.37"),
        includes: "#include <nvml.h>\n",
        // Declares the first version of functions that have more.
        defines: &["NVML_NO_UNVERSIONED_FUNC_DEFS"],
        items: "(nvml|NVML_).*",
        functions: "nvml.*",
        status: ("nvmlReturn_enum", "nvmlReturn_t"),
        error: ("nvmlError", "NVML_ERROR_"),
        names: "as the header has it",
    },
    // And cuBLASLt and cuBLASXt: handles of the one are handles of the other.
    Api {
        name: "cublas",
        source: Source::Libraries,
        includes: CUBLAS_INCLUDES,
        defines: &[],
        items: "(cublas|CUBLAS|cuComplex|cuDoubleComplex|cudaStream_t|cudaDataType|cudaEmulation|libraryPropertyType).*",
        functions: "cublas.*",
        status: ("cublasStatus_t", "cublasStatus_t"),
        error: ("cublasError", "CUBLAS_STATUS_"),
        names: "as `cublasGetStatusName` gives it",
    },
    Api {
        name: "cufft",
        source: Source::Libraries,
        includes: "#include <cufft.h>\n#include <cufftXt.h>\n",
        defines: &[],
        items: "(cufft|CUFFT|NVFFT_|cuComplex|cuDoubleComplex|cudaStream_t|cudaDataType|cudaLibXt|libraryPropertyType).*",
        functions: "cufft.*",
        status: ("cufftResult_t", "cufftResult"),
        error: ("cufftError", "CUFFT_"),
        names: "as the header has it",
    },
    Api {
        name: "curand",
        source: Source::Libraries,
        includes: "#include <curand.h>\n",
        defines: &[],
        items: "(curand|CURAND|cudaStream_t|libraryPropertyType).*",
        functions: "curand.*",
        status: ("curandStatus", "curandStatus_t"),
        error: ("curandError", "CURAND_STATUS_"),
        names: "as the header has it",
    },
    Api {
        name: "cusparse",
        source: Source::Libraries,
        includes: "#include <cusparse.h>\n",
        // Declares everything that the library exports.
        defines: &["CUSPARSE_ENABLE_EXPERIMENTAL_API"],
        items: "(cusparse|CUSPARSE|csri|csru|bsri|bsrs|pruneInfo|cuComplex|cuDoubleComplex|cudaStream_t|cudaDataType|libraryPropertyType).*",
        functions: "cusparse.*",
        status: ("cusparseStatus_t", "cusparseStatus_t"),
        error: ("cusparseError", "CUSPARSE_STATUS_"),
        names: "as `cusparseGetErrorName` gives it",
    },
    Api {
        name: "cudnn",
        source: Source::Wheel("nvidia-cudnn-cu13==9.28.1.4"),
        includes: "#include <cudnn.h>\n",
        defines: &[],
        items: "(cudnn|CUDNN|cudaGraph_t|cudaStream_t|libraryPropertyType).*",
        functions: "cudnn.*",
        status: ("cudnnStatus_t", "cudnnStatus_t"),
        error: ("cudnnError", "CUDNN_STATUS_"),
        names: "as `cudnnGetErrorString` gives it",
    },
    Api {
        name: "cudnn8",
        source: Source::Wheel("nvidia-cudnn-cu12==8.9.7.29"),
        includes: "#include <cudnn.h>\n",
        defines: &[],
        items: "(cudnn|CUDNN|cudaStream_t|libraryPropertyType).*",
        functions: "cudnn.*",
        status: ("cudnnStatus_t", "cudnnStatus_t"),
        error: ("cudnnError", "CUDNN_STATUS_"),
        names: "as `cudnnGetErrorString` gives it",
    },
    // Dense, sparse and refactorisation.
    Api {
        name: "cusolver",
        source: Source::Libraries,
        includes: "#include <cusolverDn.h>\n#include <cusolverRf.h>\n#include <cusolverSp.h>\n",
        defines: &[],
        items: "(cusolver|CUSOLVER|gesvdjInfo|syevjInfo|csrqrInfo|cuComplex|cuDoubleComplex|cudaStream_t|cudaDataType|\
                cudaEmulation|libraryPropertyType|cublas(Operation|FillMode|DiagType|SideMode)|cusparseMatDescr).*",
        functions: "cusolver.*",
        status: ("cusolverStatus_t", "cusolverStatus_t"),
        error: ("cusolverError", "CUSOLVER_STATUS_"),
        names: "as the header has it",
    },
];

impl Api {
    /// The list of names that the library exports, which is kept by hand; from the root.
    pub fn exports(&self) -> String {
        format!("cuda_macros/src/{}_exports.txt", self.name)
    }

    /// Generates the API's files below `root` from its headers, which are in the folders `headers`.
    pub fn generate(&self, headers: &[PathBuf], root: &Path) -> Result<()> {
        let exported = self.exported(root)?;
        let types = self
            .builder(headers)?
            .ignore_functions()
            .layout_tests(true)
            .derive_default(false)
            .default_enum_style(bindgen::EnumVariation::NewType {
                is_bitfield: false,
                is_global: false,
            })
            .allowlist_item(self.items)
            .generate()?
            .to_string();
        let types = format!(
            "{HEADER}#![allow(missing_docs, clippy::all, clippy::undocumented_unsafe_blocks)]\n\n{}",
            types.replace("::std::os::raw::", "::core::ffi::")
        );
        let folder = format!("cuda_types/src/{}", self.name);
        write(&root.join(&folder).join("generated.rs"), &types)?;
        write(&root.join(&folder).join("error.rs"), &self.errors(&types)?)?;

        let functions = self
            .builder(headers)?
            .allowlist_function(self.functions)
            .allowlist_recursively(false)
            .generate()?
            .to_string();
        let declarations = declarations(&functions, &exported)?;
        write(&root.join(format!("cuda_macros/src/{}_functions.rs", self.name)), &declarations)
    }

    /// The names that the library exports.
    pub fn exported(&self, root: &Path) -> Result<BTreeSet<String>> {
        Ok(fs::read_to_string(root.join(self.exports()))?
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(str::to_owned)
            .collect())
    }

    fn builder(&self, headers: &[PathBuf]) -> Result<bindgen::Builder> {
        let target = bindgen::RustTarget::stable(85, 0).map_err(|error| error.to_string())?;
        Ok(bindgen::builder()
            .rust_target(target)
            .header_contents("api.h", self.includes)
            .clang_args(headers.iter().map(|folder| format!("-I{}", folder.display())))
            .clang_args(self.defines.iter().map(|name| format!("-D{name}")))
            .generate_comments(false)
            .merge_extern_blocks(true)
            .use_core()
            .formatter(bindgen::Formatter::Prettyplease))
    }

    /// The type of errors, and the table of names of all results.
    fn errors(&self, types: &str) -> Result<String> {
        let file = syn::parse_file(types)?;
        let ((enumeration, status), (error, prefix)) = (self.status, self.error);
        let mut out = format!(
            "{HEADER}\nuse super::{status};\nuse core::num::NonZeroU32;\n\n\
             /// A [`{status}`] that is not success.\n\
             #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]\n#[repr(transparent)]\n\
             pub struct {error}(pub NonZeroU32);\n\nimpl {error} {{\n"
        );
        let mut names = String::new();
        for item in &file.items {
            let syn::Item::Impl(item) = item else { continue };
            if !quote::ToTokens::to_token_stream(&item.self_ty).to_string().contains(enumeration) {
                continue;
            }
            for item in &item.items {
                let syn::ImplItem::Const(constant) = item else { continue };
                let name = constant.ident.to_string();
                writeln!(names, "    ({status}::{name}, c\"{name}\"),")?;
                // Where names of errors begin as those of all results do.
                let short = name.strip_prefix(prefix).filter(|short| *short != "SUCCESS");
                if let Some(short) = short {
                    writeln!(out, "    pub const {short}: Self = Self::of({status}::{name});")?;
                }
            }
        }
        if names.is_empty() {
            return Err(format!("no {enumeration} found in the headers").into());
        }
        write!(
            out,
            "}}\n\n/// Every result with its name, {}.\n\
             pub const RESULT_NAMES: &[({status}, &core::ffi::CStr)] = &[\n{names}];\n",
            self.names
        )?;
        Ok(out)
    }
}

/// The declarations of functions that are exported, sorted by name, as one `extern` block.
fn declarations(functions: &str, exported: &BTreeSet<String>) -> Result<String> {
    let file = syn::parse_file(functions)?;
    let mut found = BTreeMap::new();
    for item in file.items {
        let syn::Item::ForeignMod(block) = item else { continue };
        for item in block.items {
            let syn::ForeignItem::Fn(mut function) = item else { continue };
            function.attrs.clear();
            let name = function.sig.ident.to_string();
            if exported.contains(&name) {
                found.insert(name, function);
            }
        }
    }
    let block = syn::ItemForeignMod {
        attrs: Vec::new(),
        unsafety: Some(Default::default()),
        abi: syn::parse_str("extern \"C\"")?,
        brace_token: Default::default(),
        items: found.into_values().map(syn::ForeignItem::Fn).collect(),
    };
    let text = prettyplease::unparse(&syn::File {
        shebang: None,
        attrs: Vec::new(),
        items: vec![block.into()],
    });
    Ok(format!("{HEADER}{}", text.replace("::std::os::raw::", "::core::ffi::")))
}
