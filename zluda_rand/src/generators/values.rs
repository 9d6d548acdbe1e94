//! Values from draws: the arithmetic of each distribution, operation by operation as cuRAND's, so that all bits agree.

use super::inverse::erfcinv;
use super::libm::{exp, expf, log, logf, sincos, sincosf};
use std::f64::consts::{PI, SQRT_2};

/// 2^-32 and 2^-53, to the precision that cuRAND has them in.
const STEP: f32 = 2.328_306_4e-10;
const STEP_DOUBLE: f64 = 2.328_306_436_538_696_3e-10;
const STEP_53: f64 = f64::EPSILON / 2.0;
const TWO_PI: f32 = 6.283_185_5;
/// The scales of MRG32k3a's draws, for 32 bits and for numbers below 1.
const MRG_BITS: f64 = 1.000_000_048_662;
const MRG_STEP: f64 = 2.328_306_549_837_829e-10;

pub fn uniform(draw: u32) -> f32 {
    draw as f32 * STEP + STEP / 2.0
}

/// From the 32 bits of a draw.
pub fn uniform_double(draw: u32) -> f64 {
    f64::from(draw) * STEP_DOUBLE + STEP_DOUBLE
}

/// Of all 53 bits.
pub fn uniform_53(low: u32, high: u32) -> f64 {
    (u64::from(low) ^ u64::from(high) << 21) as f64 * STEP_53 + STEP_53 / 2.0
}

/// From the 64 bits of a draw.
pub fn uniform_double_64(draw: u64) -> f64 {
    (draw >> 11) as f64 * STEP_53 + STEP_53 / 2.0
}

/// MT19937's, in whose double precision a draw is the middle of its interval.
pub fn uniform_middle(draw: u32) -> f64 {
    f64::from(draw) * STEP_DOUBLE + STEP_DOUBLE / 2.0
}

pub fn mrg_bits(draw: u32) -> u32 {
    (f64::from(draw) * MRG_BITS) as u32
}

pub fn mrg_uniform_double(draw: u32) -> f64 {
    f64::from(draw) * MRG_STEP
}

pub fn mrg_uniform(draw: u32) -> f32 {
    mrg_uniform_double(draw) as f32
}

/// Two normal values of two uniform ones, the second times 2 pi.
fn box_muller_of(u: f32, angle: f32) -> [f32; 2] {
    let length = (-2.0 * logf(u)).sqrt();
    let (sin, cos) = sincosf(angle);
    [sin * length, cos * length]
}

fn box_muller_double_of(u: f64, angle: f64) -> [f64; 2] {
    let length = (-2.0 * log(u)).sqrt();
    let (sin, cos) = sincos(angle);
    [sin * length, cos * length]
}

pub fn box_muller(x: u32, y: u32) -> [f32; 2] {
    box_muller_of(uniform(x), y as f32 * (STEP * TWO_PI) + STEP * TWO_PI / 2.0)
}

pub fn box_muller_double(draws: [u32; 4]) -> [f64; 2] {
    let [x0, x1, y0, y1] = draws;
    let angle = (u64::from(y0) ^ u64::from(y1) << 21) as f64 * (STEP_53 * 2.0) + STEP_53;
    box_muller_double_of(uniform_53(x0, x1), angle * PI)
}

pub fn mrg_box_muller(x: u32, y: u32) -> [f32; 2] {
    box_muller_of(mrg_uniform(x), mrg_uniform(y) * TWO_PI)
}

pub fn mrg_box_muller_double(x: u32, y: u32) -> [f64; 2] {
    box_muller_double_of(mrg_uniform_double(x), mrg_uniform_double(y) * 2.0 * PI)
}

/// A normal value by the inverse of its distribution. Draws of the upper half are mirrored, where small numbers are exact.
pub fn normal(draw: u32) -> f32 {
    const ROOT: f32 = -std::f32::consts::SQRT_2;
    let (draw, root) = if draw > 1 << 31 { (!draw, -ROOT) } else { (draw, ROOT) };
    root * erfcinv(f64::from(2.0 * uniform(draw))) as f32
}

pub fn normal_double(draw: u32) -> f64 {
    let (draw, root) = if draw > 1 << 31 { (!draw, SQRT_2) } else { (draw, -SQRT_2) };
    root * erfcinv(2.0 * uniform_middle(draw))
}

pub fn normal_double_64(draw: u64) -> f64 {
    let draw = draw >> 11;
    let mirror = draw > 1 << 52;
    let (draw, root) = if mirror { ((1 << 53) - 1 - draw, SQRT_2) } else { (draw, -SQRT_2) };
    root * erfcinv(2.0 * (draw as f64 * STEP_53 + STEP_53 / 2.0))
}

/// Mean and standard deviation of a normal value, and whether it becomes the exponent of another.
#[derive(Clone, Copy, Debug)]
pub struct Scale<T> {
    pub mean: T,
    pub deviation: T,
    pub log: bool,
}

impl Scale<f32> {
    #[inline(always)]
    pub fn of(self, value: f32) -> f32 {
        let value = self.mean + self.deviation * value;
        if self.log { expf(value) } else { value }
    }
}

impl Scale<f64> {
    #[inline(always)]
    pub fn of_double(self, value: f64) -> f64 {
        let value = self.mean + self.deviation * value;
        if self.log { exp(value) } else { value }
    }
}
