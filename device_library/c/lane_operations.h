// The operations of `lane_operations!` in cpu_abi/src/lib.rs: `ZLUDA_BLESS=1 cargo test -p device_library` writes
// this file.

#pragma once

u64 zluda_lane_mbarrier_arrive(u64 address, u64 count) NAMED("zluda.lane.mbarrier.arrive");
u64 zluda_lane_mbarrier_arrive_drop(u64 address, u64 count) NAMED("zluda.lane.mbarrier.arrive_drop");
u64 zluda_lane_mbarrier_expect_tx(u64 address, u64 bytes) NAMED("zluda.lane.mbarrier.expect_tx");
u64 zluda_lane_mbarrier_complete_tx(u64 address, u64 bytes) NAMED("zluda.lane.mbarrier.complete_tx");
u64 zluda_lane_copy(u64 destination, u64 source, u64 bytes) NAMED("zluda.lane.copy");
u64 zluda_lane_copy_multicast(u64 destination, u64 source, u64 bytes, u64 mbarrier, u64 mask) NAMED("zluda.lane.copy.multicast");
u64 zluda_lane_copy_masked(u64 destination, u64 source, u64 bytes, u64 mask) NAMED("zluda.lane.copy.masked");
u64 zluda_lane_reduce(u64 destination, u64 source, u64 bytes, u64 operation) NAMED("zluda.lane.reduce");
u64 zluda_lane_launch_buffer(u64 function, u64 grid_x, u64 grid_y, u64 grid_z, u64 block_x, u64 block_y, u64 block_z, u64 shared) NAMED("zluda.lane.launch.buffer");
u64 zluda_lane_launch_room(u64 alignment, u64 bytes) NAMED("zluda.lane.launch.room");
u64 zluda_lane_launch_describe(u64 buffer, u64 function, u64 grid_x, u64 grid_y, u64 grid_z, u64 block_x, u64 block_y, u64 block_z, u64 shared) NAMED("zluda.lane.launch.describe");
u64 zluda_lane_launch_device(u64 segment, u64 buffer, u64 stream) NAMED("zluda.lane.launch.device");
u64 zluda_lane_launch_last_error(u64 thread) NAMED("zluda.lane.launch.last_error");
u64 zluda_lane_launch_set_last_error(u64 thread, u64 error) NAMED("zluda.lane.launch.set_last_error");
u64 zluda_lane_launch_stream(u64 place, u64 flags) NAMED("zluda.lane.launch.stream");
u64 zluda_lane_launch_end_stream(u64 stream) NAMED("zluda.lane.launch.end_stream");
u64 zluda_lane_launch_wait(u64 stream, u64 event, u64 flags) NAMED("zluda.lane.launch.wait");
u64 zluda_lane_launch_event(u64 place, u64 flags) NAMED("zluda.lane.launch.event");
u64 zluda_lane_launch_record(u64 event, u64 stream) NAMED("zluda.lane.launch.record");
u64 zluda_lane_launch_end_event(u64 event) NAMED("zluda.lane.launch.end_event");
u64 zluda_lane_launch_function_attribute(u64 segment, u64 place, u64 attribute, u64 function) NAMED("zluda.lane.launch.function_attribute");
u64 zluda_lane_launch_device_attribute(u64 segment, u64 place, u64 attribute, u64 device) NAMED("zluda.lane.launch.device_attribute");
u64 zluda_lane_launch_limit(u64 segment, u64 place, u64 limit) NAMED("zluda.lane.launch.limit");
u64 zluda_lane_launch_occupancy(u64 segment, u64 place, u64 function, u64 threads, u64 shared) NAMED("zluda.lane.launch.occupancy");
u64 zluda_lane_fill(u64 destination, u64 bytes, u64 value) NAMED("zluda.lane.fill");
u64 zluda_lane_alloca(u64 thread, u64 bytes, u64 alignment) NAMED("zluda.lane.alloca");
u64 zluda_lane_stacksave(u64 thread) NAMED("zluda.lane.stacksave");
u64 zluda_lane_stackrestore(u64 thread, u64 place) NAMED("zluda.lane.stackrestore");
u64 zluda_lane_tensor_load(u64 destination, u64 map, u64 places, u64 mode, u64 mbarrier, u64 mask) NAMED("zluda.lane.tensor.load");
u64 zluda_lane_tensor_store(u64 source, u64 map, u64 places, u64 mode) NAMED("zluda.lane.tensor.store");
u64 zluda_lane_tensor_reduce(u64 source, u64 map, u64 places, u64 mode, u64 operation) NAMED("zluda.lane.tensor.reduce");
u64 zluda_lane_tensor_replace(u64 map, u64 field, u64 ordinal, u64 value) NAMED("zluda.lane.tensor.replace");
u64 zluda_lane_graph_launch(u64 graph, u64 stream) NAMED("zluda.lane.graph.launch");
u64 zluda_lane_graph_current() NAMED("zluda.lane.graph.current");
u64 zluda_lane_node_parameter(u64 node, u64 offset, u64 value, u64 bytes) NAMED("zluda.lane.node.parameter");
u64 zluda_lane_node_enabled(u64 node, u64 enabled) NAMED("zluda.lane.node.enabled");
u64 zluda_lane_node_grid(u64 node, u64 x, u64 y, u64 z) NAMED("zluda.lane.node.grid");
u64 zluda_lane_node_updates(u64 updates, u64 count) NAMED("zluda.lane.node.updates");
u64 zluda_lane_misaligned(u64 address, u64 bytes, u64 thread, u64 line) NAMED("zluda.lane.misaligned");
