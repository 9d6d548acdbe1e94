//! Attributes of launches.

use super::graph_node::set_updatable;
use crate::core::capture::{EXTERNAL, WorkTarget};
use crate::core::device::launch::{LaunchConfig, check_window};
use crate::core::graph::Node;
use crate::core::stream::PRIORITIES;
use crate::core::stream::event::{self, Event};
use cuda_types::cuda::{
    CUerror, CUevent, CUlaunchAttribute, CUlaunchAttributeID as Id, CUlaunchAttributeValue,
    CUlaunchConfig, CUres,
};
use std::ffi::c_int;
use std::sync::Arc;

/// What a launch does besides: the events that it records, each with its flags. A kernel's blocks say when others may
/// begin, or have begun; here both are when it has ended.
#[derive(Default)]
pub(super) struct Recorded {
    events: Vec<(Arc<Event>, u32)>,
    /// Where the launch says whether kernels may change its node, and is told the node's handle for them.
    updatable: Option<*mut CUlaunchAttributeValue>,
}

impl Recorded {
    /// "event must be a valid event created with CU_EVENT_DISABLE_TIMING; flags are those of cuEventRecordWithFlags".
    fn add(&mut self, event: CUevent, flags: c_int) -> CUres {
        let event = event::from_handle(event)?;
        if event.is_timed() {
            return Err(CUerror::NOT_SUPPORTED);
        }
        let flags = flags as u32;
        if flags > EXTERNAL {
            return Err(CUerror::INVALID_VALUE);
        }
        self.events.push((event, flags));
        Ok(())
    }

    /// `ILLEGAL_STATE` for events that only captured streams record, in others; `NOT_SUPPORTED` there for what is of nodes.
    pub(super) fn check(&self, target: &WorkTarget) -> CUres {
        // "This attribute is graphs-only, and passing it to a launch in a non-capturing stream will result in an error."
        if self.updatable.is_some() && !target.is_captured() {
            return Err(CUerror::NOT_SUPPORTED);
        }
        let is_external = self.events.iter().any(|(_, flags)| *flags == EXTERNAL);
        match is_external && !target.is_captured() {
            true => Err(CUerror::ILLEGAL_STATE),
            false => Ok(()),
        }
    }

    /// Lets kernels change the node of the launch, if it says so.
    pub(super) fn apply_to(&self, node: Option<&Node>) -> CUres {
        match (self.updatable, node) {
            (Some(value), Some(node)) => set_updatable(node, value),
            _ => Ok(()),
        }
    }

    /// Records the events, behind the launch.
    pub(super) fn record(&self, target: &WorkTarget) -> CUres {
        self.events.iter().try_for_each(|(event, flags)| event.record_with(target, *flags))
    }
}

/// The size of the clusters that a configuration asks for.
pub(crate) fn cluster_of(given: &CUlaunchConfig) -> CUres<Option<[u32; 3]>> {
    let mut config = LaunchConfig::new([1; 3], [1; 3], 0);
    apply_all(given, &mut config)?;
    Ok(config.cluster)
}

/// Applies all attributes, and returns the events to record.
pub(super) fn apply_all(given: &CUlaunchConfig, config: &mut LaunchConfig) -> CUres<Recorded> {
    if given.numAttrs != 0 && given.attrs.is_null() {
        return Err(CUerror::INVALID_VALUE);
    }
    let (mut recorded, mut preferred) = (Recorded::default(), [0; 3]);
    for i in 0..given.numAttrs as usize {
        // SAFETY: the program passes `numAttrs` attributes.
        let attribute = unsafe { &*given.attrs.add(i) };
        if attribute.id == Id::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE {
            // SAFETY: as above; the address alone.
            recorded.updatable = Some(unsafe { &raw mut (*given.attrs.add(i)).value });
            continue;
        }
        apply(attribute, config, &mut recorded, &mut preferred)?;
    }
    // "The preferred cluster dimension must be a multiple of the regular one", which there has to be.
    if preferred != [0; 3] {
        let cluster = config.cluster.ok_or(CUerror::INVALID_CLUSTER_SIZE)?;
        let fits =
            |axis: usize| cluster[axis] != 0 && preferred[axis].is_multiple_of(cluster[axis]);
        if !(0..3).all(fits) {
            return Err(CUerror::INVALID_CLUSTER_SIZE);
        }
    }
    Ok(recorded)
}

fn apply(
    attribute: &CUlaunchAttribute,
    config: &mut LaunchConfig,
    recorded: &mut Recorded,
    preferred: &mut [u32; 3],
) -> CUres {
    let value = &attribute.value;
    // SAFETY: the id says which member there is; all of them are plain data.
    unsafe {
        match attribute.id {
            Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => {
                check_window(&value.accessPolicyWindow)?;
            }
            Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE => config.cooperative = value.cooperative != 0,
            Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
                let cluster = value.clusterDim;
                let sizes = [cluster.x, cluster.y, cluster.z];
                config.cluster = (sizes != [0; 3]).then_some(sizes);
            }
            Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                // Nodes of graphs keep what is none.
                let policy = value.clusterSchedulingPolicyPreference.0;
                if policy > 2 {
                    return Err(CUerror::INVALID_VALUE);
                }
                config.hints.set(attribute.id, value)?;
            }
            Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION => {
                config.programmatic = value.programmaticStreamSerializationAllowed != 0;
            }
            Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT => {
                let event = value.programmaticEvent;
                recorded.add(event.event, event.flags)?;
            }
            Id::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT => {
                let event = value.launchCompletionEvent;
                recorded.add(event.event, event.flags)?;
            }
            Id::CU_LAUNCH_ATTRIBUTE_PRIORITY => {
                config.priority = Some(value.priority.clamp(PRIORITIES.0, PRIORITIES.1));
            }
            Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP
            | Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN
            | Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
                config.hints.set(attribute.id, value)?;
            }
            Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION => {
                let cluster = value.clusterDim;
                *preferred = [cluster.x, cluster.y, cluster.z];
            }
            // 0 or 1, like the one that it has the place of.
            Id::CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING => {
                if !(0..=1).contains(&value.cooperative) {
                    return Err(CUerror::INVALID_VALUE);
                }
            }
            Id::CU_LAUNCH_ATTRIBUTE_IGNORE => {}
            // Streams alone have a policy of synchronisation.
            _ => return Err(CUerror::INVALID_VALUE),
        }
    }
    Ok(())
}
