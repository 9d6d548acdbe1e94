//! Places in the source.

/// A range of bytes of the source.
///
/// All spans are equal to each other: where something stands is no part of what it is, and trees can
/// be compared with `==`. Compare `start` and `end` where places matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl Span {
    /// From one byte of the source to another, which is not part of it. Offsets above `u32::MAX` become that.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: clamp(start), end: clamp(end) }
    }

    /// The span of `part`, if it is a slice of `source` (as all names of a tree are).
    pub fn of(source: &str, part: &str) -> Option<Span> {
        let start = (part.as_ptr() as usize).checked_sub(source.as_ptr() as usize)?;
        let end = start.checked_add(part.len())?;
        (end <= source.len()).then(|| Span::new(start, end))
    }

    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.start) }
    }

    /// The text of the span; empty where the source does not have it.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Line and column of an offset, both from 1; columns count bytes.
pub fn line_column(source: &str, offset: u32) -> (usize, usize) {
    let before = &source.as_bytes()[..(offset as usize).min(source.len())];
    let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    (line, before.len() - line_start + 1)
}
