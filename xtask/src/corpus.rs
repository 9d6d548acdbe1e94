//! Collections of CUDA programs that nobody here wrote, as a checkout has them.
//!
//! Nothing here knows a collection: [`discover`] finds programs by their build files, [`toolchain`] and
//! [`build`] let these build them with an nvcc that makes PTX alone, [`run`] runs them, [`record`] keeps what they did and
//! [`verdict`] says what came of it; a [`session`] does all of that. What a collection's programs give otherwise than they should is a list in
//! `tests/corpus`, which [`expectations`] reads and holds the verdicts against. [`compare`] is for programs
//! that do not check themselves; [`table`] is what is shown.

pub mod build;
pub mod compare;
pub mod discover;
pub mod expectations;
pub mod needs;
pub mod pattern;
pub mod record;
pub mod run;
pub mod session;
pub mod shares;
pub mod table;
pub mod toolchain;
pub mod verdict;

#[cfg(test)]
mod end_to_end;
