// Templates, classes with virtual functions, tables of function pointers, a function pointer that the host
// hands to a kernel, and objects on the device's heap.
// sample: machine_code = calls by addresses in memory
#include "sample.h"

#include <new>

class Shape {
  public:
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
};

class Rectangle : public Shape {
  public:
    __device__ Rectangle(float width, float height) : width_(width), height_(height) {}
    __device__ float area() const override { return width_ * height_; }
    __device__ int corners() const override { return 4; }

  private:
    float width_, height_;
};

class Disc : public Shape {
  public:
    __device__ explicit Disc(float radius) : radius_(radius) {}
    __device__ float area() const override { return 3 * radius_ * radius_; }

  private:
    float radius_;
};

class Prism : public Rectangle {
  public:
    __device__ Prism(float width, float height, float depth) : Rectangle(width, height), depth_(depth) {}
    __device__ float area() const override { return 2 * Rectangle::area() + depth_; }

  private:
    float depth_;
};

__device__ int destroyed;

class Counted : public Shape {
  public:
    __device__ ~Counted() override { atomicAdd(&destroyed, 1); }
    __device__ float area() const override { return 0.5f; }
};

__global__ void build(Shape **shapes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (i % 4) {
    case 0: shapes[i] = new Rectangle(i, 2); break;
    case 1: shapes[i] = new Disc(i); break;
    case 2: shapes[i] = new Prism(i, 1, 3); break;
    default: shapes[i] = new Counted;
    }
}

__global__ void measure(Shape *const *shapes, float *areas, int *corners) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    areas[i] = shapes[i]->area();
    corners[i] = shapes[i]->corners();
}

__global__ void destroy(Shape **shapes) { delete shapes[blockIdx.x * blockDim.x + threadIdx.x]; }

// Function pointers: a table, and one that is chosen at run time by the host.
using Operation = int (*)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int smaller(int a, int b) { return a < b ? a : b; }
__device__ Operation operations[] = {add, subtract, multiply, smaller};
__device__ Operation chosen = multiply;

__global__ void apply_table(const int *a, const int *b, int *out) {
    int i = threadIdx.x;
    out[i] = operations[(a[i] & 0xff) % 4](a[i], b[i]);
}

__global__ void apply_one(Operation operation, const int *a, const int *b, int *out) {
    out[threadIdx.x] = operation(a[threadIdx.x], b[threadIdx.x]);
}

// Templates: a functor with state, a non-type parameter, and a lambda made in the kernel.
template <int FACTOR> struct Scale {
    int offset;
    __device__ int operator()(int x) const { return FACTOR * x + offset; }
};
template <class Function> __device__ int twice(Function function, int x) { return function(function(x)); }
template <class Function> __global__ void map(Function function, const int *in, int *out) {
    int captured = 3 + blockIdx.x;
    auto add_captured = [captured](int x) { return x + captured; };
    out[threadIdx.x] = add_captured(twice(function, in[threadIdx.x]));
}

int main() {
    const int count = 128;
    DeviceArray<Shape *> shapes(count);
    DeviceArray<float> areas(count);
    DeviceArray<int> corners(count);
    build<<<2, count / 2>>>(shapes.get());
    measure<<<4, count / 4>>>(shapes.get(), areas.get(), corners.get());
    destroy<<<1, count>>>(shapes.get());
    CUDA_FINISH();
    std::vector<float> expected_areas(count);
    std::vector<int> expected_corners(count);
    for (int i = 0; i < count; ++i) {
        const float by_kind[] = {2.0f * i, 3.0f * i * i, 2.0f * i + 3, 0.5f};
        expected_areas[i] = by_kind[i % 4];
        expected_corners[i] = i % 2 == 0 ? 4 : 0;
    }
    expect_equal("areas", areas.to_host(), expected_areas);
    expect_equal("corners", corners.to_host(), expected_corners);
    int host_destroyed;
    CUDA(cudaMemcpyFromSymbol(&host_destroyed, destroyed, sizeof(int)));
    expect_equal("destroyed", host_destroyed, count / 4);

    Random random(15);
    auto a = random.numbers<int>(count, -1000, 1000), b = random.numbers<int>(count, -1000, 1000);
    DeviceArray<int> device_a(a), device_b(b), out(count);
    std::vector<int> expected(count);
    apply_table<<<1, count>>>(device_a.get(), device_b.get(), out.get());
    CUDA_FINISH();
    for (int i = 0; i < count; ++i) {
        const int results[] = {a[i] + b[i], a[i] - b[i], a[i] * b[i], a[i] < b[i] ? a[i] : b[i]};
        expected[i] = results[(a[i] & 0xff) % 4];
    }
    expect_equal("table of functions", out.to_host(), expected);

    Operation operation;
    CUDA(cudaMemcpyFromSymbol(&operation, chosen, sizeof(operation)));
    apply_one<<<1, count>>>(operation, device_a.get(), device_b.get(), out.get());
    CUDA_FINISH();
    for (int i = 0; i < count; ++i) expected[i] = a[i] * b[i];
    expect_equal("chosen function", out.to_host(), expected);

    map<<<1, count>>>(Scale<5>{-2}, device_a.get(), out.get());
    CUDA_FINISH();
    for (int i = 0; i < count; ++i) expected[i] = 5 * (5 * a[i] - 2) - 2 + 3;
    expect_equal("functor", out.to_host(), expected);
    return pass("virtual_functions");
}
