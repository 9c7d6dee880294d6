// Twin of kernels/reduce_atomic.ptx: the sum of an array, by an atomic addition for each element and for each block.
// G 744-825. The guide's cuda::atomic_ref takes *result; a guard keeps out threads without an element.
#if __has_include(<cuda/atomic>)
#include <cuda/atomic>

extern "C" __global__ void sumReduction(int n, float *array, float *result)
{
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    if (tid < n) {
        cuda::atomic_ref<float, cuda::thread_scope_device> result_ref(*result);
        result_ref.fetch_add(array[tid]);
    }
}

// A sum needs no order between its additions.
extern "C" __global__ void sum_relaxed(int n, float *array, float *result)
{
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    if (tid < n) {
        cuda::atomic_ref<float, cuda::thread_scope_device> result_ref(*result);
        result_ref.fetch_add(array[tid], cuda::std::memory_order_relaxed);
    }
}
#endif

// The block's slice goes to shared memory, thread 0 adds it up, and one atomic a block adds that.
extern "C" __global__ void __launch_bounds__(512) sum_reduce(float *a, float *s)
{
    __shared__ float shared_staging[512];
    shared_staging[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float local_sum = 0.0f;
        for (int i = 0; i < blockDim.x; i++)
            local_sum = local_sum + shared_staging[i];
        atomicAdd(s, local_sum);
    }
}

// A guarded twin: spare threads add zero and still reach the barrier.
extern "C" __global__ void __launch_bounds__(512) sum_reduce_any(float *a, float *s, unsigned n)
{
    __shared__ float shared_staging[512];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    shared_staging[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float local_sum = 0.0f;
        for (int k = 0; k < blockDim.x; k++)
            local_sum = local_sum + shared_staging[k];
        atomicAdd(s, local_sum);
    }
}
