// Cycles of tensor-core and asynchronous instructions: latency of a dependent chain, and what a full SM issues.
//   name, latency (one warp, cycles an instruction), interval (16 warps on an SM, cycles of a scheduler an instruction)
#include <cstdio>
typedef unsigned u; typedef unsigned long long ull;
#define N 64
#define TIME(...) { __VA_ARGS__; __syncthreads(); ull t0=clock64(); _Pragma("unroll 1") for(int n=0;n<N/8;n++){ __VA_ARGS__; __VA_ARGS__; __VA_ARGS__; __VA_ARGS__; __VA_ARGS__; __VA_ARGS__; __VA_ARGS__; __VA_ARGS__; } ull t1=clock64(); __syncthreads(); ull t2=clock64(); out[0]=t1-t0; out[1]=t2-t0; }
#define MMA4(T,A,B) asm volatile("mma.sync.aligned." T " {%0,%1,%2,%3}," A "," B ",{%0,%1,%2,%3};":"+f"(c[j][0]),"+f"(c[j][1]),"+f"(c[j][2]),"+f"(c[j][3]):"r"(a),"r"(a),"r"(a),"r"(a))
#define IMMA(T,A,B) asm volatile("mma.sync.aligned." T " {%0,%1,%2,%3}," A "," B ",{%0,%1,%2,%3};":"+r"(d[j][0]),"+r"(d[j][1]),"+r"(d[j][2]),"+r"(d[j][3]):"r"(a),"r"(a),"r"(a),"r"(a))
#define FP(NAME,T,A,B) __global__ void NAME(ull*out,u a,int four){ float c[4][4]={}; \
 if(four) TIME(for(int j=0;j<4;j++) MMA4(T,A,B)) else TIME(for(int j=0;j<1;j++) MMA4(T,A,B)) float s=0; for(int i=0;i<16;i++) s+=c[i/4][i%4]; if(s==3) out[2]=1; }
#define IN(NAME,T,A,B) __global__ void NAME(ull*out,u a,int four){ u d[4][4]={}; \
 if(four) TIME(for(int j=0;j<4;j++) IMMA(T,A,B)) else TIME(for(int j=0;j<1;j++) IMMA(T,A,B)) u s=0; for(int i=0;i<16;i++) s+=d[i/4][i%4]; if(s==3) out[2]=1; }
#define R4 "{%4,%5,%6,%7}"
#define R2 "{%4,%5}"
#define R1 "{%4}"
FP(f16_k8,"m16n8k8.row.col.f32.f16.f16.f32",R2,R1) FP(f16_k16,"m16n8k16.row.col.f32.f16.f16.f32",R4,R2) FP(bf16_k16,"m16n8k16.row.col.f32.bf16.bf16.f32",R4,R2)
FP(tf32_k4,"m16n8k4.row.col.f32.tf32.tf32.f32",R2,R1) FP(tf32_k8,"m16n8k8.row.col.f32.tf32.tf32.f32",R4,R2)
IN(s8_k16,"m16n8k16.row.col.s32.s8.s8.s32",R2,R1) IN(s8_k32,"m16n8k32.row.col.s32.s8.s8.s32",R4,R2)
__global__ void f16_acc(ull*out,u a,int four){ u d[4][2]={};
#define H asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%2,%3},{%0,%1};":"+r"(d[j][0]),"+r"(d[j][1]):"r"(a),"r"(a),"r"(a),"r"(a))
 if(four) TIME(for(int j=0;j<4;j++) H) else TIME(for(int j=0;j<1;j++) H) u s=0; for(int i=0;i<8;i++) s+=d[i/2][i%2]; if(s==3) out[2]=1; }
__global__ void f64_k4(ull*out,u a,int four){ double d[4][2]={}; double x=a;
#define DM asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%2},{%0,%1};":"+d"(d[j][0]),"+d"(d[j][1]):"d"(x))
 if(four) TIME(for(int j=0;j<4;j++) DM) else TIME(for(int j=0;j<1;j++) DM) double s=0; for(int i=0;i<8;i++) s+=d[i/2][i%2]; if(s==3) out[2]=1; }
__global__ void ldsm4(ull*out,u a,int four){ __shared__ __align__(128) u s[1024]; for(int i=threadIdx.x;i<1024;i+=blockDim.x) s[i]=0; __syncthreads(); u b=(u)__cvta_generic_to_shared(s)+threadIdx.x%32*16, r[4][4]={};
#define L asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];":"=r"(r[j][0]),"=r"(r[j][1]),"=r"(r[j][2]),"=r"(r[j][3]):"r"(b+r[j][0]))
 if(four) TIME(for(int j=0;j<4;j++) L) else TIME(for(int j=0;j<1;j++) L) u q=0; for(int i=0;i<16;i++) q+=r[i/4][i%4]; if(q==3) out[2]=1; }
