//! The declarations that `zluda_ml` has of ROCm SMI, against its headers and libraries.

use super::{Report, ask};
use crate::Result;
use crate::bindgen::hip_facts::{self, Facts};
use crate::repository::root;
use crate::toolkit::{RocmVersion, rocm_smi};
use std::path::Path;

const SOURCES: &str = "zluda_ml/src/backend/rocm";

/// The functions in use that versions lack, by the suite's version of ROCm.
const MISSING: &[(&str, &[&str])] =
    &[("5.2", &["rsmi_dev_power_get", "rsmi_compute_process_info_by_device_get"])];

/// `RSMI_INITIALIZATION_ERROR`, since there is no GPU.
const NO_GPU: &str = "rsmi_init 8";

type Checked<T> = std::result::Result<T, String>;

/// Checks ROCm SMI of a version. Fails if it cannot be had.
pub fn check(report: &mut Report, version: RocmVersion, probe: &Path) -> Result<()> {
    let ours = Ours::read()?;
    let smi = rocm_smi(version)?;
    let name = version.name;
    let missing = MISSING.iter().find(|(version, _)| *version == name);
    let missing = missing.map_or(&[][..], |(_, functions)| *functions);

    let headers = hip_facts::read_smi(&smi.root.headers());
    let result = headers.and_then(|theirs| ours.compare(&theirs, missing));
    report.check(format!("ROCm {name}: headers of SMI"), result);

    let mut arguments = vec![version.smi_library];
    arguments.extend(ours.functions.iter().map(|(name, _)| name.as_str()));
    let result = ask(&smi, probe, "smi", &arguments).and_then(|answers| {
        let expected = missing.iter().map(|name| format!("missing {name}"));
        let expected: Vec<_> = expected.chain([NO_GPU.to_owned()]).collect();
        if answers == expected { Ok(()) } else { Err(format!("it says: {}", answers.join("; "))) }
    });
    report.check(format!("ROCm {name}: the library of SMI"), result);
    Ok(())
}

/// The declarations in our sources.
struct Ours {
    /// Names and parameters, as the facts of headers have them.
    functions: Vec<(String, String)>,
    /// Enumerators, and places of fields in structures that all versions have the same.
    facts: Vec<(String, String)>,
    /// `layouts.rs`
    layouts: String,
}

impl Ours {
    fn read() -> Result<Ours> {
        let read = |file| std::fs::read_to_string(root().join(SOURCES).join(file));
        let text = read("functions.rs")?;
        let mut functions = Vec::new();
        for line in body(&text, "\nfunctions! {")?.lines() {
            let line = line.trim().trim_end_matches(");");
            let Some((name, parameters)) = line.split_once('(') else { continue };
            let types: Vec<_> =
                parameters.split(", ").filter_map(|part| part.split_once(": ")).collect();
            let types: Vec<_> = types.into_iter().map(|(_, ty)| ty).collect();
            functions.push((name.to_owned(), format!("({})", types.join(", "))));
        }
        let mut facts = Vec::new();
        for line in body(&text, "\nenumerators! {")?.lines() {
            let Some((ty, values)) = line.trim().trim_end_matches(';').split_once(": ") else {
                continue;
            };
            let words: Vec<_> = values.split_whitespace().collect();
            let values = words.chunks_exact(3);
            facts.extend(values.map(|word| (format!("{ty}.{}", word[0]), word[2].to_owned())));
        }
        for structure in text.split("pub(super) struct rsmi_").skip(1) {
            let (name, fields) = structure.split_once(" {").ok_or("a structure without fields")?;
            facts.extend(places(&format!("rsmi_{name}"), fields)?);
        }
        Ok(Ours { functions, facts, layouts: read("layouts.rs")? })
    }

