// Offloading by GCC's OpenACC: gangs, workers and vectors, data regions, reductions, atomics, asynchronous queues.
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

#define FAIL(...)                                                                                            \
    do {                                                                                                     \
        printf("FAIL %s:%d: ", __FILE__, __LINE__);                                                          \
        printf(__VA_ARGS__);                                                                                 \
        printf("\n");                                                                                        \
        exit(1);                                                                                             \
    } while (0)

enum { ROWS = 40, COLUMNS = 50, N = 5000 };

#pragma acc routine seq
static float scaled(float x) { return 3 * x; }

int main(void) {
    static float a[ROWS][COLUMNS], b[COLUMNS][ROWS], c[ROWS][ROWS];
    if (acc_get_num_devices(acc_device_nvidia) < 1) FAIL("there are no devices");
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++) {
            a[i][k] = i - k % 7;
            b[k][i] = i % 5 + k;
        }

    int host = 1;
#pragma acc parallel copy(host)
    host = acc_on_device(acc_device_host);
    if (host) FAIL("it runs on the host");

#pragma acc data copyin(a, b) copyout(c)
    {
#pragma acc parallel loop gang num_gangs(8) vector_length(32)
        for (int i = 0; i < ROWS; i++)
#pragma acc loop vector
            for (int j = 0; j < ROWS; j++) {
                float sum = 0;
                for (int k = 0; k < COLUMNS; k++) sum += a[i][k] * b[k][j];
                c[i][j] = scaled(sum);
            }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            float sum = 0;
            for (int k = 0; k < COLUMNS; k++) sum += a[i][k] * b[k][j];
            if (c[i][j] != 3 * sum) FAIL("c[%d][%d] is %f, not %f", i, j, c[i][j], 3 * sum);
        }

    int *x = malloc(N * sizeof *x), bins[16] = {0}, total = 0, wanted = 0, largest = 0;
    for (int i = 0; i < N; i++) {
        x[i] = i * 7919 % 1009;
        wanted += x[i];
    }
#pragma acc parallel loop gang worker vector copyin(x[0 : N]) reduction(+ : total) reduction(max : largest)
    for (int i = 0; i < N; i++) {
        total += x[i];
        if (x[i] > largest) largest = x[i];
    }
    if (total != wanted || largest != 1008) FAIL("the sum is %d, the largest %d", total, largest);

#pragma acc parallel loop copyin(x[0 : N]) copy(bins) async(1)
    for (int i = 0; i < N; i++) {
#pragma acc atomic update
        bins[x[i] % 16]++;
    }
#pragma acc wait(1)
    int counted = 0;
    for (int i = 0; i < 16; i++) counted += bins[i];
    if (counted != N) FAIL("%d elements were counted", counted);
    printf("PASS openacc\n");
    return 0;
}
