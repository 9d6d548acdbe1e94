//! Clusters of blocks: what kernels and programs say of their size.

use cuda_types::cuda::{CUclusterSchedulingPolicy, CUerror, CUfunction_attribute as A, CUres};
use ptx::KernelInfo;
use std::sync::atomic::{AtomicI32, Ordering};

/// Blocks in a cluster that every device of the architecture runs, and those that some do.
pub(crate) const PORTABLE_BLOCKS: u32 = 8;
pub(crate) const MAX_BLOCKS: u32 = 16;

/// The attributes of a kernel's clusters that programs set.
#[derive(Debug, Default)]
pub(crate) struct ClusterSettings {
    /// Blocks along each axis; 0 where nothing is set.
    required: [AtomicI32; 3],
    non_portable: AtomicI32,
    policy: AtomicI32,
}

impl ClusterSettings {
    /// The value of one of the attributes of clusters.
    pub(crate) fn get(&self, info: &KernelInfo, attribute: A) -> Option<i32> {
        Some(match attribute {
            A::CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET => info.explicit_cluster.into(),
            A::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH => self.required(info)[0] as i32,
            A::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT => self.required(info)[1] as i32,
            A::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH => self.required(info)[2] as i32,
            A::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED => {
                self.non_portable.load(Ordering::Relaxed)
            }
            A::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                self.policy.load(Ordering::Relaxed)
            }
            _ => return None,
        })
    }

    /// Sets one of the attributes of clusters; none where it is another attribute.
    pub(crate) fn set(&self, info: &KernelInfo, attribute: A, value: i32) -> Option<CUres> {
        let required = |axis: usize| {
            // The manual speaks of CUDA_ERROR_NOT_PERMITTED; NVIDIA's driver gives another error.
            let differs = info.cluster.is_some_and(|fixed| value as u32 != fixed[axis]);
            if value < 0 || differs {
                return Err(CUerror::INVALID_VALUE);
            }
            self.required[axis].store(value, Ordering::Relaxed);
            Ok(())
        };
        Some(match attribute {
            A::CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET => Err(CUerror::INVALID_VALUE),
            A::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH => required(0),
            A::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT => required(1),
            A::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH => required(2),
            A::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED => {
                self.non_portable.store(i32::from(value != 0), Ordering::Relaxed);
                Ok(())
            }
            A::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE
                if (0..=last_policy()).contains(&value) =>
            {
                self.policy.store(value, Ordering::Relaxed);
                Ok(())
            }
            A::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                Err(CUerror::INVALID_VALUE)
            }
            _ => return None,
        })
    }

    /// The size that kernel or program has fixed, zeros where there is none.
    fn required(&self, info: &KernelInfo) -> [u32; 3] {
        info.cluster.unwrap_or_else(|| {
            self.required.each_ref().map(|value| value.load(Ordering::Relaxed) as u32)
        })
    }

    /// The most blocks that a cluster may have.
    pub(crate) fn max_blocks(&self, info: &KernelInfo) -> u32 {
        let non_portable = self.non_portable.load(Ordering::Relaxed) != 0;
        let most = if non_portable { MAX_BLOCKS } else { PORTABLE_BLOCKS };
        info.max_cluster_blocks.map_or(most, |own| own.min(most))
    }

    /// The clusters of a launch, none where nobody asks for them; `asked` is the launch's own wish.
    pub(crate) fn of_launch(
        &self,
        info: &KernelInfo,
        grid: [u32; 3],
        asked: Option<[u32; 3]>,
    ) -> CUres<Option<[u32; 3]>> {
        let fixed = Some(self.required(info)).filter(|size| *size != [0; 3]);
        let cluster = match (fixed, asked) {
            (Some(fixed), Some(asked)) if fixed != asked => {
                return Err(CUerror::INVALID_CLUSTER_SIZE);
            }
            (fixed, asked) => fixed.or(asked),
        };
        let Some(cluster) = cluster else {
            // "the cluster size must be set"
            return if info.explicit_cluster {
                Err(CUerror::INVALID_CLUSTER_SIZE)
            } else {
                Ok(None)
            };
        };
        let blocks: u64 = cluster.iter().map(|size| u64::from(*size)).product();
        // "The size of the cluster in each dimension [...] must be a divisor of the grid".
        let divides = |(grid, size): (&u32, &u32)| *size != 0 && grid.is_multiple_of(*size);
        if !info.grid_of_clusters && !grid.iter().zip(&cluster).all(divides) {
            return Err(CUerror::INVALID_CLUSTER_SIZE);
        }
        if blocks > u64::from(self.max_blocks(info)) {
            return Err(CUerror::INVALID_CLUSTER_SIZE);
        }
        Ok(Some(cluster))
    }
}

fn last_policy() -> i32 {
    CUclusterSchedulingPolicy::CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING.0 as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_program_and_launch_have_to_agree() {
        let settings = ClusterSettings::default();
        let plain = KernelInfo::default();
        let fixed = KernelInfo { cluster: Some([2, 1, 1]), ..KernelInfo::default() };
        let explicit = KernelInfo { explicit_cluster: true, ..KernelInfo::default() };
        let grid = [12, 1, 1];
        assert_eq!(settings.of_launch(&plain, grid, None), Ok(None));
        assert_eq!(settings.of_launch(&plain, grid, Some([4, 1, 1])), Ok(Some([4, 1, 1])));
        assert_eq!(
            settings.of_launch(&plain, grid, Some([5, 1, 1])),
            Err(CUerror::INVALID_CLUSTER_SIZE)
        );
        assert_eq!(settings.of_launch(&fixed, grid, None), Ok(Some([2, 1, 1])));
        assert_eq!(settings.of_launch(&explicit, grid, None), Err(CUerror::INVALID_CLUSTER_SIZE));
        assert_eq!(
            settings.of_launch(&plain, grid, Some([12, 1, 1])),
            Err(CUerror::INVALID_CLUSTER_SIZE)
        );
        let allowed = A::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        assert_eq!(settings.set(&plain, allowed, 1), Some(Ok(())));
        assert_eq!(settings.of_launch(&plain, grid, Some([12, 1, 1])), Ok(Some([12, 1, 1])));
    }
}
