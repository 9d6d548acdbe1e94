//! A generator with its state: what its calls are, and how a call falls into parts that run at the same time.

use super::lanes::{Chunk, Lanes};
use super::output::OutputBuffer;
use super::poisson::{Method, Poisson, rounded, rounded_single};
use super::values;
pub use super::values::Scale;
use super::{mrg32k3a, mt19937, mtgp32, philox, sobol, xorwow};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The generator's algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Xorwow { seeded: bool },
    Mrg32k3a { legacy: bool },
    Mtgp32 { legacy: bool },
    Mt19937,
    Philox,
    Sobol32 { scrambled: bool },
    Sobol64 { scrambled: bool },
}

/// The values of a call, with the memory that they go to.
#[derive(Clone)]
pub enum Values {
    Bits(OutputBuffer<u32>),
    Bits64(OutputBuffer<u64>),
    Uniform(OutputBuffer<f32>),
    UniformDouble(OutputBuffer<f64>),
    Normal(OutputBuffer<f32>, Scale<f32>),
    NormalDouble(OutputBuffer<f64>, Scale<f64>),
    Poisson(OutputBuffer<u32>, Poisson),
}

impl Values {
    pub fn is_normal(&self) -> bool {
        matches!(self, Values::Normal(..) | Values::NormalDouble(..))
    }

    fn length(&self) -> usize {
        match self {
            Values::Bits(output) | Values::Poisson(output, _) => output.length(),
            Values::Bits64(output) => output.length(),
            Values::Uniform(output) | Values::Normal(output, _) => output.length(),
            Values::UniformDouble(output) | Values::NormalDouble(output, _) => output.length(),
        }
    }
}

/// The state that calls share.
enum State {
    Xorwow(Lanes<xorwow::Streams>),
    Mrg32k3a(Lanes<mrg32k3a::Streams>),
    Mtgp32(mtgp32::Generators),
    Mt19937(mt19937::Generators),
    Philox(philox::Streams),
    Sobol32 { scrambled: bool },
    Sobol64 { scrambled: bool },
}

/// The state, and where each part of it is: a captured call runs as often as its graph, and goes on each time.
struct Shared {
    state: State,
    positions: Vec<AtomicU64>,
}

/// A call, whose parts may run at the same time on several threads. Calls of one sequence run one after another.
pub struct Call {
    shared: Arc<Shared>,
    /// Where a sequence without state is.
    position: u64,
    /// How far the call goes.
    passed: u64,
    dimensions: usize,
    values: Values,
    pub parts: usize,
}

/// A sequence that is being generated.
pub struct Sequence {
    algorithm: Algorithm,
    seed: u64,
    /// The values that come before the next, of each dimension.
    position: u64,
    dimensions: usize,
    shared: Option<Arc<Shared>>,
}

impl Sequence {
    pub fn new(algorithm: Algorithm, seed: u64) -> Sequence {
        Sequence { algorithm, seed, position: 0, dimensions: 1, shared: None }
    }

    /// Twisters begin again where their seed or order changes; the others go on at the same position.
    fn forget_state(&mut self) {
        self.shared = None;
        if matches!(self.algorithm, Algorithm::Mtgp32 { .. } | Algorithm::Mt19937) {
            self.position = 0;
        }
    }

    pub fn set_algorithm(&mut self, algorithm: Algorithm) {
        if self.algorithm != algorithm {
            self.algorithm = algorithm;
            self.forget_state();
        }
    }

    pub fn set_seed(&mut self, seed: u64) {
        if self.seed != seed {
            self.seed = seed;
            self.forget_state();
        }
    }

    pub fn set_position(&mut self, position: u64) {
        self.position = position;
        self.shared = None;
    }

