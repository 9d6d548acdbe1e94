//! What can be current: a context, or a green context, which works in a primary one.

use super::green::Green;
use super::{Context, Current, enter};
use crate::core::device::part::Part;
use cuda_types::cuda::{CUcontext, CUres};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) context: Arc<Context>,
    pub(crate) green: Option<Arc<Green>>,
}

impl From<Arc<Context>> for Place {
    fn from(context: Arc<Context>) -> Place {
        Place { context, green: None }
    }
}

impl From<Arc<Green>> for Place {
    fn from(green: Arc<Green>) -> Place {
        Place { context: green.context.clone(), green: Some(green) }
    }
}

impl Place {
    /// The context with this handle, alive or not; `INVALID_CONTEXT` if there is none.
    pub(crate) fn from_handle(handle: CUcontext) -> CUres<Place> {
        match Green::from_handle(handle as u64) {
            Some(green) => Ok(green.into()),
            None => Ok(Context::from_handle(handle)?.into()),
        }
    }

    /// The program's handle.
    pub(crate) fn handle(&self) -> CUcontext {
        match &self.green {
            Some(green) => green.handle() as CUcontext,
            None => self.context.handle(),
        }
    }

    /// A number that no other context has had.
    pub(crate) fn id(&self) -> u64 {
        self.green.as_ref().map_or_else(|| self.context.id(), |green| green.id)
    }

    /// Whether what belongs to `other` belongs to this place: all green contexts' does to the primary one.
    pub(crate) fn has(&self, other: &Place) -> bool {
        match &self.green {
            Some(green) => other.green.as_ref().is_some_and(|other| other.id == green.id),
            None => self.context.id() == other.context.id(),
        }
    }

    /// Whether both are the same.
    pub(crate) fn is(&self, other: &Place) -> bool {
        self.handle() == other.handle()
    }

    /// Enters the place, which need not be current.
    pub(crate) fn enter(&self) -> CUres<Current> {
        match &self.green {
            Some(green) => green.enter(),
            None => enter(&self.context),
        }
    }

    /// The multiprocessors to work on.
    pub(crate) fn part(&self) -> CUres<Part> {
        match &self.green {
            Some(green) => Ok(green.description.part()),
            None => Ok(Part::all_of(self.context.device()?)),
        }
    }
}
