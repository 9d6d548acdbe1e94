//! The functions that this library does not leave to the engine. Those of recurrent networks are the passes ([`rnn`]), what
//! they read and write (`rnn_sequences`), their weights ([`rnn_weights`]) and their descriptors ([`rnn_descriptor`]), which
//! the engine has in another form.

// The parameters are the API's.
#![allow(clippy::too_many_arguments)]

pub(crate) mod context;
mod made;
pub(crate) mod rnn;
pub(crate) mod rnn_descriptor;
mod rnn_sequences;
pub(crate) mod rnn_weights;
