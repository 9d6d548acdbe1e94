//! Prints words (hex, one a line on stdin) decoded.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use std::io::{BufRead, Write};
fn main() {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (address, word) = line.split_once(' ').unwrap();
        let address = u64::from_str_radix(address, 16).unwrap();
        let word = u128::from_str_radix(word, 16).unwrap();
        match sass::decode::decode(address, word) {
            Ok(i) => writeln!(out, "{i}").unwrap(),
            Err(_) => writeln!(out, "?").unwrap(),
        }
    }
}
