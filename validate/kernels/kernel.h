// What the kernels of this folder share.
#pragma once
#define KERNEL    extern "C" __global__ void
#define FULL_MASK 0xffffffffu

static __device__ __forceinline__ int global_thread()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}
