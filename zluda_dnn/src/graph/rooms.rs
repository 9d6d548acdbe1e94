//! Places in a workspace: what is not needed at the same time may lie at the same place.

/// Something that needs a place while steps of a plan run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub(super) bytes: usize,
    /// The first and the last step that need it. What a step reads and what it writes are needed at once.
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Need {
    fn meets(&self, other: &Need) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// A place for each need, a multiple of `align`, and the size of all.
///
/// The largest are placed first, each at the lowest place that is free for as long as it is needed: small ones fill what
/// is left between large ones, not the other way round.
pub(super) fn assign(needs: &[Need], align: usize) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|i| (std::cmp::Reverse(needs[*i].bytes), needs[*i].first));
    let size = |i: usize| needs[i].bytes.next_multiple_of(align);
    let mut places = vec![0; needs.len()];
    let mut total = 0;
    for (done, &i) in order.iter().enumerate() {
        let mut taken: Vec<(usize, usize)> = order[..done]
            .iter()
            .filter(|j| needs[**j].meets(&needs[i]))
            .map(|&j| (places[j], places[j] + size(j)))
            .collect();
        taken.sort_unstable();
        let mut place = 0;
        for (begin, end) in taken {
            if place + size(i) <= begin {
                break;
            }
            place = place.max(end);
        }
        places[i] = place;
        total = total.max(place + size(i));
    }
    (places, total)
}

#[cfg(test)]
mod tests {
    use super::{Need, assign};

    /// Step i writes tensor i, and reads the one before it.
    #[test]
    fn a_chain_needs_room_for_two() {
        let needs: Vec<Need> =
            (0..20).map(|i| Need { bytes: 1000, first: i, last: i + 1 }).collect();
        assert_eq!(assign(&needs, 256).1, 2 * 1024);
    }

    #[test]
    fn what_is_needed_at_once_never_overlaps() {
        let mut state = 1_u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % limit) as usize
        };
        for _ in 0..40 {
            let needs: Vec<Need> = (0..30)
                .map(|_| {
                    let first = below(20);
                    Need { bytes: below(5000), first, last: first + below(6) }
                })
                .collect();
            let (places, total) = assign(&needs, 256);
            for step in 0..26 {
                let mut owner = vec![None; total];
                let live = |need: &Need| need.first <= step && step <= need.last;
                for (i, need) in needs.iter().enumerate().filter(|(_, need)| live(need)) {
                    assert_eq!(places[i] % 256, 0);
                    for byte in &mut owner[places[i]..places[i] + need.bytes] {
                        assert_eq!(byte.replace(i), None);
                    }
                }
            }
        }
    }
}
