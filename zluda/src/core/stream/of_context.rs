//! All work of a context at once: events that stand for it, and events that all of it waits for.

use super::event::{Event, Marker};
use super::{PrivateStream, STREAMS, Target};
use crate::core::context::Current;
use crate::core::context::place::Place;
use cuda_types::cuda::CUres;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock};

/// The streams of a context: those that were created in it, and the default stream, which the others of threads and all
/// blocking ones wait for, and it for them.
fn targets(current: &Current) -> CUres<Vec<Target>> {
    let place = current.place();
    let streams = STREAMS.all().into_iter().map(|(_, stream)| stream);
    let own = streams.filter(|stream| place.has(&stream.place));
    // Those of a green context that has ended are of no use any more.
    let alive = own.filter_map(|stream| Some((stream.place.enter().ok()?, stream)));
    let created = alive.map(|(current, stream)| Target { current, hip: stream.hip.0 });
    let default = Target { current: place.enter()?, hip: null_mut() };
    Ok(created.chain([default]).collect())
}

/// Records all work that a context has so far; `INVALID_HANDLE` if the event is of another one.
pub(crate) fn record(current: &Current, event: &Event) -> CUres {
    event.check_of(&current.context)?;
    let all = PrivateStream::new(current)?;
    let all = all.target(&current.context)?;
    for stream in targets(current)? {
        let marker = Marker::new(current)?;
        marker.record(&stream)?;
        marker.hold(&all)?;
    }
    event.record(&all)
}

/// What streams wait for that are created later, by the number of their context.
static HELD: LazyLock<Mutex<HashMap<u64, Arc<Held>>>> = LazyLock::new(Mutex::default);

/// The end of all that a context was told to wait for.
#[derive(Debug)]
struct Held {
    all: PrivateStream,
    end: Marker,
}

/// Lets all later work of a context wait for an event of it or of another one.
pub(crate) fn hold(current: &Current, event: &Event) -> CUres {
    for stream in targets(current)? {
        event.hold(&stream)?;
    }
    let mut held = HELD.lock();
    held.retain(|_, held| !held.end.is_past());
    let id = current.place().id();
    let of_context = match held.get(&id) {
        Some(held) => held.clone(),
        None => Arc::new(Held { all: PrivateStream::new(current)?, end: Marker::new(current)? }),
    };
    let all = of_context.all.target(&current.context)?;
    event.hold(&all)?;
    of_context.end.record(&all)?;
    held.insert(id, of_context);
    Ok(())
}

/// Lets a new stream wait for what its context was told to wait for.
pub(super) fn hold_new(stream: &Target, place: &Place) -> CUres {
    let held = HELD.lock();
    for id in [place.id(), place.context.id()] {
        if let Some(held) = held.get(&id) {
            held.end.hold(stream)?;
        }
    }
    Ok(())
}

/// Forgets what a context that ends was told to wait for.
pub(crate) fn end_context(context: u64) {
    let ended = HELD.lock().remove(&context);
    drop(ended);
}
