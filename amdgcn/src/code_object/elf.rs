//! Headers of objects.

/// The version of the ABI, among the bytes that identify a file.
const VERSION: usize = 8;
/// `e_flags`: the GPU, and how it handles ECC and page faults.
const FLAGS: std::ops::Range<usize> = 0x30..0x34;

/// An object whose code runs on a GPU, as one for this GPU: with the marks of another one that is.
pub fn for_same_gpu(object: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let mut object = object.to_vec();
    *object.get_mut(VERSION)? = *other.get(VERSION)?;
    object.get_mut(FLAGS)?.copy_from_slice(other.get(FLAGS)?);
    Some(object)
}
