// One step of heat that spreads over a plane; the border stays.
extern "C" __global__ void stencil(const float *in, float *out, int width, int height, float rate)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1)
        return;
    const float *at = in + y * width + x;
    float around = at[-1] + at[1] + at[-width] + at[width];
    out[y * width + x] = at[0] + rate * (around - 4 * at[0]);
}
