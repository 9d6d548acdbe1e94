// Arithmetic of matrix instructions for the engine, which has the numbers of all lanes.

#include "matrix_double.h"

u64 matrix_fused(u64 a, u64 b, u64 c, u32 rounding) NAMED("zluda.matrix.fused");
u64 matrix_fused(u64 a, u64 b, u64 c, u32 rounding) { return fused(a, b, c, rounding); }
