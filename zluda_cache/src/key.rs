//! The key by which an entry is found.

use std::fmt;

/// The BLAKE3 hash of everything that an entry depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// Each part counts with its length, so that moving a byte from one part to the next gives another key.
    pub fn new(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hash of a value as this key's entry: an entry that strayed to another key does not match.
    pub(crate) fn checksum(&self, value: &[u8]) -> [u8; 32] {
        blake3::Hasher::new_keyed(&self.0).update(value).finalize().into()
    }
}

/// In hexadecimal.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn parts_and_their_borders_matter() {
        let key = Key::new(&[b"ab", b"c"]);
        assert_eq!(key, Key::new(&[b"ab", b"c"]));
        for other in [
            &[b"a" as &[u8], b"bc"] as &[&[u8]],
            &[b"abc"],
            &[b"ab", b"c", b""],
            &[b"c", b"ab"],
            &[],
        ] {
            assert_ne!(key, Key::new(other), "{other:?}");
        }
    }

    #[test]
    fn an_empty_key_is_the_published_hash_of_nothing() {
        let hash = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(Key::new(&[]).to_string(), hash);
    }
}
