// Twin of kernels/matmul.ptx: C = A B, with A of M x K, B of K x N and C of M x N floats, row-major. A3 71-123.
// The article mixes two sizes of tile; here it is one. Grids round up.
extern "C" __global__ void matMulNaive(float *A, float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float value = 0;
        for (int k = 0; k < K; k++)
            value += A[row * K + k] * B[k * N + col];
        C[row * N + col] = value;
    }
}

template <int SIZE> static __device__ void tiles(float *A, float *B, float *C, int M, int N, int K)
{
    __shared__ float As[SIZE][SIZE], Bs[SIZE][SIZE];
    int row = blockIdx.y * SIZE + threadIdx.y, col = blockIdx.x * SIZE + threadIdx.x;
    float value = 0;
    for (int t = 0; t < (K + SIZE - 1) / SIZE; ++t) {
        int aCol = t * SIZE + threadIdx.x, bRow = t * SIZE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < M && aCol < K ? A[row * K + aCol] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = bRow < K && col < N ? B[bRow * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < SIZE; ++k)
            value += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = value;
}

extern "C" __global__ void __launch_bounds__(256) matMul16(float *A, float *B, float *C, int M, int N, int K)
{
    tiles<16>(A, B, C, M, N, K);
}

extern "C" __global__ void __launch_bounds__(1024) matMul32(float *A, float *B, float *C, int M, int N, int K)
{
    tiles<32>(A, B, C, M, N, K);
}

// Four elements of the row of As in one read, by hand.
extern "C" __global__ void __launch_bounds__(1024) matMul32_v4(float *A, float *B, float *C, int M, int N, int K)
{
    __shared__ float4 As[32][8];
    __shared__ float Bs[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float value = 0;
    for (int t = 0; t < (K + 31) / 32; ++t) {
        int aCol = t * 32 + threadIdx.x, bRow = t * 32 + threadIdx.y;
        ((float *)As[threadIdx.y])[threadIdx.x] = row < M && aCol < K ? A[row * K + aCol] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = bRow < K && col < N ? B[bRow * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 8; ++k) {
            float4 four = As[threadIdx.y][k];
            value += four.x * Bs[4 * k][threadIdx.x];
            value += four.y * Bs[4 * k + 1][threadIdx.x];
            value += four.z * Bs[4 * k + 2][threadIdx.x];
            value += four.w * Bs[4 * k + 3][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = value;
}
