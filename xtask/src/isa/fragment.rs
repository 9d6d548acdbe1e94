//! How many registers of a warp's thread hold a matrix.

/// Kind of register and count.
pub type Fragment = (&'static str, usize);

fn numbers(shape: &str) -> Vec<usize> {
    shape.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}

fn shape(words: &[&str]) -> Option<[usize; 3]> {
    let shape = words
        .iter()
        .find(|w| w.starts_with('m') && w[1..].starts_with(|c: char| c.is_ascii_digit()))?;
    match numbers(shape)[..] {
        [m, n, k] => Some([m, n, k]),
        [m, n] => Some([m, n, 1]),
        _ => None,
    }
}

/// The types among the words.
fn types<'w>(words: &[&'w str]) -> Vec<&'w str> {
    const TYPES: &[&str] = &[
        "f16", "bf16", "tf32", "f32", "f64", "s32", "s8", "u8", "s4", "u4", "b1", "e4m3", "e5m2",
        "e3m2", "e2m3", "e2m1", "b16", "b8",
    ];
    words.iter().filter(|w| TYPES.contains(w)).copied().collect()
}

fn bits(type_: &str) -> usize {
    match type_ {
        "f64" => 64,
        "f32" | "s32" | "tf32" => 32,
        "f16" | "bf16" | "b16" => 16,
        "b1" => 1,
        "s4" | "u4" => 4,
        _ => 8,
    }
}

fn registers(type_: &str, elements: usize) -> Fragment {
    match type_ {
        "f64" => ("fd", elements),
        "f32" => ("f", elements),
        _ => ("r", (elements * bits(type_)).div_ceil(32).max(1)),
    }
}

fn mma(words: &[&str], operand: &str, sparse: bool) -> Option<Fragment> {
    let [m, n, k] = shape(words)?;
    let types = types(words);
    let [dtype, atype, btype, ctype] = types[..] else { return None };
    let four_bits = words.iter().any(|w| w.starts_with("kind::mxf4"));
    let narrow = |t: &str, elements: usize| {
        if four_bits { ("r", elements * 4 / 32) } else { registers(t, elements) }
    };
    // Four groups of eight threads multiply alike.
    let groups = if [m, n, k] == [8, 8, 4] && atype == "f16" { 4 } else { 1 };
    Some(match operand {
        "d" => registers(dtype, groups * m * n / 32),
        "c" => registers(ctype, groups * m * n / 32),
        "a" => narrow(atype, groups * m * k / 32 / if sparse { 2 } else { 1 }),
        "b" => narrow(btype, groups * n * k / 32),
        _ => return None,
    })
}

fn wmma(words: &[&str], operand: &str, type_: &str) -> Option<Fragment> {
    let [m, n, k] = shape(words)?;
    let elements = match operand {
        "a" => m * k,
        "b" => n * k,
        _ => m * n,
    };
    Some(match (type_, operand) {
        // Each element is held twice.
        ("f16", "a" | "b") => ("r", 8),
        ("tf32", _) => ("r", elements / 32),
        _ => registers(type_, elements / 32),
    })
}

fn tile(words: &[&str]) -> Option<Fragment> {
    let [m, n, _] = shape(words)?;
    let count = words.iter().find_map(|w| w.strip_prefix('x')?.parse::<usize>().ok())?;
    let each = if [m, n] == [16, 16] { 2 } else { 1 };
    Some(("r", each * count))
}

fn tensor_memory(words: &[&str]) -> Option<Fragment> {
    let count = words.iter().find_map(|w| w.strip_prefix('x')?.parse::<usize>().ok())?;
    let each = if words.contains(&"16x128b") {
        2
    } else if words.contains(&"16x256b") {
        4
    } else {
        1
    };
    Some((if words.contains(&"f32") { "f" } else { "r" }, count * each))
}

/// The registers of an operand that is a fragment.
pub fn fragment(instruction: &str, words: &[&str], operand: &str) -> Option<Fragment> {
    match instruction {
        "Mma" => mma(words, operand, false),
        "MmaSp" => mma(words, operand, true),
        "WmmaMma" => {
            let types = types(words);
            let type_ = match (operand, &types[..]) {
                ("d", [d, ..]) => d,
                ("c", [.., c]) => c,
                ("a", [_, a, _, _]) => a,
                ("b", [_, _, b, _]) => b,
                _ => "f16",
            };
            wmma(words, operand, type_)
        }
        "WmmaLoad" if operand == "r" => {
            let matrix = words.iter().find(|w| matches!(**w, "a" | "b" | "c"))?;
            wmma(words, matrix, types(words).first()?)
        }
        "WmmaStore" if operand == "r" => wmma(words, "d", types(words).first()?),
        "Ldmatrix" | "Stmatrix" if operand == "r" => tile(words),
        "WgmmaMmaAsync" | "WgmmaMmaAsyncSp" => {
            let [_, n, _] = shape(words)?;
            match operand {
                "d" => Some(registers(types(words).first()?, n / 2)),
                "a" => Some(("r", 4)),
                _ => None,
            }
        }
        "Tcgen05Ld" | "Tcgen05St" if operand == "r" => tensor_memory(words),
        _ => None,
    }
}
