// Textures and surfaces through the runtime API: objects of arrays, of layered, cubemap and mipmapped arrays,
// of linear and pitched memory, and surfaces that kernels write. Filters are compared with their definition:
// weights have 8 fractional bits.
// sample: machine_code = textures and surfaces

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        cudaError_t error = (call);                                                              \
        if (error != cudaSuccess) {                                                              \
            printf("FAIL textures: %s: %s\n", #call, cudaGetErrorString(error));                 \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

static void expect(bool condition, const char *what) {
    if (!condition) {
        printf("FAIL textures: %s\n", what);
        exit(1);
    }
}

const int W = 37, H = 23;

__global__ void sample2d(cudaTextureObject_t texture, const float2 *at, float *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = tex2D<float>(texture, at[i].x, at[i].y);
}

__global__ void fetch(cudaTextureObject_t linear, cudaTextureObject_t pitched, int *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = tex1Dfetch<int>(linear, i) + tex2D<int>(pitched, i % W, i / W % H);
}

__global__ void sample_layered(cudaTextureObject_t texture, uchar4 *out, int layers) {
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    if (layer < layers) out[(layer * 8 + y) * 8 + x] = tex2DLayered<uchar4>(texture, x, y, layer);
}

__global__ void sample_cube(cudaTextureObject_t texture, float *out) {
    const float3 directions[6] = {{1, 0.1f, 0.2f},  {-1, 0.1f, 0.2f}, {0.1f, 1, 0.2f},
                                  {0.1f, -1, 0.2f}, {0.1f, 0.2f, 1},  {0.1f, 0.2f, -1}};
    float3 d = directions[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(texture, d.x, d.y, d.z);
}

__global__ void sample_levels(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2DLod<float>(texture, 0.5f, 0.5f, threadIdx.x * 0.5f);
}

__global__ void write_surface(cudaSurfaceObject_t surface) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    // What lies outside is dropped.
    surf2Dwrite<float>(x * 100.0f + y, surface, x * 4, y, cudaBoundaryModeZero);
}

__global__ void turn_surface(cudaSurfaceObject_t from, float *out) {
    int x = threadIdx.x, y = blockIdx.x;
    float value;
    surf2Dread(&value, from, (W - 1 - x) * 4, H - 1 - y);
    out[y * W + x] = value;
}

template <typename T> static T *device(size_t count) {
    T *pointer;
    CHECK(cudaMalloc(&pointer, count * sizeof(T)));
    return pointer;
}

static cudaTextureObject_t make(const cudaResourceDesc &resource, cudaTextureDesc description) {
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &resource, &description, nullptr));
    return object;
}

static float texel(const std::vector<float> &image, int x, int y) {
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= H ? H - 1 : y;
    return image[y * W + x];
}

// The definition of CUDA's programming guide.
static double bilinear(const std::vector<float> &image, float x, float y) {
    double fixed_x = floor((x - 0.5) * 256 + 0.5) / 256, fixed_y = floor((y - 0.5) * 256 + 0.5) / 256;
    int i = (int)floor(fixed_x), j = (int)floor(fixed_y);
    double a = fixed_x - i, b = fixed_y - j;
    return (1 - a) * (1 - b) * texel(image, i, j) + a * (1 - b) * texel(image, i + 1, j) +
           (1 - a) * b * texel(image, i, j + 1) + a * b * texel(image, i + 1, j + 1);
}

