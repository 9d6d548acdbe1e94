//! Memory of our own whose size a program says. Where there is none the work ends, as it does where the program's own memory
//! is not there; the process goes on.

/// Room for so many values.
pub(crate) fn room<T>(count: usize) -> Vec<T> {
    let mut values = Vec::new();
    if values.try_reserve_exact(count).is_err() {
        std::panic::resume_unwind(Box::new("no memory for a sparse matrix's work"));
    }
    values
}

/// So many values that are the same.
pub(crate) fn filled<T: Clone>(value: T, count: usize) -> Vec<T> {
    let mut values = room(count);
    values.resize(count, value);
    values
}

/// All values of an iterator that tells how many they are.
pub(crate) fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut all = room(values.len());
    all.extend(values);
    all
}

/// Looks whether a program's memory is there, before there is any of ours for it: a wrong size is found in time.
///
/// # Safety
/// The place is memory of the program's, or the work ends as a kernel does.
pub(crate) unsafe fn touch(place: *const u8) {
    // SAFETY: the caller says so.
    unsafe { place.read_volatile() };
}
