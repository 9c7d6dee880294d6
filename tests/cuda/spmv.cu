// y = A x, A in compressed rows, a warp a row.
extern "C" __global__ void spmv(int rows, const int *__restrict__ start, const int *__restrict__ column,
                                const float *__restrict__ value, const float *__restrict__ x, float *y)
{
    int thread = blockDim.x * blockIdx.x + threadIdx.x;
    int row = thread / 32, lane = thread & 31;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = start[row] + lane; j < start[row + 1]; j += 32)
        sum += value[j] * __ldg(&x[column[j]]);
    for (int o = 16; o; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0)
        y[row] = sum;
}
