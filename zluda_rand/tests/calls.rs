//! Wrong arguments have the status that NVIDIA's library answers.

#[macro_use]
mod call;

use call::Handle;
use std::ptr::null_mut;

const NOT_INITIALIZED: u32 = 101;
const TYPE_ERROR: u32 = 103;
const OUT_OF_RANGE: u32 = 104;
const LENGTH_NOT_MULTIPLE: u32 = 105;

#[test]
fn wrong_arguments_have_a_status() {
    let library = call::open();
    let create = |kind: u32| {
        let mut handle: Handle = null_mut();
        let name = "curandCreateGeneratorHost";
        (call!(library, name, *mut Handle: &mut handle, u32: kind), handle)
    };
    for kind in [99, 102, 120, 140, 143, 160, 162, 205, u32::MAX] {
        assert_eq!(create(kind).0, TYPE_ERROR, "{kind}");
    }
    let order =
        |handle, order| call!(library, "curandSetGeneratorOrdering", Handle: handle, u32: order);
    let seed =
        |handle| call!(library, "curandSetPseudoRandomGeneratorSeed", Handle: handle, u64: 1);
    let offset = |handle| call!(library, "curandSetGeneratorOffset", Handle: handle, u64: 1);
    let dimensions = |handle, count| call!(library, "curandSetQuasiRandomGeneratorDimensions", Handle: handle, u32: count);
    // The orderings that each takes, and whether it has an offset.
    let table: [(u32, &[u32], bool); 6] = [
        (101, &[100, 101, 102, 103], true),
        (121, &[100, 101, 103], true),
        (141, &[100, 101, 103], false),
        (142, &[101, 103], false),
        (161, &[100, 101, 103], true),
        (201, &[201], true),
    ];
    for (kind, orders, has_offset) in table {
        let (status, handle) = create(kind);
        assert_eq!(status, 0);
        for which in [0, 100, 101, 102, 103, 104, 105, 200, 201, 202] {
            let wanted = if orders.contains(&which) { 0 } else { OUT_OF_RANGE };
            assert_eq!(order(handle, which), wanted, "ordering {which} of {kind}");
        }
        let is_quasi = kind >= 200;
        assert_eq!(seed(handle), if is_quasi { TYPE_ERROR } else { 0 }, "seed of {kind}");
        assert_eq!(offset(handle), if has_offset { 0 } else { TYPE_ERROR }, "offset of {kind}");
        for count in [0, 1, 20_000, 20_001] {
            let wanted = match count {
                _ if !is_quasi => TYPE_ERROR,
                0 | 20_001 => OUT_OF_RANGE,
                _ => 0,
            };
            assert_eq!(dimensions(handle, count), wanted, "{count} dimensions of {kind}");
        }
        let mut place = [0u64; 4];
        let long = call!(library, "curandGenerateLongLong", Handle: handle, *mut u64: place.as_mut_ptr(), usize: 1);
        assert_eq!(long, TYPE_ERROR, "64 bits of {kind}");
        // Two of the generators make normal values in pairs.
        let odd = call!(
            library, "curandGenerateNormal",
            Handle: handle, *mut f32: place.as_mut_ptr().cast(), usize: 3, f32: 0.0, f32: 1.0
        );
        let wanted = match kind {
            101 | 121 => LENGTH_NOT_MULTIPLE,
            // Of the 20,000 dimensions that were set.
            201 => LENGTH_NOT_MULTIPLE,
            _ => 0,
        };
        assert_eq!(odd, wanted, "three normal values of {kind}");
        let none = call!(library, "curandGenerate", Handle: handle, *mut u32: null_mut(), usize: 0);
        assert_eq!(none, 0, "nothing of {kind}");
        assert_eq!(call!(library, "curandDestroyGenerator", Handle: handle), 0);
        for status in [
            call!(library, "curandDestroyGenerator", Handle: handle),
            seed(handle),
            offset(handle),
            order(handle, 101),
            dimensions(handle, 1),
            call!(library, "curandSetStream", Handle: handle, Handle: null_mut()),
            call!(library, "curandGenerate", Handle: handle, *mut u32: null_mut(), usize: 1),
        ] {
            assert_eq!(status, NOT_INITIALIZED, "{kind} that was destroyed");
        }
    }
    let bits = create(203).1;
    assert_eq!(
        call!(library, "curandGenerate", Handle: bits, *mut u32: null_mut(), usize: 1),
        TYPE_ERROR
    );
}

#[test]
fn tables_and_versions_are_there() {
    let library = call::open();
    let mut version = 0;
    assert_eq!(call!(library, "curandGetVersion", *mut i32: &mut version), 0);
    assert_eq!(version, 10_405);
    let mut vectors = std::ptr::null_mut::<[u32; 32]>();
    let get = "curandGetDirectionVectors32";
    assert_eq!(call!(library, get, *mut *mut [u32; 32]: &mut vectors, u32: 100), OUT_OF_RANGE);
    assert_eq!(call!(library, get, *mut *mut [u32; 32]: &mut vectors, u32: 103), OUT_OF_RANGE);
    assert_eq!(call!(library, get, *mut *mut [u32; 32]: &mut vectors, u32: 101), 0);
    // SAFETY: the table has 20,000 rows.
    let row = unsafe { vectors.add(2).read() };
    // The third dimension, as Joe and Kuo's page has it: degree 2, polynomial 1, numbers 1 and 3.
    assert_eq!(row[..4], [0x8000_0000, 0xc000_0000, 0x6000_0000, 0x9000_0000]);
}
