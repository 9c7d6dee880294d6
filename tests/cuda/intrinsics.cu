// A word a thread for each of the device's integer and warp functions.
extern "C" __global__ void intrinsics(const unsigned *in, unsigned *out)
{
    const unsigned all = 0xffffffffu;
    unsigned a = in[threadIdx.x], b = in[(threadIdx.x + 1) % 32];
    unsigned *o = out + threadIdx.x * 40;
    unsigned long long wide = (unsigned long long)a << 32 | b;
    o[0] = __popc(a);
    o[1] = __clz((int)a);
    o[2] = __ffs((int)a);
    o[3] = __brev(a);
    o[4] = __popcll(wide);
    o[5] = __clzll((long long)(wide >> (a & 63)));
    o[6] = __ffsll((long long)(wide << (a & 31)));
    o[7] = __byte_perm(a, b, 0x5274);
    o[8] = __funnelshift_l(a, b, a & 63);
    o[9] = __funnelshift_r(a, b, a & 63);
    o[10] = (unsigned)__mul24((int)a, (int)b);
    o[11] = __umul24(a, b);
    o[12] = __umulhi(a, b);
    o[13] = (unsigned)__mulhi((int)a, (int)b);
    o[14] = (unsigned)(__umul64hi(wide, wide) >> 32);
    o[15] = (unsigned)min((int)a, (int)b);
    o[16] = max(a, b);
    o[17] = (unsigned)abs((int)a);
    o[18] = __ballot_sync(all, a & 1);
    o[19] = (unsigned)__any_sync(all, a == 7u) | (unsigned)__all_sync(all, a != 0) << 1;
    o[20] = __activemask();
    o[21] = __match_any_sync(all, a & 3);
    o[22] = __shfl_sync(all, a, 5);
    o[23] = __shfl_up_sync(all, a, 3, 8);
    o[24] = __shfl_down_sync(all, a, 9);
    o[25] = __shfl_xor_sync(all, a, 21);
    o[26] = (unsigned)(__shfl_sync(all, wide, threadIdx.x + 1, 16) >> 16);
    o[27] = (unsigned)__double2hiint(__shfl_down_sync(all, (double)a, 4));
    o[28] = (unsigned)__float_as_int(__shfl_xor_sync(all, (float)a, 1));
    o[29] = (unsigned)__syncthreads_count(a & 1);
    o[30] = (unsigned)__syncthreads_and(a != 0) | (unsigned)__syncthreads_or(a == 0) << 1;
    o[31] = __reduce_add_sync(all, a);
    o[32] = (unsigned)__float2int_rn((float)(int)a * 0.001f);
    o[33] = (unsigned)__float2int_rd((float)(int)a * 0.001f);
    o[34] = __float_as_uint(__fadd_rz((float)a, 0.3f));
    o[35] = __float_as_uint(__fmul_ru((float)a, 0.3f));
    o[36] = __usad(a, b, 5u);
    o[37] = threadIdx.x % 3 ? __activemask() : 0;
    __syncwarp();
    o[38] = (unsigned)__dp4a((int)a, (int)b, 9);
    o[39] = __brevll(wide) >> 32;
}
