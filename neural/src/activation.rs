//! Activation functions and their derivatives.

use crate::elementwise::{Elementwise, elementwise};
use crate::tensor::{Scale, Tensor};
use crate::work::Stage;

/// An activation function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    Identity,
    Sigmoid,
    /// Between the two bounds; below the lower one with a slope. What is no number becomes the lower bound where it is not
    /// propagated.
    Relu {
        lower: f64,
        upper: f64,
        slope: f64,
        propagates_nan: bool,
    },
    Tanh,
    Elu {
        alpha: f64,
    },
    Swish {
        beta: f64,
    },
    Softplus {
        beta: f64,
    },
    Gelu,
    /// GELU by tanh.
    GeluTanh,
}

/// 1 / sqrt(2)
const ROOT_HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// sqrt(2 / pi)
const TANH_FACTOR: f64 = 0.797_884_560_802_865_4;
const TANH_CUBE: f64 = 0.044_715;

pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Activation {
    /// ReLU as it is known.
    pub const RELU: Activation =
        Activation::Relu { lower: 0.0, upper: f64::INFINITY, slope: 0.0, propagates_nan: true };

    pub fn forward(self, x: f64) -> f64 {
        match self {
            Activation::Identity => x,
            Activation::Sigmoid => sigmoid(x),
            Activation::Relu { lower, upper, slope, propagates_nan } => {
                if x.is_nan() && !propagates_nan {
                    lower
                } else if x <= lower {
                    // No slope times infinity is no number.
                    if slope == 0.0 { lower } else { lower + slope * (x - lower) }
                } else if x > upper {
                    upper
                } else {
                    x
                }
            }
            Activation::Tanh => x.tanh(),
            Activation::Elu { alpha } => {
                if x > 0.0 {
                    x
                } else {
                    alpha * x.exp_m1()
                }
            }
            Activation::Swish { beta } => x * sigmoid(beta * x),
            Activation::Softplus { beta } => {
                let x = beta * x;
                (x.max(0.0) + (-x.abs()).exp().ln_1p()) / beta
            }
            Activation::Gelu => 0.5 * x * (1.0 + erf(x * ROOT_HALF)),
            Activation::GeluTanh => {
                0.5 * x * (1.0 + (TANH_FACTOR * (x + TANH_CUBE * x * x * x)).tanh())
            }
        }
    }

    /// The derivative at `x`.
    pub fn derivative(self, x: f64) -> f64 {
        match self {
            Activation::Identity => 1.0,
            Activation::Sigmoid => {
                let y = sigmoid(x);
                y * (1.0 - y)
            }
            Activation::Relu { lower, upper, slope, .. } => {
                if x <= lower {
                    slope
                } else if x > upper {
                    0.0
                } else {
                    1.0
                }
            }
            Activation::Tanh => {
                let y = x.tanh();
                1.0 - y * y
            }
            Activation::Elu { alpha } => {
                if x > 0.0 {
                    1.0
                } else {
                    alpha * x.exp()
                }
            }
            Activation::Swish { beta } => {
                let s = sigmoid(beta * x);
                s + beta * x * s * (1.0 - s)
            }
            Activation::Softplus { beta } => sigmoid(beta * x),
            Activation::Gelu => {
                let density =
                    (-0.5 * x * x).exp() * ROOT_HALF * std::f64::consts::FRAC_2_SQRT_PI / 2.0;
                0.5 * (1.0 + erf(x * ROOT_HALF)) + x * density
            }
            Activation::GeluTanh => {
                let t = (TANH_FACTOR * (x + TANH_CUBE * x * x * x)).tanh();
                let inner = TANH_FACTOR * (1.0 + 3.0 * TANH_CUBE * x * x);
                0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner
            }
        }
    }

    /// The derivative where the function's value is `y`, for the functions of which cuDNN takes the value.
    pub fn derivative_by_value(self, y: f64) -> Option<f64> {
        match self {
            Activation::Sigmoid => Some(y * (1.0 - y)),
            Activation::Tanh => Some(1.0 - y * y),
            Activation::Elu { alpha } => Some(if y > 0.0 { 1.0 } else { y + alpha }),
            _ => None,
        }
    }

    /// Whether its derivative is computed from its value.
    pub fn derives_by_value(self) -> bool {
        self.derivative_by_value(0.0).is_some()
    }
}

