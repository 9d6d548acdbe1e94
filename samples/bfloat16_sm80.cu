// sample: arch = compute_80
// The same arithmetic by the bfloat16 instructions of sm_80.
#define SAMPLE_NAME "bfloat16_sm80"
#include "bfloat16.cu"
