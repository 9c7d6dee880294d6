// Twin of kernels/reduce_tree.ptx: the sum of a block by a tree in shared memory. A4 section 3.
// Only a power of two is added up completely, so another block size traps.
extern "C" __global__ void __launch_bounds__(256) reduceSum(const float *input, float *output)
{
    __shared__ float sdata[256];
    unsigned tid = threadIdx.x;
    if ((blockDim.x & (blockDim.x - 1)) != 0)
        asm volatile("trap;");
    sdata[tid] = input[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        // Outside the condition: threads without work must reach it too.
        __syncthreads();
    }
    if (tid == 0)
        output[blockIdx.x] = sdata[0];
}
