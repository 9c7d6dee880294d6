// Twin of kernels/syncthreads.ptx: the barrier between writing and reading. G 137-176.

// Assuming blockDim.x is 128. nvcc merges four reads of the loop into one of 128 bits.
extern "C" __global__ void __launch_bounds__(128) example_syncthreads(int *input_data, int *output_data)
{
    __shared__ int shared_data[128];
    shared_data[threadIdx.x] = input_data[blockDim.x * blockIdx.x + threadIdx.x];

    // All threads synchronize: all writes to shared_data come before any thread goes on.
    __syncthreads();

    // A single thread safely reads shared_data.
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < blockDim.x; ++i)
            sum += shared_data[i];
        output_data[blockIdx.x] = sum;
    }
}

// The same with the reads merged by hand.
extern "C" __global__ void __launch_bounds__(128) example_syncthreads_v4(int *input_data, int *output_data)
{
    __shared__ int4 shared_data[32];
    ((int *)shared_data)[threadIdx.x] = input_data[blockDim.x * blockIdx.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < 32; ++i) {
            int4 four = shared_data[i];
            sum += four.x;
            sum += four.y;
            sum += four.z;
            sum += four.w;
        }
        output_data[blockIdx.x] = sum;
    }
}

// A guarded twin of the Python kernel: any length, any block of up to 128 threads. Threads beyond the end put a zero and
// do not leave: the barrier waits for all.
extern "C" __global__ void __launch_bounds__(128) block_sum_any(int *input_data, int *output_data, unsigned length)
{
    __shared__ int shared_data[128];
    unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
    shared_data[threadIdx.x] = i < length ? input_data[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0.0;
        for (unsigned k = 0; k < blockDim.x; ++k)
            sum = sum + shared_data[k];
        output_data[blockIdx.x] = (int)sum;
    }
}