    pub fn set_dimensions(&mut self, dimensions: usize) {
        self.dimensions = dimensions;
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Whether normal values come in pairs.
    pub fn makes_pairs(&self) -> bool {
        use Algorithm as A;
        matches!(self.algorithm, A::Xorwow { .. } | A::Mrg32k3a { .. })
    }

    /// How Poisson values are made of its draws.
    pub fn poisson_method(&self) -> Method {
        use Algorithm as A;
        match self.algorithm {
            A::Xorwow { .. } | A::Mrg32k3a { .. } | A::Mt19937 | A::Philox => Method::Unordered,
            A::Mtgp32 { .. } => Method::OrderedFrom(32),
            A::Sobol32 { .. } => Method::OrderedFrom(10),
            A::Sobol64 { .. } => Method::Ordered64,
        }
    }

    fn make_state(&self) -> State {
        let (seed, position) = (self.seed, self.position);
        match self.algorithm {
            Algorithm::Xorwow { seeded } => State::Xorwow(xorwow::streams(seed, position, seeded)),
            Algorithm::Mrg32k3a { legacy } => {
                let streams = if legacy { mrg32k3a::LEGACY_STREAMS } else { mrg32k3a::STREAMS };
                State::Mrg32k3a(mrg32k3a::streams(seed, position, streams))
            }
            Algorithm::Mtgp32 { legacy } => {
                let count = if legacy { mtgp32::LEGACY_GENERATORS } else { mtgp32::GENERATORS };
                State::Mtgp32(mtgp32::Generators::new(seed, count))
            }
            Algorithm::Mt19937 => State::Mt19937(mt19937::Generators::new(seed as u32)),
            Algorithm::Philox => State::Philox(philox::Streams::new(seed, position)),
            Algorithm::Sobol32 { scrambled } => State::Sobol32 { scrambled },
            Algorithm::Sobol64 { scrambled } => State::Sobol64 { scrambled },
        }
    }

    /// The call that makes the next values. For Sobol' sequences their number is a multiple of the dimensions.
    pub fn call(&mut self, values: Values) -> Call {
        let (length, position) = (values.length(), self.position);
        let shared = self.shared.clone().unwrap_or_else(|| {
            let state = self.make_state();
            let positions = (0..state.parts()).map(|_| AtomicU64::new(position)).collect();
            Arc::new(Shared { state, positions })
        });
        self.shared = Some(shared.clone());
        let dimensions = self.dimensions;
        let (parts, passed) = match &shared.state {
            State::Sobol32 { .. } | State::Sobol64 { .. } => {
                let count = length / dimensions;
                (sobol::parts(dimensions, count), count)
            }
            state @ (State::Xorwow(_) | State::Mrg32k3a(_)) => (state.parts(), units(&values)),
            state => (state.parts(), length),
        };
        let (parts, passed) = (if length == 0 { 0 } else { parts }, passed as u64);
        self.position = position.wrapping_add(passed);
        Call { shared, position, passed, dimensions, values, parts }
    }
}

impl State {
    /// The parts of every call; 0 where calls have parts of their own.
    fn parts(&self) -> usize {
        match self {
            State::Xorwow(lanes) => lanes.parts(),
            State::Mrg32k3a(lanes) => lanes.parts(),
            State::Mtgp32(generators) => generators.parts(),
            State::Mt19937(generators) => generators.parts(),
            State::Philox(streams) => streams.parts(),
            State::Sobol32 { .. } | State::Sobol64 { .. } => 0,
        }
    }
}

/// The turns of streams that the values take: a pair of normal ones is of one stream.
fn units(values: &Values) -> usize {
    match values {
        Values::Normal(..) | Values::NormalDouble(..) => values.length() / 2,
        _ => values.length(),
    }
}

impl Call {
    /// Makes the values of a part.
    pub fn run(&self, part: usize) {
        let at = match self.shared.positions.get(part) {
            Some(position) => position.fetch_add(self.passed, Ordering::Relaxed),
            None => self.position,
        };
        match &self.shared.state {
            State::Xorwow(lanes) => self.xorwow(lanes, part, at),
            State::Mrg32k3a(lanes) => self.mrg32k3a(lanes, part, at),
            State::Philox(streams) => self.philox(streams, part, at),
            State::Mtgp32(generators) => match self.values {
                Values::Bits(output) => generators.fill(part, at, output, |draw| draw),
                Values::Bits64(_) => {}
                Values::Uniform(output) => generators.fill(part, at, output, values::uniform),
                Values::UniformDouble(output) => {
                    generators.fill(part, at, output, values::uniform_double);
                }
                Values::Normal(output, scale) => {
                    generators.fill(part, at, output, |draw| scale.of(values::normal(draw)));
                }
                Values::NormalDouble(output, scale) => {
                    let value = |draw| scale.of_double(values::normal_double(draw));
                    generators.fill(part, at, output, value);
                }
                Values::Poisson(output, ref poisson) => {
                    generators.fill(part, at, output, |draw| poisson.of_draw(draw));
                }
            },
            State::Mt19937(generators) => match self.values {
                Values::Bits(output) => generators.fill(part, at, output, |draw| draw),
                Values::Bits64(_) => {}
                Values::Uniform(output) => {
                    generators.fill(part, at, output, |draw| values::uniform_middle(draw) as f32);
                }
                Values::UniformDouble(output) => {
                    generators.fill(part, at, output, values::uniform_middle);
                }
                Values::Normal(output, scale) => {
                    generators.fill(part, at, output, |draw| scale.of(values::normal(draw)));
                }
                Values::NormalDouble(output, scale) => {
                    let value = |draw| scale.of_double(values::normal_double(draw));
                    generators.fill(part, at, output, value);
                }
                Values::Poisson(output, ref poisson) => {
                    let value = |draw| match poisson.large() {
                        Some(mean) => rounded_single(mean, values::normal(draw)),
                        None => poisson.of_draw(draw),
                    };
                    generators.fill(part, at, output, value);
                }
            },
            State::Sobol32 { scrambled } => {
                let n = (self.dimensions, *scrambled);
                match self.values {
                    Values::Bits(output) => sobol::fill(part, n, at, output, |draw: u32| draw),
                    Values::Bits64(_) => {}
                    Values::Uniform(output) => sobol::fill(part, n, at, output, values::uniform),
                    Values::UniformDouble(output) => {
                        sobol::fill(part, n, at, output, values::uniform_double);
                    }
                    Values::Normal(output, scale) => {
                        sobol::fill(part, n, at, output, |draw| scale.of(values::normal(draw)));
                    }
                    Values::NormalDouble(output, scale) => {
                        let value = |draw| scale.of_double(values::normal_double(draw));
                        sobol::fill(part, n, at, output, value);
                    }
                    Values::Poisson(output, ref poisson) => {
                        sobol::fill(part, n, at, output, |draw| poisson.of_draw(draw));
                    }
                }
            }
            State::Sobol64 { scrambled } => {
                let n = (self.dimensions, *scrambled);
                let upper = |draw: u64| (draw >> 32) as u32;
                match self.values {
                    Values::Bits(_) => {}
                    Values::Bits64(output) => sobol::fill(part, n, at, output, |draw: u64| draw),
                    Values::Uniform(output) => {
                        sobol::fill(part, n, at, output, |draw| values::uniform(upper(draw)));
                    }
                    Values::UniformDouble(output) => {
                        sobol::fill(part, n, at, output, values::uniform_double_64);
                    }
                    Values::Normal(output, scale) => {
                        let value = |draw| scale.of(values::normal(upper(draw)));
                        sobol::fill(part, n, at, output, value);
                    }
                    Values::NormalDouble(output, scale) => {
                        let value = |draw| scale.of_double(values::normal_double_64(draw));
                        sobol::fill(part, n, at, output, value);
                    }
                    Values::Poisson(output, ref poisson) => {
                        let value = |draw| match poisson.large() {
                            Some(mean) => rounded(mean, values::normal(upper(draw))),
                            None => poisson.of_uniform(values::uniform_double_64(draw)),
                        };
                        sobol::fill(part, n, at, output, value);
                    }
                }
            }
        }
    }

