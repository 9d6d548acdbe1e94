//! The sequences, without any of cuRAND's types. Start at [`sequence`].

mod inverse;
mod lanes;
mod libm;
mod mrg32k3a;
mod mt19937;
mod mtgp32;
mod mtgp32_parameters;
pub mod output;
mod philox;
pub mod poisson;
pub mod sequence;
pub mod sobol;
mod values;
mod xorwow;
