// C = A B by tiles in shared memory; the matrices' sizes are no multiples of the tile.
template <int TILE> __device__ void multiply(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float a[TILE][TILE];
    __shared__ float b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
        int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = row < m && ka < k ? A[row * k + ka] : 0.0f;
        b[threadIdx.y][threadIdx.x] = kb < k && col < n ? B[kb * n + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}

extern "C" __global__ void __launch_bounds__(256) matmul(const float *A, const float *B, float *C, int m, int n, int k)
{
    multiply<16>(A, B, C, m, n, k);
}