    fn xorwow<C: Chunk>(&self, lanes: &Lanes<C>, part: usize, at: u64) {
        let first = (at % lanes.streams() as u64) as usize;
        match self.values {
            Values::Bits(output) => lanes.fill(part, first, output, |draws: [u32; 1]| draws),
            Values::Bits64(_) => {}
            Values::Uniform(output) => {
                lanes.fill(part, first, output, |[x]: [u32; 1]| [values::uniform(x)]);
            }
            Values::UniformDouble(output) => {
                lanes.fill(part, first, output, |[x, y]: [u32; 2]| [values::uniform_53(x, y)]);
            }
            Values::Normal(output, scale) => {
                let value = |[x, y]: [u32; 2]| values::box_muller(x, y).map(|v| scale.of(v));
                lanes.fill(part, first, output, value);
            }
            Values::NormalDouble(output, scale) => {
                let value = |draws| values::box_muller_double(draws).map(|v| scale.of_double(v));
                lanes.fill(part, first, output, value);
            }
            Values::Poisson(output, ref poisson) => match poisson.large() {
                Some(mean) => {
                    let pair = |[x, y]: [u32; 2]| values::box_muller(x, y);
                    lanes.fill_by_turns(part, first, output, pair, |v| rounded(mean, v));
                }
                None => {
                    lanes.fill(part, first, output, |[x]: [u32; 1]| [poisson.of_draw(x)]);
                }
            },
        }
    }

