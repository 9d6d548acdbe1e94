//! A transform, and its work at given addresses.

use crate::Element;
use crate::descriptor::{Descriptor, DescriptorError, Direction, Kind};
use crate::element::Storage;
use crate::lines::Precision;
use crate::pass::{Pass, Places, Room, zero};
use crate::schedule::Schedule;
use half::{bf16, f16};
use num_complex::Complex;
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A planned transform. What a direction needs is planned when it is first asked for.
pub struct Transform(Arc<dyn Plan>);

/// The work of a transform at given addresses: stages that follow each other, of parts that may run at the same time.
pub trait Work: Send + Sync {
    /// The number of stages.
    fn stages(&self) -> usize;

    /// The parts of a stage.
    fn parts(&self, stage: usize) -> usize;

    /// Does a part of a stage.
    ///
    /// # Safety
    /// The memory at the addresses that the work was made for is there, as large as the descriptor says, and nobody else writes
    /// to it; the stages before have been done, and no other thread does this part.
    unsafe fn run(&self, stage: usize, part: usize);
}

trait Plan: Send + Sync {
    fn descriptor(&self) -> &Descriptor;
    fn prepare(&self, direction: Direction, in_place: bool);
    fn work(self: Arc<Self>, direction: Direction, input: usize, output: usize) -> Arc<dyn Work>;
}

impl Transform {
    /// Plans a transform whose work `threads` threads will do.
    pub fn new(descriptor: Descriptor, threads: usize) -> Result<Transform, DescriptorError> {
        descriptor.check()?;
        Ok(Transform(match descriptor.element {
            Element::F16 => Arc::new(Typed::<f16>::new(descriptor, threads)),
            Element::BF16 => Arc::new(Typed::<bf16>::new(descriptor, threads)),
            Element::F32 => Arc::new(Typed::<f32>::new(descriptor, threads)),
            Element::F64 => Arc::new(Typed::<f64>::new(descriptor, threads)),
        }))
    }

    /// The descriptor that it was made of.
    pub fn descriptor(&self) -> &Descriptor {
        self.0.descriptor()
    }

    /// Plans a direction, from one memory to another or in place, before it is asked for.
    pub fn prepare(&self, direction: Direction, in_place: bool) {
        self.0.prepare(self.direction(direction), in_place);
    }

    /// The work that transforms what lies at an address to another address, or the same one. Transforms from and to real
    /// numbers have one direction.
    pub fn work(&self, direction: Direction, input: usize, output: usize) -> Arc<dyn Work> {
        self.0.clone().work(self.direction(direction), input, output)
    }

    fn direction(&self, wanted: Direction) -> Direction {
        match self.descriptor().kind {
            Kind::Complex => wanted,
            Kind::RealToComplex => Direction::Forward,
            Kind::ComplexToReal => Direction::Inverse,
        }
    }
}

/// A transform of elements of a type.
struct Typed<S: Storage> {
    descriptor: Descriptor,
    threads: usize,
    /// By direction, and whether the transform is in place.
    ways: [OnceLock<Way<S::Compute>>; 4],
}

/// A direction of a transform, in place or not.
struct Way<T: Precision> {
    schedule: Schedule<T>,
    rooms: Mutex<Vec<Rooms<T>>>,
    betweens: Mutex<Vec<Vec<Complex<T>>>>,
}

/// The buffers of one part.
struct Rooms<T> {
    passes: Vec<Room<T>>,
    /// Numbers between passes of a transform that is not cut.
    between: Vec<Complex<T>>,
}

impl<S: Storage> Typed<S> {
    fn new(descriptor: Descriptor, threads: usize) -> Self {
        Typed { descriptor, threads, ways: Default::default() }
    }

    fn way(&self, direction: Direction, in_place: bool) -> &Way<S::Compute> {
        let number = usize::from(direction == Direction::Inverse) * 2 + usize::from(in_place);
        self.ways[number].get_or_init(|| Way {
            schedule: Schedule::new(&self.descriptor, direction, in_place, self.threads),
            rooms: Mutex::default(),
            betweens: Mutex::default(),
        })
    }

