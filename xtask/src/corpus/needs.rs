//! The libraries and programs that programs need and that cannot be had here: NVIDIA's libraries that there is no other
//! of, windows, clusters.

/// A library's name as a linker, CMake's `CUDA::` or `find_package` has it, all in small letters, and what to
/// call it. A name that ends in `*` stands for all that begin like it.
const LIBRARIES: &[(&str, &str)] = &[
    ("cublas_static", "a static cuBLAS"),
    ("cublaslt_static", "a static cuBLAS"),
    ("cudla", "cuDLA"),
    ("cudnn*", "cuDNN"),
    ("cufft_static*", "a static cuFFT"),
    ("cufftw*", "cuFFTW"),
    ("cupti", "CUPTI"),
    ("curand_static", "a static cuRAND"),
    ("cufftmp*", "cuFFTMp"),
    ("cublasmp*", "cuBLASMp"),
    ("cudss*", "cuDSS"),
    ("cusolver_static", "a static cuSOLVER"),
    ("cusolvermp*", "cuSOLVERMp"),
    ("cusparse_static", "a static cuSPARSE"),
    ("cusparselt*", "cuSPARSELt"),
    ("cutensor*", "cuTENSOR"),
    ("nccl", "NCCL"),
    ("npp*", "NPP"),
    ("nvidia-ml", "NVML"),
    ("nvjitlink*", "nvJitLink"),
    ("nvcomp*", "nvCOMP"),
    ("nvjpeg*", "nvJPEG"),
    ("nvmatmulheuristics*", "nvMatmulHeuristics"),
    ("nvml", "NVML"),
    ("nvrtc*", "NVRTC"),
    ("nvsci*", "NvSci"),
    ("nvshmem*", "NVSHMEM"),
    ("nvtiff*", "nvTIFF"),
    ("mathdx", "MathDx"),
    ("cublasdx", "MathDx"),
    ("cufftdx", "MathDx"),
    ("curanddx", "MathDx"),
    ("cusolverdx", "MathDx"),
    ("cupqc*", "cuPQC"),
    ("cuest*", "cuEST"),
    ("nvvm", "libNVVM"),
    ("egl", "EGL"),
    ("gl", "OpenGL"),
    ("glew", "OpenGL"),
    ("glfw*", "OpenGL"),
    ("glut", "OpenGL"),
    ("opengl", "OpenGL"),
    ("vulkan", "Vulkan"),
    ("x11", "X11"),
    ("freeimage", "FreeImage"),
    ("opencv*", "OpenCV"),
    ("boost*", "Boost"),
    ("gdal", "GDAL"),
    ("gsl*", "GSL"),
    ("metis", "METIS"),
    ("parmetis", "METIS"),
    ("mpi*", "MPI"),
    ("llvm*", "LLVM"),
];

/// Compilers and launchers that stand for a library.
const PROGRAMS: &[(&str, &str)] = &[
    ("mpicc", "MPI"),
    ("mpicxx", "MPI"),
    ("mpic++", "MPI"),
    ("mpirun", "MPI"),
    ("mpiexec", "MPI"),
];

/// The first thing that a Makefile needs and that is not there.
pub fn of_makefile(text: &str) -> Option<&'static str> {
    let words = without_comments(text);
    words.split(|c: char| c.is_whitespace() || "=,()\"'".contains(c)).find_map(|word| {
        if let Some(library) = word.strip_prefix("-l") {
            return library_called(library);
        }
        let program = word.rsplit('/').next()?;
        PROGRAMS.iter().find(|(name, _)| *name == program).map(|(_, needed)| *needed)
    })
}

/// The first thing that a CMakeLists.txt needs and that is not there.
pub fn of_cmake(text: &str) -> Option<&'static str> {
    let text = without_comments(text);
    let after = |prefix: &'static str| {
        text.match_indices(prefix).map(|(at, _)| {
            let rest = text[at + prefix.len()..].trim_start();
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
            rest[..end.unwrap_or(rest.len())].to_owned()
        })
    };
    after("CUDA::").chain(after("find_package(")).find_map(|name| library_called(&name))
}

fn library_called(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let is = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    LIBRARIES.iter().find(|(pattern, _)| is(pattern)).map(|(_, needed)| *needed)
}

fn without_comments(text: &str) -> String {
    let line = |line: &str| line.split('#').next().unwrap_or_default().to_owned() + "\n";
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_where_programs_are_linked_with_them() {
        assert_eq!(of_makefile("LDFLAGS = -lm -lcublas -lcudnn\n"), Some("cuDNN"));
        assert_eq!(of_makefile("# LDFLAGS = -lcudnn\nLDFLAGS = -lglobal -lz\n"), None);
        assert_eq!(of_makefile("LAUNCHER = /opt/mpi/bin/mpirun -n 2\n"), Some("MPI"));
        assert_eq!(of_makefile("FLAGS = -ccbin=mpicxx\n"), Some("MPI"));
        assert_eq!(of_cmake("target_link_libraries(a PUBLIC CUDA::cuda_driver)"), None);
        assert_eq!(of_cmake("target_link_libraries(a\n PUBLIC CUDA::nvrtc\n)"), Some("NVRTC"));
        assert_eq!(of_cmake("find_package(OpenGL REQUIRED)"), Some("OpenGL"));
        assert_eq!(of_cmake("find_package(OpenMP REQUIRED)"), None);
    }
}
