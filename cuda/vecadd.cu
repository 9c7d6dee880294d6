// Twin of kernels/vecadd.ptx: C = A + B, one thread an element. G 121-130.
extern "C" __global__ void vecAdd(float *A, float *B, float *C, int vectorLength)
{
    int workIndex = threadIdx.x + blockIdx.x * blockDim.x;
    if (workIndex < vectorLength)
        C[workIndex] = A[workIndex] + B[workIndex];
}
