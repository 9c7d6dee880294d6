// usage: ideal PATTERNS   lines: KIND WIDTH MASKHEX i0 .. i31 (element indices < 4096/WIDTH)
#include <cstdio>
#include <cstring>
#include <cstdlib>
struct P { unsigned mask; unsigned short idx[32]; };
typedef unsigned u; typedef unsigned long long ull;
#define GLD(N,ASM,W) __global__ void gld##N(P p,char*in,u*out){int l=threadIdx.x; if(p.mask>>l&1){ char*a=in+p.idx[l]*W; u v; ASM; if(v==0x12345u) out[l]=v; }}
GLD(1,asm volatile("ld.global.u8 %0,[%1];":"=r"(v):"l"(a)),1)
GLD(2,unsigned short h;asm volatile("ld.global.u16 %0,[%1];":"=h"(h):"l"(a));v=h,2)
GLD(4,asm volatile("ld.global.u32 %0,[%1];":"=r"(v):"l"(a)),4)
GLD(8,u x;asm volatile("ld.global.v2.u32 {%0,%1},[%2];":"=r"(v),"=r"(x):"l"(a));v+=x,8)
GLD(16,u x;u y;u z;asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];":"=r"(v),"=r"(x),"=r"(y),"=r"(z):"l"(a));v+=x+y+z,16)
#define GST(N,ASM,W) __global__ void gst##N(P p,char*in,u*out){int l=threadIdx.x; if(p.mask>>l&1){ char*a=in+p.idx[l]*W; u v=0; ASM; }}
GST(1,asm volatile("st.global.u8 [%0],%1;"::"l"(a),"r"(v)),1)
GST(2,asm volatile("st.global.u16 [%0],%1;"::"l"(a),"h"((unsigned short)v)),2)
GST(4,asm volatile("st.global.u32 [%0],%1;"::"l"(a),"r"(v)),4)
GST(8,asm volatile("st.global.v2.u32 [%0],{%1,%1};"::"l"(a),"r"(v)),8)
GST(16,asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};"::"l"(a),"r"(v)),16)
__global__ void gred4(P p,char*in,u*out){int l=threadIdx.x; if(p.mask>>l&1){ char*a=in+p.idx[l]*4; asm volatile("red.global.add.u32 [%0],%1;"::"l"(a),"r"(0)); }}
__global__ void gred8(P p,char*in,u*out){int l=threadIdx.x; if(p.mask>>l&1){ char*a=in+p.idx[l]*8; asm volatile("red.global.add.u64 [%0],%1;"::"l"(a),"l"(0ull)); }}
__global__ void gatom4(P p,char*in,u*out){int l=threadIdx.x; if(p.mask>>l&1){ char*a=in+p.idx[l]*4; u v; asm volatile("atom.global.exch.b32 %0,[%1],%2;":"=r"(v):"l"(a),"r"(0)); if(v==0x12345u) out[l]=v; }}
__global__ void gatom8(P p,char*in,u*out){int l=threadIdx.x; if(p.mask>>l&1){ char*a=in+p.idx[l]*8; ull v; asm volatile("atom.global.exch.b64 %0,[%1],%2;":"=l"(v):"l"(a),"l"(0ull)); if(v==0x12345u) out[l]=(u)v; }}
#define SH __shared__ __align__(128) char s[4096]; int l=threadIdx.x;
#define SLD(N,ASM,W) __global__ void sld##N(P p,char*in,u*out){SH if(p.mask>>l&1){ u a=(u)__cvta_generic_to_shared(s)+p.idx[l]*W; u v; ASM; if(v==0x12345u) out[l]=v; }}
SLD(1,asm volatile("ld.shared.u8 %0,[%1];":"=r"(v):"r"(a)),1)
SLD(2,unsigned short h;asm volatile("ld.shared.u16 %0,[%1];":"=h"(h):"r"(a));v=h,2)
SLD(4,asm volatile("ld.shared.u32 %0,[%1];":"=r"(v):"r"(a)),4)
SLD(8,u x;asm volatile("ld.shared.v2.u32 {%0,%1},[%2];":"=r"(v),"=r"(x):"r"(a));v+=x,8)
SLD(16,u x;u y;u z;asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];":"=r"(v),"=r"(x),"=r"(y),"=r"(z):"r"(a));v+=x+y+z,16)
#define SST(N,ASM,W) __global__ void sst##N(P p,char*in,u*out){SH if(p.mask>>l&1){ u a=(u)__cvta_generic_to_shared(s)+p.idx[l]*W; u v=0; ASM; }}
SST(1,asm volatile("st.shared.u8 [%0],%1;"::"r"(a),"r"(v)),1)
SST(2,asm volatile("st.shared.u16 [%0],%1;"::"r"(a),"h"((unsigned short)v)),2)
SST(4,asm volatile("st.shared.u32 [%0],%1;"::"r"(a),"r"(v)),4)
SST(8,asm volatile("st.shared.v2.u32 [%0],{%1,%1};"::"r"(a),"r"(v)),8)
SST(16,asm volatile("st.shared.v4.u32 [%0],{%1,%1,%1,%1};"::"r"(a),"r"(v)),16)
__global__ void satom4(P p,char*in,u*out){SH if(p.mask>>l&1){ u a=(u)__cvta_generic_to_shared(s)+p.idx[l]*4; u v; asm volatile("atom.shared.add.u32 %0,[%1],%2;":"=r"(v):"r"(a),"r"(1)); if(v==0x12345u) out[l]=v; }}
__global__ void satom8(P p,char*in,u*out){SH if(p.mask>>l&1){ u a=(u)__cvta_generic_to_shared(s)+p.idx[l]*8; ull v; asm volatile("atom.shared.exch.b64 %0,[%1],%2;":"=l"(v):"r"(a),"l"(1ull)); if(v==0x12345u) out[l]=(u)v; }}
int main(int c,char**v){
 FILE*f=fopen(v[1],"r"); char k[16]; int w; P p; char*in; u*out; cudaMalloc(&in,1<<16); cudaMalloc(&out,256); cudaMemset(in,0,1<<16);
 struct {const char*n; void(*f)(P,char*,u*);} t[]={
#define E(x) {#x,x},
 E(gld1)E(gld2)E(gld4)E(gld8)E(gld16)E(gst1)E(gst2)E(gst4)E(gst8)E(gst16)E(gred4)E(gred8)E(gatom4)E(gatom8)E(sld1)E(sld2)E(sld4)E(sld8)E(sld16)E(sst1)E(sst2)E(sst4)E(sst8)E(sst16)E(satom4)E(satom8)};
 while(fscanf(f,"%15s %d %x",k,&w,&p.mask)==3){ for(int i=0;i<32;i++){int x; if(fscanf(f,"%d",&x)!=1) return 2; p.idx[i]=x;}
  char n[24]; snprintf(n,sizeof n,"%s%d",k,w); bool ok=false; for(auto&e:t) if(!strcmp(e.n,n)){ e.f<<<1,32>>>(p,in,out); ok=true; } if(!ok){printf("no %s\n",n); return 3;} }
 printf("%s\n",cudaGetErrorString(cudaDeviceSynchronize())); return 0; }
