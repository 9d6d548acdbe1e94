//! What has changed in a stretch of memory.

use std::ops::Range;

/// Bytes that are looked at, and changed, together.
const WORD: usize = 8;

/// The stretches in which two slices of one length differ, to words of 8 bytes: what lies between is the same.
pub(crate) fn of<'a>(old: &'a [u8], new: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    assert_eq!(old.len(), new.len());
    let differs = move |word: usize| {
        let range = word * WORD..((word + 1) * WORD).min(old.len());
        old[range.clone()] != new[range]
    };
    let words = old.len().div_ceil(WORD);
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = (next..words).find(|word| differs(*word))?;
        let end = (start..words).find(|word| !differs(*word)).unwrap_or(words);
        next = end;
        Some(start * WORD..(end * WORD).min(old.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::of;

    fn changed(old: &[u8], new: &[u8]) -> Vec<(usize, usize)> {
        of(old, new).map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn stretches_are_whole_words() {
        let old = [0; 35];
        let mut new = old;
        assert_eq!(changed(&old, &new), []);
        new[3] = 1;
        assert_eq!(changed(&old, &new), [(0, 8)]);
        new[8] = 1;
        new[31] = 1;
        assert_eq!(changed(&old, &new), [(0, 16), (24, 32)]);
        new[34] = 1;
        assert_eq!(changed(&old, &new), [(0, 16), (24, 35)]);
        assert_eq!(changed(&[], &[]), []);
    }
}
