//! What stages compute, for devices that have a library of their own for it. A stage that says so may be left to it: the result
//! is the same but for the order of sums.

use crate::convolution::{Convolution, Epilogue};
use crate::norm::{Finish, Given, Gradients, Norm, Running, Statistics};
use crate::tensor::{Scale, Tensor};

/// What a stage computes.
#[derive(Clone, Debug)]
pub enum Layer {
    Convolution(Box<ConvolutionLayer>),
    /// `db = alpha * (sums of dy over all but its channels) + beta * db`
    BackwardBias {
        dy: Tensor,
        db: Tensor,
        scale: Scale,
    },
    Norm(Box<NormLayer>),
}

impl Layer {
    /// The stages, from that on which says so, that compute it.
    pub fn stages(&self) -> usize {
        match self {
            Layer::Norm(layer) => match &**layer {
                NormLayer::Backward { stages, .. } => *stages,
                NormLayer::Training { .. } | NormLayer::Inference { .. } => 1,
            },
            Layer::Convolution(_) | Layer::BackwardBias { .. } => 1,
        }
    }
}

/// A normalisation, or its gradients.
#[derive(Clone, Debug)]
pub enum NormLayer {
    Training { norm: Norm, finish: Finish, saved: Statistics, running: Option<Running> },
    Inference { norm: Norm, finish: Finish, mean: Option<Tensor>, spread: Tensor, given: Given },
    Backward { norm: Norm, gradients: Gradients, saved: Statistics, stages: usize },
}

/// What a convolution computes from the other two tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `y`
    Forward,
    /// The gradient of `x`, by `w` and the gradient of `y`.
    BackwardData,
    /// The gradient of `w`, by `x` and the gradient of `y`.
    BackwardFilter,
}

/// A convolution, or one of its gradients: the tensors are gradients where that is meant.
#[derive(Clone, Debug)]
pub struct ConvolutionLayer {
    pub direction: Direction,
    pub convolution: Convolution,
    pub x: Tensor,
    pub w: Tensor,
    pub y: Tensor,
    pub scale: Scale,
    /// Forward alone.
    pub epilogue: Option<Epilogue>,
}
