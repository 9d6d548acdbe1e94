//! The hidden parameters of kernels: words that the driver puts behind CUDA's parameters.

/// A hidden parameter, in the order of their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// The address of the module's globals segment.
    Globals,
    /// The address of the grid's workspace in a cooperative launch, else 0.
    Workspace,
    /// On AMD GPUs the address of the context's services, else 0.
    Services,
}

const WORD: u32 = size_of::<u64>() as u32;

/// Bytes of all hidden parameters.
pub const HIDDEN_BYTES: u32 = 3 * WORD;

/// The offset of the hidden parameters, in bytes, behind `param_size` bytes of CUDA's.
pub fn hidden_offset(param_size: u32) -> u32 {
    param_size.next_multiple_of(WORD)
}

impl Hidden {
    /// Its offset, in bytes, in a parameter buffer whose hidden parameters begin at `hidden_offset`.
    pub fn place(self, hidden_offset: u32) -> u64 {
        u64::from(hidden_offset) + u64::from(WORD) * self as u64
    }
}

/// The words of all hidden parameters and their places in the buffer.
pub fn hidden_words(
    hidden_offset: u32,
    globals: u64,
    workspace: u64,
    services: u64,
) -> [(usize, u64); 3] {
    [(Hidden::Globals, globals), (Hidden::Workspace, workspace), (Hidden::Services, services)]
        .map(|(hidden, word)| (hidden.place(hidden_offset) as usize, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lie_side_by_side_behind_the_parameters() {
        assert_eq!(hidden_words(hidden_offset(5), 1, 2, 3), [(8, 1), (16, 2), (24, 3)]);
        assert_eq!(hidden_offset(5) + HIDDEN_BYTES, 32);
    }
}
