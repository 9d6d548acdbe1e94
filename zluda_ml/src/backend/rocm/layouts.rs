//! Structures of ROCm SMI that versions have in different layouts. The library writes into a buffer that is
//! larger than any of them and full of ones, which shows what it has written.

// The names are ROCm SMI's.
#![allow(non_camel_case_types)]

macro_rules! buffers {
    ($($(#[$comment:meta])* $name:ident: $size:literal;)*) => {$(
        $(#[$comment])*
        #[repr(C, align(8))]
        pub(super) struct $name(pub(super) [u8; $size]);

        impl $name {
            pub(super) fn new() -> $name {
                $name([0xff; $size])
            }
        }
    )*};
}

buffers! {
    /// 264 bytes before ROCm 6.0, 280 from then on.
    rsmi_frequencies_t: 512;
    /// The same, and a number of lanes for each frequency.
    rsmi_pcie_bandwidth_t: 1024;
    /// It grows with every version; 4,544 bytes in ROCm 7.2.
    rsmi_gpu_metrics_t: 16384;
}

/// The number at an offset.
fn read<const SIZE: usize>(bytes: &[u8], offset: usize) -> Option<[u8; SIZE]> {
    bytes.get(offset..)?.first_chunk().copied()
}

fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    read(bytes, offset).map(u32::from_ne_bytes)
}

fn long(bytes: &[u8], offset: usize) -> Option<u64> {
    read(bytes, offset).map(u64::from_ne_bytes)
}

/// Where the parts of `rsmi_frequencies_t` and `rsmi_pcie_bandwidth_t` are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    num_supported: usize,
    current: usize,
    frequency: usize,
    lanes: usize,
    /// `RSMI_MAX_NUM_FREQUENCIES`
    most: usize,
}

const BEFORE_6: Layout =
    Layout { num_supported: 0, current: 4, frequency: 8, lanes: 264, most: 32 };
/// `has_deep_sleep` comes first.
const FROM_6: Layout = Layout { num_supported: 4, current: 8, frequency: 16, lanes: 280, most: 33 };

impl Layout {
    /// The layout of a structure that the library has filled in. From 6.0 on it clears all of the structure first.
    pub(super) fn of(frequencies: &rsmi_frequencies_t) -> Layout {
        let end = &frequencies.0[BEFORE_6.lanes..FROM_6.lanes];
        if end.iter().all(|&byte| byte == 0xff) { BEFORE_6 } else { FROM_6 }
    }
}

/// `rsmi_frequencies_t`: hertz.
#[derive(Debug)]
pub(super) struct Frequencies {
    all: Vec<u64>,
    current: usize,
}

impl Frequencies {
    pub(super) fn read(frequencies: &rsmi_frequencies_t, layout: Layout) -> Frequencies {
        Frequencies::of(&frequencies.0, layout)
    }

    fn of(bytes: &[u8], layout: Layout) -> Frequencies {
        let number = |offset| word(bytes, offset).map_or(usize::MAX, |number| number as usize);
        let count = Some(number(layout.num_supported)).filter(|&count| count <= layout.most);
        let all =
            (0..count.unwrap_or(0)).map_while(|index| long(bytes, layout.frequency + 8 * index));
        Frequencies { all: all.collect(), current: number(layout.current) }
    }

    pub(super) fn current(&self) -> Option<u64> {
        self.all.get(self.current).copied()
    }

    pub(super) fn highest(&self) -> Option<u64> {
        self.all.iter().copied().max()
    }
}

/// `rsmi_pcie_bandwidth_t`: transfers in a second, and lanes.
#[derive(Debug)]
pub(super) struct PcieRates {
    rates: Frequencies,
    lanes: Vec<u32>,
}

impl PcieRates {
    /// Where the system has no list of rates, the library makes one of all six widths at four rates.
    const MADE_UP: usize = 24;

    pub(super) fn read(bandwidth: &rsmi_pcie_bandwidth_t, layout: Layout) -> PcieRates {
        let rates = Frequencies::of(&bandwidth.0, layout);
        let lanes = 0..rates.all.len();
        let lanes = lanes.map_while(|index| word(&bandwidth.0, layout.lanes + 4 * index));
        PcieRates { lanes: lanes.collect(), rates }
    }

    fn all(&self) -> impl Iterator<Item = (u64, u32)> {
        let lanes = self.lanes.iter().copied();
        self.rates.all.iter().copied().zip(lanes)
    }

    /// The rate and the lanes now.
    pub(super) fn current(&self) -> Option<(u64, u32)> {
        self.all().nth(self.rates.current).filter(|&(_, lanes)| (1..=32).contains(&lanes))
    }

    /// The best that the link can have, if the system says so.
    pub(super) fn best(&self) -> Option<(u64, u32)> {
        let real = self.rates.all.len() < PcieRates::MADE_UP;
        let best = self.all().max().filter(|(_, lanes)| (1..=32).contains(lanes));
        best.filter(|_| real)
    }
}

/// The fields of `rsmi_gpu_metrics_t` that are used.
#[derive(Debug)]
pub(super) struct Metrics {
    /// `indep_throttle_status`: the reasons, a bit each.
    pub(super) throttling: Option<u64>,
}

impl Metrics {
    /// The offset of `indep_throttle_status`, which versions before 6.0 do not have.
    const THROTTLING: usize = 112;

    pub(super) fn read(metrics: &rsmi_gpu_metrics_t) -> Metrics {
        // Of GPUs that do not report it, all bits are set.
        let throttling = long(&metrics.0, Metrics::THROTTLING);
        Metrics { throttling: throttling.filter(|&reasons| reasons != u64::MAX) }
    }
}
