//! Recorded outputs: a folder with a zstd-compressed list of forms and their output words for each family.

use std::collections::BTreeMap;
use std::path::Path;

#[derive(Default)]
pub struct Answers {
    forms: BTreeMap<String, Vec<u64>>,
}

impl Answers {
    /// Adds the outputs of a form, two words for each case.
    pub fn insert(&mut self, name: String, outputs: Vec<u64>) {
        self.forms.insert(name, outputs);
    }

    /// The outputs of a form, two words for each case; none where it has no recording.
    pub fn get(&self, name: &str) -> Option<&Vec<u64>> {
        self.forms.get(name)
    }

    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// The answers of all files of a folder.
    pub fn read_folder(folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut answers = Self::default();
        for entry in entries {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "zst") {
                answers.forms.extend(Self::read(&path).forms);
            }
        }
        answers
    }

    /// Each form: name length, name, number of words, then the words' bytes, all first bytes before all
    /// second ones, which compresses better. Numbers are `u32`, little-endian.
    pub fn write(&self, path: &Path) {
        let mut bytes = Vec::new();
        for (name, outputs) in &self.forms {
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.extend((outputs.len() as u32).to_le_bytes());
            for byte in 0..8 {
                bytes.extend(outputs.iter().map(|word| word.to_le_bytes()[byte]));
            }
        }
        std::fs::write(path, zstd::encode_all(bytes.as_slice(), 19).unwrap()).unwrap();
    }

    fn read(path: &Path) -> Self {
        let packed =
            std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let bytes = zstd::decode_all(packed.as_slice()).unwrap();
        let mut rest = bytes.as_slice();
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at(count);
            rest = tail;
            (head, rest.is_empty())
        };
        let mut answers = Self::default();
        loop {
            let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap()) as usize;
            let length = number(take(4).0);
            let name = String::from_utf8(take(length).0.to_vec()).unwrap();
            let count = number(take(4).0);
            let (planes, last) = take(8 * count);
            let word =
                |i: usize| u64::from_le_bytes(std::array::from_fn(|byte| planes[byte * count + i]));
            answers.insert(name, (0..count).map(word).collect());
            if last {
                return answers;
            }
        }
    }
}
