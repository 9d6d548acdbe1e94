// What bulk reductions do to each element: `simt_abi::Reduction`.

#pragma once

#include "device.h"

enum reduction {
  AND32, AND64, OR32, OR64, XOR32, XOR64, ADD_U32, ADD_U64, INC_U32, DEC_U32, MIN_U32, MIN_S32, MIN_U64, MIN_S64, MAX_U32,
  MAX_S32, MAX_U64, MAX_S64, ADD_F16, MIN_F16, MAX_F16, ADD_BF16, MIN_BF16, MAX_BF16, ADD_F32, ADD_FTZ_F32, ADD_F64,
};
