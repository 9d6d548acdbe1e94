//! The inverse of the complementary error function: the rational approximations of J. M. Blair, C. A. Edwards and J. H.
//! Johnson (Rational Chebyshev Approximations for the Inverse of the Error Function, Mathematics of Computation 30 (136),
//! 1976), tables 18, 39 and 59, which are exact enough for arguments that draws become.

// The digits are those of the tables.
#![allow(clippy::excessive_precision)]

use super::libm::{log, log1p};

/// A polynomial by Horner's rule, the highest coefficient first.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    coefficients.into_iter().reduce(|sum, next| sum * x + next).unwrap_or(0.0)
}

/// Of numbers above 0 and up to 1.
pub fn erfcinv(a: f64) -> f64 {
    if a >= 0.0625 { erfinv(1.0 - a) } else { tail(log(a)) }
}

/// Of numbers from 0 to 0.9375.
fn erfinv(a: f64) -> f64 {
    if a >= 0.9375 {
        tail(log1p(-a))
    } else if a >= 0.75 {
        let t = a * a - 0.87890625;
        a * (polynomial(t, TABLE_39.0) / polynomial(t, TABLE_39.1))
    } else {
        let t = a * a - 0.5625;
        a * (polynomial(t, TABLE_18.0) / polynomial(t, TABLE_18.1))
    }
}

/// By the logarithm of the argument.
fn tail(log: f64) -> f64 {
    let t = 1.0 / (-log).sqrt();
    polynomial(t, TABLE_59.0) / (polynomial(t, TABLE_59.1) * t)
}

/// Numerator and denominator.
const TABLE_18: ([f64; 7], [f64; 8]) = (
    [
        -23.8862401043087559,
        455.602042726891281,
        -2297.74671766071449,
        4663.1433533434331287,
        -4379.96523083869262,
        1900.71535905281347,
        -307.868726423136953,
    ],
    [
        1.0,
        -83.28832790193657,
        927.413191609353188,
        -3508.89763838772641,
        5903.9348134843665626,
        -4848.16354300488721,
        1899.77691864530578,
        -283.865147253666211,
    ],
);
const TABLE_39: ([f64; 9], [f64; 9]) = (
    [
        0.21489185007307062,
        -6.42000715072094487,
        29.6313315058763081,
        -47.6443671297871818,
        34.8100577493575009,
        -12.9541989806467715,
        2.53493892207148939,
        -0.247582423628233555,
        0.0094897362808681081,
    ],
    [
        1.0,
        -12.831383833953226499,
        41.4099917784288889,
        -53.715373448862143349,
        33.880176779595142685,
        -11.3153606242380549,
        2.03692950472163512,
        -0.186116506273721785,
        0.0067544512778850945940,
    ],
);
const TABLE_59: ([f64; 11], [f64; 11]) = (
    [
        0.002783401035374700106,
        0.8603009752628026058,
        2.1371214997265515515,
        3.1598519601132090206,
        3.5780402569085996758,
        1.5335297523989890804,
        0.34839207139657522572,
        0.053644861147153648366,
        0.0043836709877126095665,
        0.00013858518113496718808,
        0.000001173835250999166668,
    ],
    [
        1.0,
        2.2859981272422905412,
        4.3859045256449554654,
        4.6632960348736635331,
        3.9846608184671757296,
        1.6068377709719017609,
        0.35609087305900265560,
        0.053963550303200816744,
        0.0043873424022706935023,
        0.00013858762165532246059,
        0.0000011738313872397777529,
    ],
);
