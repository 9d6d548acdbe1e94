//! Temperatures of the processors.

use zluda_common::linux::files::Root;

/// Drivers whose chips are processors, and the sensors that stand for the whole of one: the first label that
/// a chip has. `Tctl` is `Tdie` plus an offset on some.
const CHIPS: &[(&str, &[&str])] = &[
    ("coretemp", &["Package id "]),
    ("k10temp", &["Tdie", "Tctl"]),
    ("zenpower", &["Tdie", "Tctl"]),
    ("k8temp", &[]),
    ("via_cputemp", &[]),
    ("cpu_thermal", &[]),
];

/// Thermal zones that are processors, for systems without such a driver.
const ZONES: &[&str] = &["x86_pkg_temp", "TCPU", "cpu-thermal", "cpu_thermal"];

/// Degrees Celsius.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sensor {
    pub(super) now: u32,
    pub(super) shutdown: Option<u32>,
    pub(super) slowdown: Option<u32>,
    pub(super) maximum: Option<u32>,
}

/// The hottest of the processors' sensors.
pub(super) fn hottest(root: &Root) -> Option<Sensor> {
    let sensors = chips(root);
    let sensors = if sensors.is_empty() { zones(root) } else { sensors };
    sensors.into_iter().max_by_key(|sensor| sensor.now)
}

fn chips(root: &Root) -> Vec<Sensor> {
    let mut sensors = Vec::new();
    for name in root.names("sys/class/hwmon") {
        let folder = format!("sys/class/hwmon/{name}");
        let driver = root.text(format!("{folder}/name")).unwrap_or_default();
        let Some((_, labels)) = CHIPS.iter().find(|(name, _)| *name == driver.trim()) else {
            continue;
        };
        let files = root.names(&folder);
        let inputs = files.iter().filter_map(|file| {
            let name = file.strip_suffix("_input")?;
            name.starts_with("temp").then_some(format!("{folder}/{name}"))
        });
        let inputs: Vec<(String, String)> = inputs
            .map(|input| {
                let label = root.text(format!("{input}_label")).unwrap_or_default();
                (input, label)
            })
            .collect();
        let chosen =
            labels.iter().find(|label| inputs.iter().any(|(_, is)| is.starts_with(*label)));
        let inputs = inputs.iter().filter(|(_, label)| chosen.is_none_or(|l| label.starts_with(l)));
        sensors.extend(inputs.filter_map(|(input, _)| {
            let read = |what| degrees(root, &format!("{input}_{what}"));
            Some(Sensor {
                now: read("input")?,
                shutdown: read("emergency"),
                slowdown: read("crit"),
                maximum: read("max"),
            })
        }));
    }
    sensors
}

fn zones(root: &Root) -> Vec<Sensor> {
    let mut sensors = Vec::new();
    for name in root.names("sys/class/thermal") {
        let folder = format!("sys/class/thermal/{name}");
        let kind = root.text(format!("{folder}/type")).unwrap_or_default();
        if !ZONES.contains(&kind.trim()) {
            continue;
        }
        let Some(now) = degrees(root, &format!("{folder}/temp")) else { continue };
        let trips: Vec<String> = root
            .names(&folder)
            .iter()
            .filter_map(|file| Some(format!("{folder}/{}", file.strip_suffix("_type")?)))
            .collect();
        let trip = |kind: &str| {
            let is = |trip: &&String| {
                root.text(format!("{trip}_type")).is_some_and(|text| text.trim() == kind)
            };
            trips.iter().filter(is).find_map(|trip| degrees(root, &format!("{trip}_temp")))
        };
        // `passive` is where somebody else wants to be told.
        let (shutdown, slowdown) = (trip("critical"), trip("hot"));
        sensors.push(Sensor { now, shutdown, slowdown, maximum: None });
    }
    sensors
}

/// A file of thousandths of a degree. Sensors that are not connected give 0, or far too much.
fn degrees(root: &Root, path: &str) -> Option<u32> {
    let thousandths: i64 = root.number(path)?;
    (500..150_000).contains(&thousandths).then(|| ((thousandths + 500) / 1000) as u32)
}
