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
    Lines::new(source).line_column(offset)
}

/// A text with the places where its lines begin, for who asks for many.
pub struct Lines<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub fn new(source: &'a str) -> Self {
        let ends = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(place, _)| place + 1)).collect();
        Self { source, starts }
    }

    /// Line and column of an offset, both from 1; columns count bytes.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let offset = (offset as usize).min(self.source.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        (line, offset - self.starts[line - 1] + 1)
    }

    /// The text of a line, counted from 1, without its end; empty where there is none.
    pub fn text(&self, line: usize) -> &'a str {
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line));
        let rest = start.and_then(|start| self.source.get(*start..)).unwrap_or_default();
        rest.lines().next().unwrap_or_default()
    }
}
