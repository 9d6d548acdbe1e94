//! Local response normalisation across channels, and its gradient. Tensors are `[n, c, spatial...]`.

use crate::tensor::{Scale, Tensor, index_of};
use crate::work::{Stage, over};

/// `y = x / (k + alpha / window * sum of squares over the window of channels) ^ beta`
#[derive(Clone, Copy, Debug)]
pub struct Lrn {
    pub window: usize,
    pub alpha: f64,
    pub beta: f64,
    pub k: f64,
}

impl Lrn {
    /// The channels around one: as many before as after it, one fewer before where the window is even.
    fn around(&self, channel: usize, channels: usize) -> std::ops::Range<usize> {
        let before = (self.window - 1) / 2;
        channel.saturating_sub(before)..(channel + self.window - before).min(channels)
    }

    fn divisor(&self, x: &[f64], channel: usize) -> f64 {
        let squares: f64 = x[self.around(channel, x.len())].iter().map(|x| x * x).sum();
        self.k + self.alpha / self.window as f64 * squares
    }
}

/// The lengths of a tensor's places, and the work at each of them.
fn places(like: &Tensor, run: impl Fn(Vec<usize>) + Send + Sync + 'static) -> Stage {
    let mut dims = like.dims.clone();
    let channels = std::mem::replace(&mut dims[1], 1);
    over(dims.iter().product(), channels * 60, move |range| {
        range.for_each(|place| run(index_of(place, &dims)));
    })
}

fn line(tensor: &Tensor, index: &[usize]) -> Vec<f64> {
    let mut values = vec![0.0; tensor.dims[1]];
    tensor.load(tensor.offset(index), tensor.strides[1], &mut values);
    values
}

/// `y = alpha * normalised x + beta * y`.
pub fn forward(lrn: Lrn, x: Tensor, y: Tensor, scale: Scale) -> Stage {
    places(&x.clone(), move |index| {
        let from = line(&x, &index);
        let channels = from.iter().enumerate();
        let mut to: Vec<f64> =
            channels.map(|(c, value)| value * lrn.divisor(&from, c).powf(-lrn.beta)).collect();
        y.blend(y.offset(&index), y.strides[1], &mut to, scale);
    })
}

/// `dx = alpha * (gradient of x) + beta * dx`.
pub fn backward(lrn: Lrn, x: Tensor, dy: Tensor, dx: Tensor, scale: Scale) -> Stage {
    places(&x.clone(), move |index| {
        let (from, gradient) = (line(&x, &index), line(&dy, &index));
        let divisors: Vec<f64> = (0..from.len()).map(|c| lrn.divisor(&from, c)).collect();
        let mut to: Vec<f64> = gradient
            .iter()
            .zip(&divisors)
            .map(|(dy, divisor)| dy * divisor.powf(-lrn.beta))
            .collect();
        let factor = -2.0 * lrn.alpha * lrn.beta / lrn.window as f64;
        for c in 0..from.len() {
            let shared = factor * gradient[c] * from[c] * divisors[c].powf(-lrn.beta - 1.0);
            for other in lrn.around(c, from.len()) {
                to[other] += shared * from[other];
            }
        }
        dx.blend(dx.offset(&index), dx.strides[1], &mut to, scale);
    })
}
