// bench: flags = -use_fast_math
#define NAME "black_scholes_fast_math"
#include "options_cuda.h"