    /// Whether the input and the output have no byte in common.
    fn are_apart(&self, input: usize, output: usize) -> bool {
        let (from, to) = self.descriptor.sides(false);
        let (from_lengths, to_lengths) = self.descriptor.side_lengths();
        // No element is more than a complex number.
        let bytes =
            |elements: Option<usize>| elements.unwrap_or(0) * 2 * self.descriptor.element.size();
        let from = bytes(from.extent(&from_lengths, self.descriptor.batch));
        let to = bytes(to.extent(&to_lengths, self.descriptor.batch));
        input.saturating_add(from) <= output || output.saturating_add(to) <= input
    }
}

impl<S> Plan for Typed<S>
where
    S: Storage,
    S::Compute: Storage<Compute = S::Compute>,
{
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn prepare(&self, direction: Direction, in_place: bool) {
        self.way(direction, in_place);
    }

    fn work(self: Arc<Self>, direction: Direction, input: usize, output: usize) -> Arc<dyn Work> {
        let in_place = input == output;
        let way = self.way(direction, in_place);
        let mut between = Vec::new();
        if way.schedule.whole.is_none() && way.schedule.between > 0 {
            between = way.between();
        }
        let places = Places {
            input: std::ptr::with_exposed_provenance_mut(input),
            output: std::ptr::with_exposed_provenance_mut(output),
            between: between.as_mut_ptr().cast(),
            apart: self.are_apart(input, output),
        };
        Arc::new(Execution { plan: self, direction, in_place, between, places })
    }
}

impl<T: Precision> Way<T> {
    /// Memory between passes, of an earlier execution if there is some.
    fn between(&self) -> Vec<Complex<T>> {
        let found = self.betweens.lock().pop();
        found.unwrap_or_else(|| vec![zero(); self.schedule.between])
    }

    fn rooms(&self) -> Rooms<T> {
        let found = self.rooms.lock().pop();
        found.unwrap_or_else(|| Rooms {
            passes: self.schedule.passes.iter().map(Pass::room).collect(),
            between: match self.schedule.whole {
                Some(_) => vec![zero(); self.schedule.between],
                None => Vec::new(),
            },
        })
    }
}

/// A transform at its addresses.
struct Execution<S: Storage> {
    plan: Arc<Typed<S>>,
    direction: Direction,
    in_place: bool,
    between: Vec<Complex<S::Compute>>,
    places: Places,
}

impl<S: Storage> Drop for Execution<S> {
    fn drop(&mut self) {
        if !self.between.is_empty() {
            let between = std::mem::take(&mut self.between);
            self.plan.way(self.direction, self.in_place).betweens.lock().push(between);
        }
    }
}

/// The share of a part of so many things.
fn share(things: usize, parts: usize, part: usize) -> Range<usize> {
    let at = |part: usize| (things as u128 * part as u128 / parts as u128) as usize;
    at(part)..at(part + 1)
}

impl<S> Work for Execution<S>
where
    S: Storage,
    S::Compute: Storage<Compute = S::Compute>,
{
    fn stages(&self) -> usize {
        self.plan.way(self.direction, self.in_place).schedule.stages()
    }

    fn parts(&self, stage: usize) -> usize {
        self.plan.way(self.direction, self.in_place).schedule.parts(stage)
    }

    unsafe fn run(&self, stage: usize, part: usize) {
        let way = self.plan.way(self.direction, self.in_place);
        let schedule = &way.schedule;
        let parts = schedule.parts(stage);
        let mut rooms = way.rooms();
        match &schedule.whole {
            Some(whole) => {
                for item in share(whole.batch, parts, part) {
                    let places = Places {
                        input: self.places.input.wrapping_add(item * whole.from),
                        output: self.places.output.wrapping_add(item * whole.to),
                        between: rooms.between.as_mut_ptr().cast(),
                        apart: self.places.apart,
                    };
                    for (pass, room) in schedule.passes.iter().zip(&mut rooms.passes) {
                        // SAFETY: by this function's contract; the transform is this part's.
                        unsafe { pass.run::<S>(&places, 0..pass.groups(), room) };
                    }
                }
            }
            None => {
                let pass = &schedule.passes[stage];
                let groups = share(pass.groups(), parts, part);
                // SAFETY: by this function's contract; the groups are this part's.
                unsafe { pass.run::<S>(&self.places, groups, &mut rooms.passes[stage]) };
            }
        }
        way.rooms.lock().push(rooms);
    }
}
