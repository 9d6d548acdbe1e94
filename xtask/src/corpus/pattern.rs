//! The names of programs in a list: one program's, or a glob that stands for several.

use glob::{MatchOptions, Pattern as Glob};

/// `*` ends at a folder, `**` stands for any folders.
const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    Name(String),
    /// Names with a `*`.
    Glob(Glob),
}

impl Pattern {
    /// `Err`: why it is no glob.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !text.contains('*') {
            return Ok(Self::Name(text.to_owned()));
        }
        Glob::new(text).map(Self::Glob).map_err(|error| format!("`{text}`: {error}"))
    }

    /// Whether it stands for the program or the file of this name.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::Name(text) => text == name,
            Self::Glob(glob) => glob.matches_with(name, OPTIONS),
        }
    }

    /// As the list has it.
    pub fn text(&self) -> &str {
        match self {
            Self::Name(text) => text,
            Self::Glob(glob) => glob.as_str(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_ends_at_a_folder_and_two_do_not() {
        for (pattern, name, expected) in [
            ("a/b", "a/b", true),
            ("a/b", "x/a/b", false),
            ("b+t[1]", "b+t[1]", true),
            ("a/*.cu", "a/x.cu", true),
            ("a/*.cu", "a/b/x.cu", false),
            ("a/**/*.cu", "a/b/c/x.cu", true),
            ("a/**/*.cu", "a/x.cu", true),
            ("a/**/x.cu", "b/a/x.cu", false),
            ("a/**", "a/b/x.cu", true),
        ] {
            let found = Pattern::parse(pattern).unwrap();
            assert_eq!((found.text(), found.matches(name)), (pattern, expected), "{name}");
        }
        assert!(Pattern::parse("a**").is_err());
    }
}
