//! The functions that this library does not leave to the engine.

pub(crate) mod context;
mod made;
pub(crate) mod rnn;
pub(crate) mod rnn_descriptor;
mod rnn_sequences;
pub(crate) mod rnn_weights;
