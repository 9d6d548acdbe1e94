//! Whether a program writes the same everywhere: for programs that do not check themselves.
//!
//! Words that differ between two runs in the same place are times, addresses and the like, and count for
//! nothing; so do numbers in lines about speed, which may be equal twice by chance, and lines about the device.

/// Words of lines whose numbers are measured.
const MEASURED: &[&str] = &[
    "time",
    "timing",
    "elapsed",
    "ms",
    "us",
    "usec",
    "msec",
    "sec",
    "secs",
    "second",
    "seconds",
    "bandwidth",
    "throughput",
    "speedup",
    "performance",
    "gflops",
    "gflop",
    "flops",
    "flop",
    "fps",
    "latency",
    "duration",
    "memory",
    "clock",
];

/// Texts, in small letters, of lines that describe the device.
const DEVICE: &[&str] = &["zluda", "multiprocessor", "multi-processor"];

/// The first difference of `other` from `base`, where `again` is a second run of `base`.
pub fn difference(base: &str, again: &str, other: &str, ignored: &[String]) -> Option<String> {
    let [base, again, other] = [base, again, other].map(|text| lines(text, ignored));
    if base.len() != again.len() {
        return Some("two runs in one place write different numbers of lines".to_owned());
    }
    for ((base, again), other) in base.iter().zip(&again).zip(&other) {
        let stable = base.len() == again.len();
        let same =
            |((base, again), other): ((&String, &String), &String)| base == other || base != again;
        let equal = base.len() == other.len() && base.iter().zip(again).zip(other).all(same);
        if stable && !equal {
            return Some(format!("`{}` for `{}`", other.join(" "), base.join(" ")));
        }
    }
    (base.len() != other.len()).then(|| format!("{} lines for {}", other.len(), base.len()))
}

/// The words of each line, without the numbers that are measured.
fn lines(text: &str, ignored: &[String]) -> Vec<Vec<String>> {
    let describes_device = |line: &str| {
        let line = line.to_ascii_lowercase();
        DEVICE.iter().any(|text| line.contains(text))
    };
    text.lines()
        .filter(|line| !describes_device(line))
        .filter(|line| !ignored.iter().any(|text| line.contains(text)))
        .map(|line| {
            let small = line.to_ascii_lowercase();
            let measured =
                small.split(|c: char| !c.is_alphabetic()).any(|word| MEASURED.contains(&word))
                    || small.contains("b/s");
            line.split_whitespace()
                .map(|word| match measured && word.contains(|c: char| c.is_ascii_digit()) {
                    true => "#".to_owned(),
                    false => word.to_owned(),
                })
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_compared_and_what_changes_by_itself_is_not() {
        let base = "kernel took 5 ms\nat 0x10\nsum 3.5\n";
        let again = "kernel took 5 ms\nat 0x20\nsum 3.5\n";
        assert_eq!(difference(base, again, "kernel took 7 ms\nat 0x30\nsum 3.5\n", &[]), None);
        let other = "kernel took 7 ms\nat 0x30\nsum 3.25\n";
        assert_eq!(difference(base, again, other, &[]).unwrap(), "`sum 3.25` for `sum 3.5`");
        assert_eq!(difference(base, again, other, &["sum".to_owned()]), None);
        let device = "Device 0: a GPU [ZLUDA]\n".to_owned() + base;
        assert_eq!(difference(base, again, &device, &[]), None);
        let shorter = "kernel took 7 ms\nat 0x30\n";
        assert_eq!(difference(base, again, shorter, &[]).unwrap(), "2 lines for 3");
        assert!(difference(base, shorter, base, &[]).unwrap().contains("numbers of lines"));
    }
}