/// The error function, by its series near zero and by the continued fraction of its complement elsewhere.
pub fn erf(x: f64) -> f64 {
    let size = x.abs();
    if size.is_nan() {
        return x;
    }
    if size < 2.5 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term.abs() > sum.abs() * 1e-17 && n < 100.0 {
            n += 1.0;
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        return std::f64::consts::FRAC_2_SQRT_PI * sum;
    }
    if size > 6.0 {
        return x.signum();
    }
    // Lentz's fraction, from its end.
    let mut fraction = size;
    for k in (1..60).rev() {
        fraction = size + f64::from(k) / 2.0 / fraction;
    }
    let complement = (-size * size).exp() / (fraction * std::f64::consts::PI.sqrt());
    x.signum() * (1.0 - complement)
}

/// A function of the elements of a tensor, or its gradient.
#[derive(Clone, Debug)]
pub struct ActivationLayer {
    pub activation: Activation,
    /// `x`, or `f(x)` for the gradients of those that derive by their value.
    pub of: Tensor,
    /// The gradient of `f(x)`, where that of `x` is wanted.
    pub gradient: Option<Tensor>,
    pub to: Tensor,
    pub scale: Scale,
}

/// `y = alpha * f(x) + beta * y`.
pub fn forward(activation: Activation, x: Tensor, y: Tensor, scale: Scale) -> Stage {
    let layer = ActivationLayer { activation, of: x.clone(), gradient: None, to: y.clone(), scale };
    let stage =
        elementwise(Elementwise { inputs: vec![x], output: y, scale }, move |inputs, to| {
            for (to, x) in to.iter_mut().zip(inputs[0]) {
                *to = activation.forward(*x);
            }
        });
    stage.of(1, layer)
}

/// `dx = alpha * f'(x) * dy + beta * dx`. `of` is x, or y = f(x) for those that derive by their value.
pub fn backward(activation: Activation, of: Tensor, dy: Tensor, dx: Tensor, scale: Scale) -> Stage {
    let (gradient, to) = (Some(dy.clone()), dx.clone());
    let layer = ActivationLayer { activation, of: of.clone(), gradient, to, scale };
    let all = Elementwise { inputs: vec![of, dy], output: dx, scale };
    let stage = elementwise(all, move |inputs, to| {
        for ((to, of), dy) in to.iter_mut().zip(inputs[0]).zip(inputs[1]) {
            let slope = activation.derivative_by_value(*of);
            *to = slope.unwrap_or_else(|| activation.derivative(*of)) * dy;
        }
    });
    stage.of(1, layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values by tables of the function.
    #[test]
    fn the_error_function_has_its_values() {
        for (x, wanted) in [
            (0.0, 0.0),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (-2.0, -0.995_322_265_018_952_7),
            (2.5, 0.999_593_047_982_555),
            (3.0, 0.999_977_909_503_001_4),
        ] {
            assert!((erf(x) - wanted).abs() < 1e-14, "{x}: {}", erf(x));
        }
        assert_eq!((erf(30.0), erf(f64::NEG_INFINITY)), (1.0, -1.0));
    }

    #[test]
    fn derivatives_are_those_of_the_functions() {
        use Activation as A;
        let relu = A::Relu { lower: 0.5, upper: 6.0, slope: 0.1, propagates_nan: true };
        for activation in [
            A::Identity,
            A::Sigmoid,
            A::RELU,
            relu,
            A::Tanh,
            A::Elu { alpha: 0.7 },
            A::Swish { beta: 1.5 },
            A::Softplus { beta: 2.0 },
            A::Gelu,
            A::GeluTanh,
        ] {
            for x in [-3.1, -0.4, 0.3, 0.9, 2.2, 7.0] {
                let h = 1e-5;
                let slope = (activation.forward(x + h) - activation.forward(x - h)) / (2.0 * h);
                assert!((slope - activation.derivative(x)).abs() < 1e-8, "{activation:?} at {x}");
                if let Some(by_value) = activation.derivative_by_value(activation.forward(x)) {
                    assert!((slope - by_value).abs() < 1e-8, "{activation:?} at {x}, by its value");
                }
            }
        }
    }
}
