//! cuRAND (libcurand.so.10): random numbers, bit for bit those of NVIDIA's own generators on the host.
//!
//! This file is the list of exports; names that are not in it answer "type error". What they do stands in [`api`];
//! [`generators`] has the sequences, without any of cuRAND's types; [`rocm`] brings them to AMD GPUs.

mod api;
mod convert;
mod export;
mod generators;
mod rocm;

#[allow(unused_imports)]
use cuda_types::curand::*;

cuda_macros::export_api! {
    curand;
    generator {
        curandCreateGenerator, curandCreateGeneratorHost, curandDestroyGenerator, curandSetStream,
        curandSetPseudoRandomGeneratorSeed, curandSetGeneratorOffset, curandSetGeneratorOrdering,
        curandSetQuasiRandomGeneratorDimensions, curandGenerateSeeds,
    },
    generate {
        curandGenerate, curandGenerateLongLong, curandGenerateUniform, curandGenerateUniformDouble, curandGenerateNormal,
        curandGenerateNormalDouble, curandGenerateLogNormal, curandGenerateLogNormalDouble,
        curandGeneratePoisson,
    },
    tables {
        curandGetVersion, curandGetProperty, curandGetDirectionVectors32, curandGetDirectionVectors64,
        curandGetScrambleConstants32, curandGetScrambleConstants64,
    },
}
