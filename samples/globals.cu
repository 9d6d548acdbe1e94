// Variables of a module: initialised, holding pointers to each other and to strings, constant and static;
// read and written by kernels and by symbol copies.
// sample: machine_code = variables with values, and addresses in them
#include "sample.h"

struct Node {
    int value;
    const Node *next;
};

__device__ int table[5] = {10, 20, 30, 40, 50};
__device__ int *pointers[3] = {&table[1], table + 4, nullptr};
__device__ Node last = {3, nullptr};
__device__ Node middle = {2, &last};
__device__ Node first = {1, &middle};
__device__ const char *names[2] = {"alpha", "omega"};
__device__ char text[12] = "device text";
__device__ double scale = 2.5;
__device__ unsigned long long counter;
__device__ int zeroed[1000];
__constant__ short shorts[4] = {-1, 2, -3, 4};
__constant__ const int *constant_pointer = &table[2];
static __device__ float hidden = 0.5f;
__device__ struct {
    char c;
    double d;
    short s;
    float f[2];
} mixed = {'m', 1.25, -7, {0.5f, 0.75f}};

__global__ void read_all(double *out, char *name) {
    int n = 0;
    out[n++] = *pointers[0];
    out[n++] = *pointers[1];
    out[n++] = pointers[2] == nullptr;
    for (const Node *node = &first; node; node = node->next) out[n++] = node->value;
    out[n++] = scale;
    out[n++] = double(counter);
    out[n++] = zeroed[999];
    out[n++] = shorts[0] * 1000 + shorts[3];
    out[n++] = *constant_pointer;
    out[n++] = hidden;
    out[n++] = mixed.c;
    out[n++] = mixed.d;
    out[n++] = mixed.s;
    out[n++] = mixed.f[1];
    const char *from = names[1];
    while ((*name++ = *from++)) {
    }
    for (int i = 0; i < 11; ++i) *name++ = text[i];
}

__global__ void write_all() {
    atomicAdd(&counter, 1);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        scale *= 2;
        table[3] = -40;
        hidden = 8;
        pointers[2] = &zeroed[5];
    }
}

__global__ void write_through_pointer() { *pointers[2] = 123; }

// A pointer out of memory may be of any space: these accesses stay generic, with their hints.
__global__ void add_with_hints() {
    int *place = pointers[0], value;
    asm volatile("ld.cs.s32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    asm volatile("st.cs.s32 [%0], %1;" ::"l"(place), "r"(value + 1) : "memory");
}

int main() {
    DeviceArray<double> out(16);
    DeviceArray<char> name(32);
    name.fill_bytes(0);
    read_all<<<1, 1>>>(out.get(), name.get());
    CUDA_FINISH();
    expect_equal("initial values", out.to_host(),
                 std::vector<double>{20, 50, 1, 1, 2, 3, 2.5, 0, 0, -996, 30, 0.5, 'm', 1.25, -7, 0.75});
    auto characters = name.to_host();
    if (std::memcmp(characters.data(), "omega\0device text", 17) != 0) fail("strings: %s", characters.data());

    write_all<<<3, 50>>>();
    write_through_pointer<<<1, 1>>>();
    add_with_hints<<<1, 1>>>();
    CUDA_FINISH();
    unsigned long long host_counter;
    CUDA(cudaMemcpyFromSymbol(&host_counter, counter, sizeof(host_counter)));
    expect_equal("counter", host_counter, 150ull);
    double host_scale;
    CUDA(cudaMemcpyFromSymbol(&host_scale, scale, sizeof(host_scale)));
    expect_equal("scale", host_scale, 5.0);
    int host_table[5];
    CUDA(cudaMemcpyFromSymbol(host_table, table, sizeof(int) * 4, sizeof(int)));
    expect_equal("table[1]", host_table[0], 21);
    expect_equal("table[3]", host_table[2], -40);
    expect_equal("table[4]", host_table[3], 50);
    std::vector<int> host_zeroed(1000);
    CUDA(cudaMemcpyFromSymbol(host_zeroed.data(), zeroed, sizeof(int) * 1000));
    expect_equal("zeroed[5]", host_zeroed[5], 123);
    expect_equal("zeroed[6]", host_zeroed[6], 0);

    // Through addresses: the host finds table, and the pointer that the module holds is the same address.
    void *table_address;
    size_t table_size;
    CUDA(cudaGetSymbolAddress(&table_address, table));
    CUDA(cudaGetSymbolSize(&table_size, table));
    expect_equal("size of table", table_size, sizeof(int) * 5);
    int *held;
    CUDA(cudaMemcpyFromSymbol(&held, pointers, sizeof(held)));
    if (held != (int *)table_address + 1) fail("pointers[0] is %p, table is at %p", (void *)held, table_address);
    int replacement[5] = {1, 2, 3, 4, 5};
    CUDA(cudaMemcpy(table_address, replacement, sizeof(replacement), cudaMemcpyHostToDevice));
    int *to_zeroed;
    CUDA(cudaGetSymbolAddress((void **)&to_zeroed, zeroed));
    to_zeroed += 999;
    CUDA(cudaMemcpyToSymbol(pointers, &to_zeroed, sizeof(to_zeroed), sizeof(int *)));
    int seven = 7;
    CUDA(cudaMemcpyToSymbol(zeroed, &seven, sizeof(int), sizeof(int) * 999));
    short new_shorts[2] = {5, 6};
    CUDA(cudaMemcpyToSymbol(shorts, new_shorts, sizeof(new_shorts), sizeof(short) * 2));
    read_all<<<1, 1>>>(out.get(), name.get());
    CUDA_FINISH();
    expect_equal("changed values", out.to_host(),
                 std::vector<double>{2, 7, 0, 1, 2, 3, 5, 150, 7, -994, 3, 8, 'm', 1.25, -7, 0.75});
    return pass("globals");
}
