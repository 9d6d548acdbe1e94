//! What stages compute, for devices that have a library of their own for it. A stage that says so may be left to it: the result
//! is the same but for the order of sums.

use crate::convolution::{Convolution, Epilogue};
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
