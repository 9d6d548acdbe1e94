//! Attributes of streams: what programs set, and are told again. Default streams have them for each context.

use super::{PRIORITIES, StreamArg, Target};
use crate::core::context::Current;
use crate::core::device::launch::{Hints, check_window};
use cuda_types::cuda::{
    CUaccessPolicyWindow, CUerror, CUlaunchAttributeID as Id, CUres, CUstreamAttrValue,
};
use parking_lot::Mutex;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Attributes {
    window: Option<CUaccessPolicyWindow>,
    synchronization: i32,
    /// Where it is another than the stream was created with.
    priority: Option<i32>,
    hints: Hints,
}

// SAFETY: the address of a window is a number to the driver.
unsafe impl Send for Attributes {}
// SAFETY: as above.
unsafe impl Sync for Attributes {}

impl Default for Attributes {
    fn default() -> Self {
        // An H100 says -1 of a stream that nothing was said of.
        let (window, priority, hints) = (None, None, Hints::default());
        Attributes { window, synchronization: -1, priority, hints }
    }
}

/// Those of default streams that programs have set, by context and stream.
static OF_DEFAULTS: Mutex<BTreeMap<(u64, u64), Attributes>> = Mutex::new(BTreeMap::new());

/// Forgets those of a context's default streams.
pub(super) fn end_context(context: u64) {
    OF_DEFAULTS.lock().retain(|(of, _), _| *of != context);
}

impl StreamArg {
    fn attributes(&self, current: &Current) -> Attributes {
        match self {
            StreamArg::Created(stream) => *stream.attributes.lock(),
            StreamArg::Legacy | StreamArg::PerThread => {
                let key = (current.context.id(), self.id());
                OF_DEFAULTS.lock().get(&key).copied().unwrap_or_default()
            }
        }
    }

    fn keep(&self, current: &Current, attributes: Attributes) {
        match self {
            StreamArg::Created(stream) => *stream.attributes.lock() = attributes,
            StreamArg::Legacy | StreamArg::PerThread => {
                let key = (current.context.id(), self.id());
                OF_DEFAULTS.lock().insert(key, attributes);
            }
        }
    }

    /// The stream's priority in its context; lower numbers are greater ones.
    pub(crate) fn priority_in(&self, current: &Current) -> i32 {
        self.attributes(current).priority.unwrap_or(self.priority())
    }

    /// An attribute; `INVALID_VALUE` for those that streams do not have.
    pub(crate) fn attribute(&self, current: &Current, id: Id) -> CUres<CUstreamAttrValue> {
        let kept = self.attributes(current);
        // SAFETY: all-zero is a valid value of every member of this union.
        let mut value: CUstreamAttrValue = unsafe { std::mem::zeroed() };
        match id {
            Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => {
                if let Some(window) = kept.window {
                    value.accessPolicyWindow = window;
                }
            }
            Id::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY => {
                value.cooperative = kept.synchronization;
            }
            Id::CU_LAUNCH_ATTRIBUTE_PRIORITY => {
                value.priority = kept.priority.unwrap_or(self.priority());
            }
            Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP
            | Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => kept.hints.tell(id, &mut value),
            _ => return Err(CUerror::INVALID_VALUE),
        }
        Ok(value)
    }

    /// Sets an attribute; `INVALID_VALUE` for those that streams do not have, and for values that are none.
    pub(crate) fn set_attribute(
        &self,
        target: &Target,
        id: Id,
        value: &CUstreamAttrValue,
    ) -> CUres {
        let current = &target.current;
        let mut kept = self.attributes(current);
        // SAFETY: the attribute says which member there is; all of them are plain data.
        unsafe {
            match id {
                Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => {
                    check_window(&value.accessPolicyWindow)?;
                    kept.window = Some(value.accessPolicyWindow);
                }
                Id::CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY => {
                    // CU_SYNC_POLICY_AUTO to CU_SYNC_POLICY_BLOCKING_SYNC
                    let policy = value.cooperative;
                    if !(1..=4).contains(&policy) {
                        return Err(CUerror::INVALID_VALUE);
                    }
                    kept.synchronization = policy;
                }
                Id::CU_LAUNCH_ATTRIBUTE_PRIORITY => {
                    kept.priority = Some(value.priority.clamp(PRIORITIES.0, PRIORITIES.1));
                }
                Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP
                | Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => kept.hints.set(id, value)?,
                _ => return Err(CUerror::INVALID_VALUE),
            }
        }
        self.keep(current, kept);
        if id == Id::CU_LAUNCH_ATTRIBUTE_PRIORITY { self.use_priority(target) } else { Ok(()) }
    }

    /// Gives what comes into the stream the priority that its attribute says.
    fn use_priority(&self, target: &Target) -> CUres {
        let (current, priority) = (&target.current, self.priority_in(&target.current));
        // SAFETY: the stream has been checked.
        current.check(unsafe { current.driver.hip.set_stream_priority(target.hip, priority) })
    }

    /// Takes over all attributes of another stream.
    pub(crate) fn copy_attributes(&self, target: &Target, from: &StreamArg) -> CUres {
        let current = &target.current;
        let priority = Some(from.priority_in(current));
        self.keep(current, Attributes { priority, ..from.attributes(current) });
        self.use_priority(target)
    }
}
