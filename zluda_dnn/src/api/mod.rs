//! The functions, by their subjects: what they take is checked and converted here.

#![allow(clippy::too_many_arguments)]

pub(crate) mod activation;
pub(crate) mod arithmetic;
pub(crate) mod context;
pub(crate) mod convolution;
pub(crate) mod ctc;
pub(crate) mod dropout;
pub(crate) mod graph;
pub(crate) mod norm;
pub(crate) mod pooling;
pub(crate) mod rnn;
pub(crate) mod spatial;
pub(crate) mod tensor;
pub(crate) use crate::descriptor;