static void planes() {
    std::vector<float> image(W * H);
    for (int i = 0; i < W * H; i++) image[i] = (float)((i * 7919) % 1009) / 8;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, W, H));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    std::vector<float> back(W * H);
    CHECK(cudaMemcpy2DFromArray(back.data(), W * 4, array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    expect(back == image, "the array gives back what was copied");

    const int count = 5000;
    std::vector<float2> at(count);
    for (int i = 0; i < count; i++) {
        at[i] = {(float)(i % 173) / 173 * (W + 6) - 3, (float)(i % 97) / 97 * (H + 6) - 3};
    }
    float2 *places = device<float2>(count);
    float *out = device<float>(count);
    CHECK(cudaMemcpy(places, at.data(), count * sizeof(float2), cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (int linear = 0; linear < 2; linear++) {
        cudaTextureDesc description = {};
        description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
        description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        cudaTextureObject_t texture = make(resource, description);
        sample2d<<<(count + 127) / 128, 128>>>(texture, places, out, count);
        std::vector<float> got(count);
        CHECK(cudaMemcpy(got.data(), out, count * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < count; i++) {
            if (linear) {
                // The weights of the four corners are rounded to 1/256 each.
                expect(fabs(got[i] - bilinear(image, at[i].x, at[i].y)) <= 126.0 * 2 / 256, "a linear filter");
            } else {
                float want = texel(image, (int)floorf(at[i].x), (int)floorf(at[i].y));
                expect(got[i] == want, "the nearest texel");
            }
        }
        cudaTextureDesc again;
        CHECK(cudaGetTextureObjectTextureDesc(&again, texture));
        expect(again.filterMode == description.filterMode, "the description comes back");
        CHECK(cudaDestroyTextureObject(texture));
    }
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(places));
    CHECK(cudaFree(out));
}

static void memory() {
    const int count = W * H;
    std::vector<int> numbers(count);
    for (int i = 0; i < count; i++) numbers[i] = i * i;
    int *linear = device<int>(count), *out = device<int>(count), *pitched;
    size_t pitch;
    CHECK(cudaMallocPitch(&pitched, &pitch, W * 4, H));
    CHECK(cudaMemcpy(linear, numbers.data(), count * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(pitched, pitch, numbers.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = linear;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = count * 4;
    cudaTextureObject_t line = make(resource, {});
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {pitched, cudaCreateChannelDesc<int>(), (size_t)W, (size_t)H, pitch};
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t plane = make(resource, description);
    fetch<<<(count + 127) / 128, 128>>>(line, plane, out, count);
    std::vector<int> got(count);
    CHECK(cudaMemcpy(got.data(), out, count * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) expect(got[i] == 2 * numbers[i], "textures of memory");
    // Programs destroy textures before they launch what reads them: what was there stays until another one gets the handle.
    CHECK(cudaDestroyTextureObject(line));
    CHECK(cudaMemset(out, 0, count * 4));
    fetch<<<(count + 127) / 128, 128>>>(line, plane, out, count);
    CHECK(cudaMemcpy(got.data(), out, count * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) expect(got[i] == 2 * numbers[i], "a destroyed texture");
    CHECK(cudaDestroyTextureObject(plane));
    CHECK(cudaFree(linear));
    CHECK(cudaFree(pitched));
    CHECK(cudaFree(out));
}

static cudaArray_t make_array(cudaChannelFormatDesc format, cudaExtent extent, unsigned flags, void *texels, int texel) {
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, extent.width * texel, extent.width, extent.height);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static void layers_and_faces() {
    const int layers = 5;
    std::vector<uchar4> texels(layers * 64);
    for (size_t i = 0; i < texels.size(); i++) {
        texels[i] = make_uchar4((unsigned char)i, (unsigned char)(i >> 8), (unsigned char)(i * 3), 7);
    }
    cudaArray_t array = make_array(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(8, 8, layers), cudaArrayLayered, texels.data(), 4);
    cudaExtent extent;
    unsigned flags;
    cudaChannelFormatDesc format;
    CHECK(cudaArrayGetInfo(&format, &extent, &flags, array));
    expect(extent.depth == layers && format.x == 8 && (flags & cudaArrayLayered), "what an array says of itself");
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t texture = make(resource, {});
    uchar4 *out = device<uchar4>(texels.size());
    sample_layered<<<layers, dim3(8, 8)>>>(texture, out, layers);
    std::vector<uchar4> got(texels.size());
    CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++) {
        expect(got[i].x == texels[i].x && got[i].y == texels[i].y && got[i].z == texels[i].z && got[i].w == 7, "layers");
    }
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));

    std::vector<float> faces(6 * 16);
    for (int i = 0; i < 6 * 16; i++) faces[i] = (float)(i / 16);
    array = make_array(cudaCreateChannelDesc<float>(), make_cudaExtent(4, 4, 6), cudaArrayCubemap, faces.data(), 4);
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.normalizedCoords = 1;
    description.filterMode = cudaFilterModeLinear;
    texture = make(resource, description);
    float *seen = device<float>(6);
    sample_cube<<<1, 6>>>(texture, seen);
    float face[6];
    CHECK(cudaMemcpy(face, seen, sizeof face, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 6; i++) expect(face[i] == (float)i, "faces of a cube");
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(seen));
}

static void mipmaps() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    CHECK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(16, 16, 0), 5));
    for (int level = 0; level < 5; level++) {
        cudaArray_t array;
        CHECK(cudaGetMipmappedArrayLevel(&array, mipmap, level));
        int size = 16 >> level;
        std::vector<float> texels(size * size, level * 10.0f);
        CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), size * 4, size * 4, size, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    cudaTextureDesc description = {};
    description.normalizedCoords = 1;
    description.mipmapFilterMode = cudaFilterModeLinear;
    description.maxMipmapLevelClamp = 3;
    cudaTextureObject_t texture = make(resource, description);
    float *out = device<float>(9), got[9];
    sample_levels<<<1, 9>>>(texture, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 9; i++) expect(got[i] == fminf(i * 5.0f, 30.0f), "levels, and what is between them");
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeMipmappedArray(mipmap));
    CHECK(cudaFree(out));
}

static void surfaces() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    write_surface<<<dim3(3, 2), dim3(16, 16)>>>(surface);
    float *out = device<float>(W * H);
    turn_surface<<<H, W>>>(surface, out);
    std::vector<float> got(W * H);
    CHECK(cudaMemcpy(got.data(), out, W * H * 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            expect(got[y * W + x] == (W - 1 - x) * 100.0f + (H - 1 - y), "a surface");
        }
    }
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}

int main() {
    planes();
    memory();
    layers_and_faces();
    mipmaps();
    surfaces();
    printf("PASS textures\n");
}