    fn compare(&self, theirs: &Facts, missing: &[&str]) -> Checked<()> {
        if self.functions.len() < 20 || self.facts.len() < 25 {
            return Err(format!("too little was found in {SOURCES}"));
        }
        for (name, parameters) in &self.functions {
            let key = format!("function {name}");
            match theirs.get(&key) {
                None if missing.contains(&name.as_str()) => {}
                _ if missing.contains(&name.as_str()) => return Err(format!("{key} is there")),
                _ => theirs.expect(&key, parameters)?,
            }
        }
        for (key, value) in &self.facts {
            // Nothing has the enumeration where no function has it.
            let only_missing = key.starts_with("RSMI_POWER_TYPE") && !missing.is_empty();
            if !only_missing {
                theirs.expect(key, value)?;
            }
        }
        self.compare_layouts(theirs)
    }

    /// The structures that versions have in different layouts.
    fn compare_layouts(&self, theirs: &Facts) -> Checked<()> {
        let new = theirs.get("field rsmi_frequencies_t.has_deep_sleep").is_some();
        let layout = if new { "const FROM_6: Layout" } else { "const BEFORE_6: Layout" };
        let (_, fields) = body(&self.layouts, layout)?.split_once('{').unwrap_or_default();
        let fields = pairs(fields);
        if fields.len() != 5 {
            return Err(format!("no fields of {layout} in {SOURCES}"));
        }
        for (field, value) in fields {
            let key = match field {
                "most" => "RSMI_MAX_NUM_FREQUENCIES".to_owned(),
                "lanes" => "field rsmi_pcie_bandwidth_t.lanes".to_owned(),
                _ => format!("field rsmi_frequencies_t.{field}"),
            };
            theirs.expect(&key, value)?;
        }
        let throttling = theirs.get("field rsmi_gpu_metrics_t.indep_throttle_status");
        let ours = body(&self.layouts, "const THROTTLING: usize =")?;
        let ours = ours.split(';').next().unwrap_or_default().trim();
        if throttling.is_some_and(|theirs| theirs != ours) || throttling.is_some() != new {
            return Err(format!("indep_throttle_status is at {throttling:?}, not {ours}"));
        }
        for (name, size) in pairs(body(&self.layouts, "\nbuffers! {")?) {
            let theirs = theirs.get(&format!("size {name}")).and_then(|size| size.parse().ok());
            let ours: usize = size.parse().map_err(|_| format!("{name} has no size"))?;
            if theirs.is_none_or(|theirs: usize| theirs > ours) {
                return Err(format!("{name} has {theirs:?} bytes, more than {ours}"));
            }
        }
        Ok(())
    }
}

/// The text behind `start`, up to the next closing brace.
fn body<'a>(text: &'a str, start: &str) -> Checked<&'a str> {
    let (_, rest) = text.split_once(start).ok_or_else(|| format!("no {start} in {SOURCES}"))?;
    Ok(rest.split('}').next().unwrap_or(rest))
}

/// `name: number`, of lines or between commas, without comments.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let parts = text.lines().filter(|line| !line.trim().starts_with("///"));
    let parts = parts.flat_map(|line| line.split([',', ';']));
    parts.filter_map(|part| part.trim().split_once(": ")).collect()
}

/// The places of fields that are `u32` and `u64`, and the size of their structure, as C has them.
fn places(name: &str, fields: &str) -> Checked<Vec<(String, String)>> {
    let (mut facts, mut end, mut align) = (Vec::new(), 0usize, 1usize);
    let fields = fields.split('}').next().unwrap_or_default();
    for field in fields.split("pub(super) ").skip(1) {
        let (field, ty) = field.split_once(": ").ok_or("a field without a type")?;
        let size = match ty.trim().trim_end_matches(',') {
            "u32" => 4,
            "u64" => 8,
            ty => return Err(format!("{name}.{field} is {ty}")),
        };
        let place = end.next_multiple_of(size);
        facts.push((format!("field {name}.{field}"), place.to_string()));
        (end, align) = (place + size, align.max(size));
    }
    facts.push((format!("size {name}"), end.next_multiple_of(align).to_string()));
    Ok(facts)
}
