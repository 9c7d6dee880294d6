// Twin of kernels/threads.ptx: where a thread is. G 15-47, 835.
struct alignas(16) place {
    unsigned block, thread, warp, lane;
};

// x varies fastest, then y, then z; 32 consecutive threads are a warp.
extern "C" __global__ void thread_place(place *out)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    place p = {block, thread, thread / 32, thread % 32};
    out[block * threads + thread] = p;
}

// Which SM it is the program may read, but neither choose nor foresee.
extern "C" __global__ void which_sm(unsigned *out)
{
    if (threadIdx.x != 0)
        return;
    unsigned sm, sms;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    out[blockIdx.x] = sm < sms;
}
