// C = A B by tiles of 16 x 16 in shared memory; n is a multiple of 16.
extern "C" __global__ void __launch_bounds__(256) matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[16][16], tile_b[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 16) {
        tile_a[y][x] = a[row * n + tile + x];
        tile_b[y][x] = b[(tile + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
