// bench: flags = -ffast-math
#define NAME "black_scholes_fast_math"
#include "options_native.h"
