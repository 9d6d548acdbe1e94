//! Events of streams that may be captured.

use super::{CapturedNodes, EXTERNAL, WorkTarget};
use crate::core::graph::work::Work;
use crate::core::stream::StreamArg;
use crate::core::stream::event::{self, Event};
use cuda_types::cuda::{CUerror, CUres};
use std::any::Any;
use std::sync::Arc;

impl event::Captured for CapturedNodes {
    fn refuse(&self) -> CUres {
        self.check_is_active()?;
        Err(CUerror::CAPTURED_EVENT)
    }

    fn refuse_and_invalidate(&self) -> CUres {
        let result = event::Captured::refuse(self);
        self.capture.invalidate();
        result
    }
}

impl Event {
    /// Records the work that a stream has so far, or the nodes that its capture has come to; with `EXTERNAL`, of a
    /// captured stream, as a node. `ILLEGAL_STATE` for that flag elsewhere, `INVALID_HANDLE` if the stream is of another
    /// context.
    pub(crate) fn record_with(self: &Arc<Self>, target: &WorkTarget, flags: u32) -> CUres {
        match (flags, &target.recorder) {
            (EXTERNAL, Some(recorder)) => recorder.add(Work::Record(self.clone())),
            (EXTERNAL, None) => Err(CUerror::ILLEGAL_STATE),
            (_, None) => self.record(&target.stream),
            (_, Some(_)) if self.context.id() != target.stream.current.context.id() => {
                Err(CUerror::INVALID_HANDLE)
            }
            (_, Some(recorder)) => {
                self.set_captured(Arc::new(recorder.captured_nodes()?));
                Ok(())
            }
        }
    }

    /// Lets all later work of a stream wait for this event. The stream may be captured, or become so by waiting for an
    /// event of a capture.
    pub(crate) fn hold_with(self: &Arc<Self>, stream: &StreamArg, flags: u32) -> CUres {
        let target = stream.enter_to_work()?;
        let captured = self.captured();
        let captured = captured
            .as_ref()
            .and_then(|captured| (&**captured as &dyn Any).downcast_ref::<CapturedNodes>());
        match (flags, &target.recorder, captured) {
            (EXTERNAL, Some(recorder), _) => recorder.add(Work::Wait(self.clone())),
            (EXTERNAL, None, _) => Err(CUerror::ILLEGAL_STATE),
            (_, Some(recorder), Some(captured)) => recorder.join(captured),
            (_, None, Some(captured)) => captured.lead(stream, &target.stream.current.context),
            // "A dependency would have been created which crosses the capture sequence boundary."
            (_, Some(recorder), None) if self.is_recorded() => {
                Err(recorder.refuse(CUerror::STREAM_CAPTURE_ISOLATION))
            }
            (_, Some(_), None) => Ok(()),
            (_, None, None) => self.hold(&target.stream),
        }
    }
}
