// Twin of kernels/transpose.ptx: c = a transposed, m x m floats. G 487-530, 594-742.
// The guide's tile kernel guards its write by what it reads; here the write has a guard of its own.
#define INDX(row, col, ld) (((row) * (ld)) + (col))

extern "C" __global__ void cuda_transpose(int m, float *a, float *c)
{
    int myCol = blockDim.x * blockIdx.x + threadIdx.x;
    int myRow = blockDim.y * blockIdx.y + threadIdx.y;
    if (myRow < m && myCol < m)
        c[INDX(myCol, myRow, m)] = a[INDX(myRow, myCol, m)];
}

// Through a tile of 32 rows, PITCH words apart. Reads and writes are coalesced; with a pitch of 32 the store into the tile
// meets one bank, with 33 all of them.
template <int PITCH> static __device__ void transpose_tile(int m, float *a, float *c)
{
    __shared__ float smemArray[32][PITCH];
    const int tileCol = blockDim.x * blockIdx.x, tileRow = blockDim.y * blockIdx.y;
    const int x = threadIdx.x, y = threadIdx.y;
    if (tileRow + y < m && tileCol + x < m)
        smemArray[x][y] = a[INDX(tileRow + y, tileCol + x, m)];
    __syncthreads();
    if (tileCol + y < m && tileRow + x < m)
        c[INDX(tileCol + y, tileRow + x, m)] = smemArray[y][x];
}

extern "C" __global__ void __launch_bounds__(1024) smem_transpose(int m, float *a, float *c)
{
    transpose_tile<32>(m, a, c);
}

extern "C" __global__ void __launch_bounds__(1024) smem_transpose_pad(int m, float *a, float *c)
{
    transpose_tile<33>(m, a, c);
}
