//! Barriers of a block to which the lanes of a warp come by different ways: those below 16, those from 16 on, and
//! a second warp.

use std::ffi::c_void;

use super::Case;
use crate::Answers;
use crate::setup::*;
use differential::api::Api;

/// The answers of a kernel whose lanes come by these ways, each storing `%v` at its end: the answer of the wait, then
/// what each half of the warps has left. `%t` is true. `threads` is 32 or 64.
fn meet(api: &Api, threads: u32, [low, high, second]: [&str; 3]) -> Answers {
    context(api);
    let text = format!(
        "
.version 8.0
.target sm_75
.address_size 64
.visible .entry meet(.param .u64 out)
{{
    .reg .b32 %thread, %lane, %v, %w;
    .reg .b64 %out;
    .reg .pred %t, %high, %second;
    ld.param.u64 %out, [out];
    cvta.to.global.u64 %out, %out;
    mov.u32 %thread, %tid.x;
    mad.wide.u32 %out, %thread, 4, %out;
    and.b32 %lane, %thread, 31;
    mov.u32 %v, 1;
    setp.eq.u32 %t, 0, 0;
    setp.ge.u32 %second, %thread, 32;
    setp.ge.u32 %high, %lane, 16;
    @%second bra SECOND;
    @%high bra HIGH;
    {low}
    bra END;
HIGH:
    {high}
    bra END;
SECOND:
    {second}
END:
    st.global.u32 [%out], %v;
    ret;
}}
\0"
    );
    let (mut module, mut out) = (std::ptr::null_mut(), allocate(api, 256));
    must(api.cuMemsetD32_v2(out, 0, 64));
    must(api.cuModuleLoadData(&mut module, text.as_ptr().cast()));
    let meet = kernel(api, module, c"meet");
    must(launch(api, meet, threads, &mut [(&raw mut out).cast::<c_void>()]));
    let mut left = [0_u32; 64];
    let mut answers = vec![api.cuCtxSynchronize()];
    if answers[0] == 0 {
        must(api.cuMemcpyDtoH_v2(left.as_mut_ptr().cast(), out, 256));
        answers.extend((0..threads as usize).step_by(16).map(|lane| i64::from(left[lane])));
    }
    answers
}

const POPC: &str = "barrier.red.popc.u32 %v, 1, 64, %t;";

pub const CASES: &[Case] = &[
    ("barrier/one_by_two_ways", |api| {
        meet(api, 32, ["barrier.sync 1, 32;", "barrier.sync 1, 32;", ""])
    }),
    ("barrier/of_two_warps_by_three_ways", |api| {
        let sync = "barrier.sync 1, 64;";
        meet(api, 64, [sync, sync, sync])
    }),
    ("barrier/counts_by_three_ways", |api| meet(api, 64, [POPC, POPC, POPC])),
    ("barrier/others_exit", |api| {
        meet(api, 64, ["barrier.sync 1, 64;", "exit;", "barrier.sync 1, 64;"])
    }),
    ("barrier/counts_without_who_exits", |api| meet(api, 64, [POPC, "exit;", POPC])),
    ("barrier/all_without_who_exits", |api| {
        meet(api, 64, ["barrier.sync 1;", "exit;", "barrier.sync 1;"])
    }),
    ("barrier/two", |api| {
        let both = "barrier.sync 1, 64; barrier.sync 2, 64;";
        meet(api, 64, ["barrier.sync 1, 64;", "barrier.sync 2, 64;", both])
    }),
    ("barrier/two_in_other_order", |api| {
        let both = "barrier.sync 2, 64; barrier.sync 1, 64;";
        meet(api, 64, ["barrier.sync 1, 64;", "barrier.sync 2, 64;", both])
    }),
    ("barrier/two_of_all", |api| {
        let both = "barrier.sync 1; barrier.sync 2;";
        meet(api, 64, ["barrier.sync 1;", "barrier.sync 2;", both])
    }),
    ("barrier/two_of_one_warp", |api| {
        meet(api, 32, ["barrier.sync 1, 32;", "barrier.sync 2, 32;", ""])
    }),
    ("barrier/two_that_count", |api| {
        let other = "barrier.red.popc.u32 %v, 2, 64, %t;";
        let both = "barrier.red.popc.u32 %v, 1, 64, %t; barrier.red.popc.u32 %w, 2, 64, %t;";
        meet(api, 64, [POPC, other, both])
    }),
    ("barrier/arrive_at_another", |api| {
        let both = "barrier.sync 1, 64; barrier.arrive 2, 64;";
        meet(api, 64, ["barrier.arrive 1, 64;", "barrier.sync 2, 64;", both])
    }),
    ("barrier/arrive_by_two_ways", |api| {
        meet(api, 64, ["barrier.arrive 1, 64;", "barrier.arrive 1, 64;", "barrier.sync 1, 64;"])
    }),
    ("barrier/of_two_sizes", |api| {
        meet(api, 64, ["barrier.sync 1, 64;", "barrier.sync 1, 96;", "barrier.sync 1, 64;"])
    }),
    ("barrier/of_all_and_of_some", |api| {
        meet(api, 64, ["barrier.sync 1;", "barrier.sync 1, 64;", "barrier.sync 1;"])
    }),
    ("barrier/both_crossed", |api| {
        let (forth, back) =
            ("barrier.sync 1, 64; barrier.sync 2, 64;", "barrier.sync 2, 64; barrier.sync 1, 64;");
        meet(api, 64, [forth, back, forth])
    }),
];
