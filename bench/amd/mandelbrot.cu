// How many steps each point of a plane stays.
extern "C" __global__ void mandelbrot(unsigned short *steps, int width, int height, float scale, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    float cx = (px - width * 0.75f) * scale, cy = (py - height * 0.5f) * scale;
    float x = 0, y = 0;
    int step = 0;
#pragma unroll 1
    while (step < most && x * x + y * y < 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        step++;
    }
    steps[py * width + px] = step;
}
