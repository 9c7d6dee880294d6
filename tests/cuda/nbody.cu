// Gravity of all bodies on each, tile by tile.
__device__ float3 interact(float4 bi, float4 bj, float3 a)
{
    float3 r = make_float3(bj.x - bi.x, bj.y - bi.y, bj.z - bi.z);
    float d2 = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
    float inv = rsqrtf(d2);
    float s = bj.w * inv * inv * inv;
    a.x += r.x * s;
    a.y += r.y * s;
    a.z += r.z * s;
    return a;
}

extern "C" __global__ void nbody(const float4 *bodies, float4 *accel, int n)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int first = 0; first < n; first += blockDim.x) {
        int j = first + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (unsigned k = 0; k < blockDim.x; k++)
            a = interact(mine, tile[k], a);
        __syncthreads();
    }
    if (i < n)
        accel[i] = make_float4(a.x, a.y, a.z, 0);
}
