//! Attributes of memory pools, each by itself.

use std::ptr::null_mut;

use cuda_types::cuda::*;

use super::NamedCase;
use crate::Sheet;
use crate::setup::*;
use differential::api::Api;

/// Reads an attribute of a new pool, sets it, and reads it again.
fn attribute(api: &Api, sheet: &mut Sheet, number: u32, values: &[u64]) {
    context(api);
    let (pool, attribute, mut value) = (memory_pool(api), CUmemPool_attribute(number), 0_u64);
    sheet.put("get", api.cuMemPoolGetAttribute(pool, attribute, (&raw mut value).cast()));
    sheet.put("is", value as i64);
    for wanted in values {
        let mut given = *wanted;
        sheet.put(
            &format!("set_{wanted}"),
            api.cuMemPoolSetAttribute(pool, attribute, (&raw mut given).cast()),
        );
        value = 0;
        must(api.cuMemPoolGetAttribute(pool, attribute, (&raw mut value).cast()));
        sheet.put(&format!("is_{wanted}"), value as i64);
    }
    sheet
        .put("get_null", api.cuMemPoolGetAttribute(null_mut(), attribute, (&raw mut value).cast()));
}

pub const CASES: &[NamedCase] = &[
    ("pool_attribute/reuse_events", |api, sheet| attribute(api, sheet, 1, &[0, 1, 2])),
    ("pool_attribute/reuse_opportunistic", |api, sheet| attribute(api, sheet, 2, &[0, 1])),
    ("pool_attribute/reuse_internal", |api, sheet| attribute(api, sheet, 3, &[0, 1])),
    ("pool_attribute/threshold", |api, sheet| attribute(api, sheet, 4, &[0, 1 << 20, 1 << 40])),
    ("pool_attribute/reserved", |api, sheet| attribute(api, sheet, 5, &[0, 1])),
    ("pool_attribute/reserved_high", |api, sheet| attribute(api, sheet, 6, &[0, 1])),
    ("pool_attribute/used", |api, sheet| attribute(api, sheet, 7, &[0, 1])),
    ("pool_attribute/used_high", |api, sheet| attribute(api, sheet, 8, &[0, 1])),
];
