//! What is said of the calling process itself, and of others, before `cuInit` and after it.

use std::ptr::null_mut;

use cuda_types::cuda::*;
use differential::api::Api;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;

fn ask(api: &Api, sheet: &mut Sheet, when: &str) {
    let own = std::process::id() as i32;
    let mut state = CUprocessState(77);
    sheet.put(&format!("{when}_null"), api.cuCheckpointProcessGetState(own, null_mut()));
    sheet.put(&format!("{when}_own"), api.cuCheckpointProcessGetState(own, &mut state));
    sheet.put(&format!("{when}_own_state"), state.0);
    sheet.put(&format!("{when}_none"), api.cuCheckpointProcessGetState(i32::MAX, &mut state));
    sheet.put(&format!("{when}_unlock"), api.cuCheckpointProcessUnlock(own, null_mut()));
}

pub const CASES: &[NamedCase] = &[("checkpoint/state_of_own", |api, sheet| {
    ask(api, sheet, "before");
    sheet.put("init", api.cuInit(0));
    ask(api, sheet, "initialized");
    context(api);
    ask(api, sheet, "with_context");
})];
