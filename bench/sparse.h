// A sparse matrix with rows of random length, by rows (CSR), and the vector that it is multiplied by.
#pragma once

#include "bench.h"
#include "sizes.h"

struct Sparse {
    std::vector<int> starts, columns;
    std::vector<float> values, vector;

    Sparse() {
        starts.push_back(0);
        for (int length : random_integers<int>(SPARSE_ROWS, SPARSE_LONGEST, 1)) starts.push_back(starts.back() + length);
        columns = random_integers<int>(starts.back(), SPARSE_ROWS, 2);
        values = random_floats(starts.back(), 3);
        vector = random_floats(SPARSE_ROWS, 4);
    }
};
