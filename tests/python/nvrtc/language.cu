// Templates, virtual functions, recursion, variables in all spaces, switches, the heap, printf.
template <typename T, int N> __device__ T dot(const T (&x)[N], const T (&y)[N]) {
    T sum = 0;
    for (int i = 0; i < N; i++) sum += x[i] * y[i];
    return sum;
}

template <typename T> __global__ void axpy(T a, const T *x, T *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
template __global__ void axpy<float>(float, const float *, float *, int);
template __global__ void axpy<double>(double, const double *, double *, int);
template __global__ void axpy<long long>(long long, const long long *, long long *, int);

extern "C" __global__ void dots(const float *x, double *out) {
    float a[7], b[7];
    for (int i = 0; i < 7; i++) {
        a[i] = x[i];
        b[i] = x[i + threadIdx.x];
    }
    out[2 * threadIdx.x] = dot(a, b);
    out[2 * threadIdx.x + 1] = a[threadIdx.x % 7];
}

struct Shape {
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    float side;
    __device__ Square(float side) : side(side) {}
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __device__ Circle(float radius) : radius(radius) {}
    __device__ float area() const override { return 3 * radius * radius; }
};
extern "C" __global__ void shapes(float *out, int n) {
    Square square(n);
    Circle circle(n);
    const Shape *shape = threadIdx.x & 1 ? (const Shape *) &square : &circle;
    out[threadIdx.x] = shape->area();
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x); }

__constant__ float table[64];
__device__ int counter;
__managed__ int managed_counter;
extern "C" __global__ void variables(float *out) {
    atomicAdd(&counter, 1);
    atomicAdd_system(&managed_counter, 1);
    out[threadIdx.x] = table[threadIdx.x & 63];
}

extern "C" __global__ void switches(int *x) {
    int result = 0;
    switch (x[threadIdx.x]) {
        case 0: result = 5; break;
        case 1: result = 7;
        case 2: result += 3; break;
        case 3: result = 9; break;
        case 4: result = x[0]; break;
        case 5: result = x[2] * 2; break;
        case 900: result = 1; break;
        default: result = -1;
    }
    x[threadIdx.x] = result;
}

extern "C" __global__ void prints(int n) {
    printf("%d %s %f %lld\n", n, "text", n * 0.5, (long long) n);
    assert(n > 0);
    if (n == 77) __trap();
}

extern "C" __global__ void heap(int **out) {
    int *values = new int[10];
    values[threadIdx.x % 10] = 4;
    *out = values;
    delete[] values;
    free(malloc(64));
}

extern "C" __global__ void __launch_bounds__(256, 2) local_array(double *x) {
    double a[40], sum = 0;
    for (int i = 0; i < 40; i++) a[i] = x[i * threadIdx.x];
    for (int i = 0; i < 40; i++) sum += a[(i * 7 + threadIdx.x) % 40];
    x[threadIdx.x] = sum;
}

extern "C" __global__ void wide_integers(unsigned __int128 *x) {
    x[0] = x[1] * x[2] + (x[3] >> 5);
    x[4] = x[1] / x[2];
}
