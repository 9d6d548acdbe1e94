#define NAME "black_scholes"
#include "options_cuda.h"
