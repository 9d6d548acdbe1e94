use super::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_handle_leads_to_its_object_until_it_is_removed() {
    let table = <HandleTable<_>>::new(Kind::MODULE);
    let a = table.insert(Arc::new("a")).expect("room");
    let b = table.insert(Arc::new("b")).expect("room");
    assert_eq!(table.get(a).as_deref(), Some(&"a"));
    assert_eq!(table.remove(a).as_deref(), Some(&"a"));
    assert_eq!(table.get(a), None);
    assert_eq!(table.remove(a), None);
    assert_eq!(table.get(b).as_deref(), Some(&"b"));
    assert_eq!(table.all(), [(b, Arc::new("b"))]);
    assert_eq!(table.len(), 1);
}

#[test]
fn a_handle_looks_like_a_pointer() {
    let table = <HandleTable<()>>::new(Kind::STREAM);
    for _ in 0..1000 {
        let handle = table.insert(Arc::new(())).expect("room");
        assert_eq!(handle % 16, 0);
        assert!((1 << 45..1 << 46).contains(&handle), "{handle:#x}");
    }
}

#[test]
fn foreign_numbers_are_refused() {
    let streams = <HandleTable<_>>::new(Kind::STREAM);
    let events = <HandleTable<_>>::new(Kind::EVENT);
    let stream = streams.insert(Arc::new(7)).expect("room");
    events.insert(Arc::new(7)).expect("room");
    assert_eq!(events.get(stream), None);
    let on_stack = 0;
    let address = &raw const on_stack as u64;
    for foreign in
        [0, 1, 2, u64::MAX, stream + 1, stream + 16, stream | 1 << 63, stream ^ 1 << 24, address]
    {
        assert_eq!(streams.get(foreign), None, "{foreign:#x}");
        assert_eq!(streams.remove(foreign), None, "{foreign:#x}");
    }
    // The last slot there could be: its segment does not exist yet.
    assert_eq!(streams.get(stream | u64::from(HandleTable::<()>::CAPACITY - 1) << 4), None);
}

#[test]
fn slots_are_reused_and_handles_are_not() {
    let table = <HandleTable<_>>::new(Kind::CONTEXT);
    let mut seen = HashSet::new();
    let rounds = usize::from(u16::MAX) + 10;
    for round in 0..rounds {
        let handle = table.insert(Arc::new(round)).expect("room");
        assert!(seen.insert(handle), "{handle:#x} came twice");
        assert_eq!(table.remove(handle).as_deref(), Some(&round));
    }
    // One slot gave all of its generations before the next was touched.
    assert_eq!(table.free.lock().unused, 2);
    assert!(seen.iter().all(|handle| table.get(*handle).is_none()));
}

#[test]
fn kinds_of_a_family_are_told_apart() {
    let devices = <HandleTable<_>>::new(Kind::NVML_DEVICE);
    let sets = <HandleTable<_>>::new(Kind::NVML_EVENT_SET);
    let device = devices.insert(Arc::new(1)).expect("room");
    let set = sets.insert(Arc::new(2)).expect("room");
    assert_eq!((devices.get(set), sets.get(device)), (None, None));
    assert_eq!(devices.get(device).as_deref(), Some(&1));
    assert_eq!(sets.get(set).as_deref(), Some(&2));
}

#[test]
fn integers_are_positive_and_never_come_twice() {
    let table = <HandleTable<_, Integer>>::new(Kind::NVML_DEVICE);
    let mut seen = HashSet::new();
    for round in 0..10_000 {
        let handle = table.insert(Arc::new(round)).expect("room");
        assert!(i32::try_from(handle).is_ok_and(|handle| handle > 1 << 16), "{handle:#x}");
        assert!(seen.insert(handle), "{handle:#x} came twice");
        assert_eq!(table.get(handle).as_deref(), Some(&round));
        assert_eq!(table.get(handle | 1 << 32), None);
        assert_eq!(table.remove(handle).as_deref(), Some(&round));
        assert_eq!(table.get(handle), None);
    }
    // Slots of 4096 generations each.
    assert_eq!(table.free.lock().unused, 3);
    let all: Vec<_> = (0..).map_while(|i| table.insert(Arc::new(i))).collect();
    assert!(all.len() > 65_000 && all.len() < 65_536, "{}", all.len());
}

#[test]
fn an_object_can_know_its_handle() {
    let table = <HandleTable<_>>::new(Kind::CONTEXT);
    let handle = table.insert_with(Arc::new).expect("room");
    assert_eq!(table.get(handle).as_deref(), Some(&handle));
}

#[test]
fn slots_have_places_of_their_own() {
    let mut places = HashSet::new();
    let capacity = HandleTable::<()>::CAPACITY;
    for index in (0..capacity).step_by(7).chain([capacity - 1]) {
        let (segment, offset) = position(index);
        assert!(segment < SEGMENTS, "{index}");
        assert!(offset < segment_length(segment) as usize, "{index}");
        assert!(places.insert((segment, offset)), "{index}");
    }
}

#[test]
fn threads_never_see_an_object_of_another_handle() {
    let table = <HandleTable<_>>::new(Kind::POOL);
    let stop = AtomicBool::new(false);
    let shared = table.insert_with(Arc::new).expect("room");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    assert_eq!(table.get(shared).as_deref(), Some(&shared));
                }
            });
        }
        let writers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut old = shared;
                    for _ in 0..5000 {
                        let handle = table.insert_with(Arc::new).expect("room");
                        assert_eq!(table.get(handle).as_deref(), Some(&handle));
                        if old != shared {
                            assert_eq!(table.get(old), None);
                        }
                        assert_eq!(table.remove(handle).as_deref(), Some(&handle));
                        old = handle;
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().expect("a writer ends well");
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(table.len(), 1);
}
