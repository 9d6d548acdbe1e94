//! What the driver has to know of a PTX module besides its code: kernels and variables. Kept in the cache
//! beside the code, so that a program's second run does not read the PTX.

/// Everything about one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    pub(crate) kernels: Vec<KernelInfo>,
    pub(crate) globals: Globals,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KernelInfo {
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    /// Bytes of the parameters that the program gives.
    pub(crate) param_size: u32,
    /// Where the hidden parameters begin.
    pub(crate) hidden_offset: u32,
    /// Bytes of all parameters.
    pub(crate) total_param_size: u32,
    /// Bytes of static shared memory.
    pub(crate) static_shared: u32,
    /// Bytes of local memory of a thread.
    pub(crate) local_size: u32,
    /// Threads in a block at most.
    pub(crate) max_threads: u32,
    /// The block size that the kernel demands; zeros where it demands none.
    pub(crate) required_block: [u32; 3],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Param {
    pub(crate) offset: u32,
    pub(crate) size: u32,
}

/// The segment of a module's variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Globals {
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) variables: Vec<Variable>,
    /// The first bytes at load; all others are 0.
    pub(crate) image: Vec<u8>,
    /// Words of the image to which the address of the segment is to be added.
    pub(crate) relocations: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl Metadata {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(Vec::new());
        out.number(self.kernels.len() as u64);
        for kernel in &self.kernels {
            out.bytes(kernel.name.as_bytes());
            out.number(kernel.params.len() as u64);
            for param in &kernel.params {
                out.numbers([param.offset, param.size]);
            }
            let [x, y, z] = kernel.required_block;
            out.numbers([
                kernel.param_size,
                kernel.hidden_offset,
                kernel.total_param_size,
                kernel.static_shared,
                kernel.local_size,
                kernel.max_threads,
                x,
                y,
                z,
            ]);
        }
        out.number(self.globals.size);
        out.number(self.globals.variables.len() as u64);
        for variable in &self.globals.variables {
            out.bytes(variable.name.as_bytes());
            out.number(variable.offset);
            out.number(variable.size);
        }
        out.bytes(&self.globals.image);
        out.number(self.globals.relocations.len() as u64);
        for offset in &self.globals.relocations {
            out.number(*offset);
        }
        out.0
    }

    /// `None`: these are not the bytes that [`to_bytes`](Self::to_bytes) made.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Metadata> {
        let mut input = Reader(bytes);
        let kernels = input.list(|input| {
            let name = input.text()?;
            let params = input.list(|input| {
                let [offset, size] = input.numbers()?;
                Some(Param { offset, size })
            })?;
            let [
                param_size,
                hidden_offset,
                total_param_size,
                static_shared,
                local_size,
                max_threads,
                x,
                y,
                z,
            ] = input.numbers()?;
            Some(KernelInfo {
                name,
                params,
                param_size,
                hidden_offset,
                total_param_size,
                static_shared,
                local_size,
                max_threads,
                required_block: [x, y, z],
            })
        })?;
        let size = input.number()?;
        let variables = input.list(|input| {
            Some(Variable { name: input.text()?, offset: input.number()?, size: input.number()? })
        })?;
        let image = input.bytes()?.to_vec();
        let relocations = input.list(Reader::number)?;
        input.0.is_empty().then_some(Metadata {
            kernels,
            globals: Globals { size, variables, image, relocations },
        })
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn numbers<const N: usize>(&mut self, numbers: [u32; N]) {
        for number in numbers {
            self.0.extend_from_slice(&number.to_le_bytes());
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    fn numbers<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = u32::from_le_bytes(self.take(4)?.try_into().ok()?);
        }
        Some(numbers)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let size = self.number()?;
        self.take(usize::try_from(size).ok()?)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        // Grows with what is really there.
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(item(self)?);
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_hold_everything_and_cuts_are_noticed() {
        let metadata = Metadata {
            kernels: vec![KernelInfo {
                name: "k".to_owned(),
                params: vec![Param { offset: 0, size: 8 }, Param { offset: 8, size: 4 }],
                param_size: 12,
                hidden_offset: 16,
                total_param_size: 24,
                static_shared: 1024,
                local_size: 64,
                max_threads: 256,
                required_block: [32, 8, 1],
            }],
            globals: Globals {
                size: 4096,
                variables: vec![Variable { name: "v".to_owned(), offset: 16, size: 4 }],
                image: vec![1, 2, 3],
                relocations: vec![8],
            },
        };
        let bytes = metadata.to_bytes();
        assert_eq!(Metadata::from_bytes(&bytes), Some(metadata));
        for length in 0..bytes.len() {
            assert_eq!(Metadata::from_bytes(&bytes[..length]), None, "{length}");
        }
    }
}
