// sample: flags = --default-stream per-thread
// The same, with a default stream for each host thread.
#define SAMPLE_NAME "threads_per_thread_stream"
#include "threads.cu"