    fn mrg32k3a(&self, lanes: &Lanes<mrg32k3a::Streams>, part: usize, at: u64) {
        let first = (at % lanes.streams() as u64) as usize;
        match self.values {
            Values::Bits(output) => {
                lanes.fill(part, first, output, |[x]: [u32; 1]| [values::mrg_bits(x)]);
            }
            Values::Bits64(_) => {}
            Values::Uniform(output) => {
                lanes.fill(part, first, output, |[x]: [u32; 1]| [values::mrg_uniform(x)]);
            }
            Values::UniformDouble(output) => {
                lanes.fill(part, first, output, |[x]: [u32; 1]| [values::mrg_uniform_double(x)]);
            }
            Values::Normal(output, scale) => {
                let value = |[x, y]: [u32; 2]| values::mrg_box_muller(x, y).map(|v| scale.of(v));
                lanes.fill(part, first, output, value);
            }
            Values::NormalDouble(output, scale) => {
                let value = |[x, y]: [u32; 2]| {
                    values::mrg_box_muller_double(x, y).map(|v| scale.of_double(v))
                };
                lanes.fill(part, first, output, value);
            }
            Values::Poisson(output, ref poisson) => match poisson.large() {
                Some(mean) => {
                    let pair = |[x, y]: [u32; 2]| values::mrg_box_muller(x, y);
                    lanes.fill_by_turns(part, first, output, pair, |v| rounded(mean, v));
                }
                None => {
                    let value = |[x]: [u32; 1]| [poisson.of_draw(values::mrg_bits(x))];
                    lanes.fill(part, first, output, value);
                }
            },
        }
    }

    fn philox(&self, streams: &philox::Streams, part: usize, at: u64) {
        match self.values {
            Values::Bits(output) => streams.fill(part, at, output, |[x]: [[u32; 4]; 1]| x),
            Values::Bits64(_) => {}
            Values::Uniform(output) => {
                let value = |[x]: [[u32; 4]; 1]| x.map(values::uniform);
                streams.fill(part, at, output, value);
            }
            Values::UniformDouble(output) => {
                let value = |[[a, b, c, d], [e, f, g, h]]: [[u32; 4]; 2]| {
                    [(a, b), (c, d), (e, f), (g, h)].map(|(x, y)| values::uniform_53(x, y))
                };
                streams.fill(part, at, output, value);
            }
            Values::Normal(output, scale) => {
                let value = |[[a, b, c, d]]: [[u32; 4]; 1]| {
                    let ([a, b], [c, d]) = (values::box_muller(a, b), values::box_muller(c, d));
                    [a, b, c, d].map(|v| scale.of(v))
                };
                streams.fill(part, at, output, value);
            }
            Values::NormalDouble(output, scale) => {
                let value = |[x, y]: [[u32; 4]; 2]| {
                    let ([a, b], [c, d]) =
                        (values::box_muller_double(x), values::box_muller_double(y));
                    [a, b, c, d].map(|v| scale.of_double(v))
                };
                streams.fill(part, at, output, value);
            }
            Values::Poisson(output, ref poisson) => {
                let value = |[[a, b, c, d]]: [[u32; 4]; 1]| match poisson.large() {
                    Some(mean) => {
                        let ([a, b], [c, d]) = (values::box_muller(a, b), values::box_muller(c, d));
                        [a, b, c, d].map(|v| rounded(mean, v))
                    }
                    None => [a, b, c, d].map(|draw| poisson.of_draw(draw)),
                };
                streams.fill(part, at, output, value);
            }
        }
    }
}
