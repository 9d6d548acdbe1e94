//! The names that a row of the table stands for.

/// All names of `{a,b}.{c,d}`.
pub fn expand(names: &str) -> Vec<String> {
    let Some((before, rest)) = names.split_once('{') else { return vec![names.to_owned()] };
    let Some((alternatives, after)) = rest.split_once('}') else { return vec![names.to_owned()] };
    let tails = expand(after);
    let heads = alternatives.split(',').map(|alternative| format!("{before}{alternative}"));
    heads.flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect()
}

/// Whether there are more names than can be counted.
pub fn is_open(names: &str) -> bool {
    names.contains(['#', '*'])
}

/// Whether a name is one of a pattern.
pub fn stands_for(names: &str, name: &str) -> bool {
    expand(names).iter().any(|pattern| fits(pattern, name))
}

/// Whether a name is one of a pattern without alternatives.
pub fn fits(pattern: &str, name: &str) -> bool {
    if let Some(beginning) = pattern.strip_suffix('*') {
        return name.starts_with(beginning);
    }
    let (mut wanted, mut found) = (pattern.split('.'), name.split('.'));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return true,
            (Some("#"), Some(number)) if number.parse::<u32>().is_ok() => {}
            (Some(wanted), Some(found)) if wanted == found => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{expand, fits, stands_for};

    #[test]
    fn numbers_and_anything() {
        assert!(fits("matrix.#.#", "matrix.4.10"));
        assert!(!fits("matrix.#.#", "matrix.4"));
        assert!(!fits("matrix.#.#", "matrix.4.10.4018c"));
        assert!(!fits("matrix.#.#", "matrix.tile.10"));
        assert!(fits("lane.*", "lane.copy.masked"));
        assert!(stands_for("{matrix,texture}.*", "texture.5.10"));
        assert!(!stands_for("{matrix,texture}.*", "lane.5"));
    }

    #[test]
    fn alternatives_combine() {
        assert_eq!(expand("plain"), ["plain"]);
        assert_eq!(expand("{a,b.c}.x.{y,z}"), ["a.x.y", "a.x.z", "b.c.x.y", "b.c.x.z"]);
    }
}
