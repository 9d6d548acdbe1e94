//! PTX in what compilers leave: fat binaries, objects of the host, archives of those.
//!
//! - [`Container`]: a fat binary, code for several devices. Start reading there.
//! - [`texts_of_object`], [`texts_of_archive`]: the PTX that `nvcc -dc` and `nvcc -lib` put there.
//!
//! Nothing that stands in the bytes is trusted: bad ones are [`Malformed`], never a crash.

mod container;
mod object;

pub use container::{
    CONTAINER_MAGIC, Container, HEADER_SIZE, Kind, Malformed, container_size, containers,
};
pub use object::{texts_of_archive, texts_of_object};
