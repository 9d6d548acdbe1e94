// Inclusive sums in C++: each thread sums a part, then scans it from the sum of what is before.
#pragma once

#include "bench.h"

#include <omp.h>

inline void scan(const int *values, int *sums, int count) {
    std::vector<int> totals(omp_get_max_threads() + 1);
#pragma omp parallel
    {
        int threads = omp_get_num_threads(), me = omp_get_thread_num();
        int begin = int64_t(count) * me / threads, end = int64_t(count) * (me + 1) / threads;
        if (threads > 1) {
            int total = 0;
#pragma omp simd reduction(+ : total)
            for (int i = begin; i < end; ++i) total += values[i];
            totals[me + 1] = total;
#pragma omp barrier
        }
        int sum = 0;
        for (int thread = 1; thread <= me; ++thread) sum += totals[thread];
        for (int i = begin; i < end; ++i) sums[i] = sum += values[i];
    }
}
