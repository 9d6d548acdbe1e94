#include "opencl.h"

__kernel void mandelbrot(__global ushort *steps, int width, int height, float scale, int most)
{
    int px = BLOCK_X * THREADS_X + THREAD_X, py = BLOCK_Y * THREADS_Y + THREAD_Y;
    if (px >= width || py >= height)
        return;
    float cx = (px - width * 0.75f) * scale, cy = (py - height * 0.5f) * scale;
    float x = 0, y = 0;
    int step = 0;
    while (step < most && x * x + y * y < 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        step++;
    }
    steps[py * width + px] = step;
}