__global__ void ldsm1(ull*out,u a,int four){ __shared__ __align__(128) u s[1024]; for(int i=threadIdx.x;i<1024;i+=blockDim.x) s[i]=0; __syncthreads(); u b=(u)__cvta_generic_to_shared(s)+threadIdx.x%32*16, r[4]={};
#define L1 asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];":"=r"(r[j]):"r"(b+r[j]))
 if(four) TIME(for(int j=0;j<4;j++) L1) else TIME(for(int j=0;j<1;j++) L1) if(r[0]+r[1]+r[2]+r[3]==3) out[2]=1; }
__global__ void movm(ull*out,u a,int four){ u r[4]={a,a,a,a};
#define MV asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%0;":"+r"(r[j]))
 if(four) TIME(for(int j=0;j<4;j++) MV) else TIME(for(int j=0;j<1;j++) MV) if(r[0]+r[1]+r[2]+r[3]==3) out[2]=1; }
__device__ u gmem[1<<16];
__global__ void cp16_wait(ull*out,u a,int four){ __shared__ __align__(128) u s[8192]; u b=(u)__cvta_generic_to_shared(s)+threadIdx.x*16; const u*g=gmem+threadIdx.x*4;
#define CP for(int j=0;j<(four?4:1);j++) asm volatile("cp.async.cg.shared.global [%0],[%1],16;"::"r"(b),"l"(g):"memory"); asm volatile("cp.async.wait_all;":::"memory")
 TIME(CP) }
__global__ void cp4_wait(ull*out,u a,int four){ __shared__ __align__(128) u s[8192]; u b=(u)__cvta_generic_to_shared(s)+threadIdx.x*4; const u*g=gmem+threadIdx.x;
#define CQ for(int j=0;j<(four?4:1);j++) asm volatile("cp.async.ca.shared.global [%0],[%1],4;"::"r"(b),"l"(g):"memory"); asm volatile("cp.async.wait_all;":::"memory")
 TIME(CQ) }
#define MB __shared__ ull m[32]; u b=(u)__cvta_generic_to_shared(m); if(threadIdx.x<32) asm volatile("mbarrier.init.shared.b64 [%0],1;"::"r"(b+threadIdx.x*8)); __syncthreads(); b+=threadIdx.x/32*8;
__global__ void mb_arrive(ull*out,u a,int four){ MB
 if(threadIdx.x%32==0) TIME(asm volatile("{.reg .b64 t; mbarrier.arrive.shared.b64 t,[%0];}"::"r"(b):"memory")) else { __syncthreads(); __syncthreads(); } }
__global__ void mb_try(ull*out,u a,int four){ MB u q=1;
 TIME(asm volatile("{.reg .pred t; mbarrier.try_wait.parity.shared.b64 t,[%1],%0; selp.u32 %0,1,0,t;}":"+r"(q):"r"(b):"memory")) if(q==3) out[2]=1; }
int main(){ ull*o; cudaMalloc(&o,64); ull h[2];
#define RUN(k,w) for(int rep=0;rep<2;rep++){ double lat,thr; k<<<1,32>>>(o,0,0); cudaMemcpy(h,o,16,cudaMemcpyDeviceToHost); lat=(double)h[0]/N; k<<<1,(w)*32>>>(o,0,1); cudaMemcpy(h,o,16,cudaMemcpyDeviceToHost); thr=(double)h[1]/N/4/((w)/4.0); if(rep) printf("%s,%.2f,%.2f\n",#k,lat,thr); }
 RUN(f16_k8,16) RUN(f16_k16,16) RUN(f16_acc,16) RUN(bf16_k16,16) RUN(tf32_k4,16) RUN(tf32_k8,16) RUN(s8_k16,16) RUN(s8_k32,16) RUN(f64_k4,16) RUN(ldsm1,16) RUN(ldsm4,16) RUN(movm,16) RUN(cp4_wait,16) RUN(cp16_wait,16)
#define ONE(k) for(int rep=0;rep<2;rep++){ k<<<1,32>>>(o,0,0); cudaMemcpy(h,o,16,cudaMemcpyDeviceToHost); if(rep) printf("%s,%.2f,\n",#k,(double)h[0]/N); }
 ONE(mb_arrive) ONE(mb_try)
 printf("%s\n",cudaGetErrorString(cudaDeviceSynchronize())); return 0; }
