//! Errors of the memory that its controllers have found (EDAC).

use super::super::EccErrors;
use zluda_common::linux::files::Root;

const FOLDER: &str = "sys/devices/system/edac/mc";

/// The sum over all controllers, if there is one that counts.
pub(super) fn errors(root: &Root) -> Option<EccErrors> {
    let names = root.names(FOLDER).into_iter();
    let controllers = names
        .filter(|name| name.strip_prefix("mc").is_some_and(|number| number.parse::<u32>().is_ok()));
    let counts = controllers.filter_map(|name| {
        Some(EccErrors {
            corrected: root.number(format!("{FOLDER}/{name}/ce_count"))?,
            uncorrected: root.number(format!("{FOLDER}/{name}/ue_count"))?,
        })
    });
    counts.reduce(|a, b| EccErrors {
        corrected: a.corrected.saturating_add(b.corrected),
        uncorrected: a.uncorrected.saturating_add(b.uncorrected),
    })
}
