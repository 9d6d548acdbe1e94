// Offloading by GCC's OpenMP: its runtime links some fifty modules of PTX with the driver's linker and launches
// what comes of it. Teams, threads, reductions, variables of the device, functions, critical sections, barriers.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define FAIL(...)                                                                                            \
    do {                                                                                                     \
        printf("FAIL %s:%d: ", __FILE__, __LINE__);                                                          \
        printf(__VA_ARGS__);                                                                                 \
        printf("\n");                                                                                        \
        exit(1);                                                                                             \
    } while (0)

enum { N = 20000 };

#pragma omp declare target
static int squares[64];
static double twice(double x) { return 2 * x; }
#pragma omp end declare target

int main(void) {
    double *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b), sum = 0, wanted_sum = 0;
    int host = 1, largest = 0, wanted_largest = 0;
    for (int i = 0; i < N; i++) a[i] = i * 0.5;
    if (omp_get_num_devices() < 1) FAIL("there are no devices");

#pragma omp target map(tofrom : host)
    host = omp_is_initial_device();
    if (host) FAIL("it runs on the host");

#pragma omp target teams distribute parallel for map(to : a[0 : N]) map(from : b[0 : N])
    for (int i = 0; i < N; i++) b[i] = twice(a[i]) + 1;
    for (int i = 0; i < N; i++) {
        if (b[i] != a[i] * 2 + 1) FAIL("b[%d] is %f", i, b[i]);
        wanted_sum += b[i];
        if ((int)b[i] % 1000 > wanted_largest) wanted_largest = (int)b[i] % 1000;
    }

#pragma omp target teams distribute parallel for map(to : b[0 : N]) reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += b[i];
    if (sum != wanted_sum) FAIL("the sum is %f, not %f", sum, wanted_sum);

#pragma omp target parallel for map(to : b[0 : N]) reduction(max : largest)
    for (int i = 0; i < N; i++)
        if ((int)b[i] % 1000 > largest) largest = (int)b[i] % 1000;
    if (largest != wanted_largest) FAIL("the largest is %d, not %d", largest, wanted_largest);

#pragma omp target teams distribute parallel for simd map(tofrom : b[0 : N])
    for (int i = 0; i < N; i++) b[i] = sqrt(b[i]);
    for (int i = 0; i < N; i++)
        if (b[i] != sqrt(a[i] * 2 + 1)) FAIL("a root is %.17g", b[i]);

    // A variable of the device keeps what a region left there.
    int got[64];
#pragma omp target
    for (int i = 0; i < 64; i++) squares[i] = i * i;
#pragma omp target map(from : got)
    for (int i = 0; i < 64; i++) got[i] = squares[63 - i];
    for (int i = 0; i < 64; i++)
        if (got[i] != (63 - i) * (63 - i)) FAIL("got[%d] is %d", i, got[i]);

    int teams = 0;
#pragma omp target teams num_teams(3) thread_limit(64) map(from : teams)
    if (omp_get_team_num() == 0) teams = omp_get_num_teams();
    if (teams != 3) FAIL("there are %d teams", teams);

    int counter = 0, threads = 0;
#pragma omp target parallel map(tofrom : counter, threads)
    {
#pragma omp critical
        counter++;
#pragma omp barrier
#pragma omp single
        {
            threads = omp_get_num_threads();
            counter += 1000;
        }
    }
    if (threads < 2 || counter != 1000 + threads) FAIL("%d threads counted to %d", threads, counter);
    printf("PASS openmp\n");
    return 0;
}
