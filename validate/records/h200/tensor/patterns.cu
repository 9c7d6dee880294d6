// Single warps of ldmatrix, stmatrix, cp.async, wmma and mbarrier for Nsight Compute to count; lines of `patterns.txt`:
//   KIND i0 .. i31 j0 .. j31      i, j: the lanes' indices, see the kernels
#include <cstdio>
#include <cstring>
struct P { unsigned short i[32], j[32]; };
typedef unsigned u; typedef unsigned long long ull;
#define HEAD __shared__ __align__(128) char s[16384]; int l=threadIdx.x; u b=(u)__cvta_generic_to_shared(s); \
 ull a=0; u v=0,x=0,y=0,z=0; (void)l;(void)b;(void)a;(void)v;(void)x;(void)y;(void)z;
#define K(N,BODY) __global__ void N(P p,char*g,u*out){ HEAD BODY; if(v+x+y+z==0x12345u) out[l]=v; }
#define A16 (b+p.i[l]*16)
K(ldsm1,asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];":"=r"(v):"r"(A16)))
K(ldsm2,asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];":"=r"(v),"=r"(x):"r"(A16)))
K(ldsm4,asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];":"=r"(v),"=r"(x),"=r"(y),"=r"(z):"r"(A16)))
K(ldsmt1,asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0},[%1];":"=r"(v):"r"(A16)))
K(ldsmt2,asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%2];":"=r"(v),"=r"(x):"r"(A16)))
K(ldsmt4,asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];":"=r"(v),"=r"(x),"=r"(y),"=r"(z):"r"(A16)))
K(stsm1,asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0],{%1};"::"r"(A16),"r"(v)))
K(stsm2,asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0],{%1,%1};"::"r"(A16),"r"(v)))
K(stsm4,asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%1,%1,%1};"::"r"(A16),"r"(v)))
K(stsmt4,asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0],{%1,%1,%1,%1};"::"r"(A16),"r"(v)))
#define CP(N,C,W) K(N,asm volatile("cp.async." C ".shared.global [%0],[%1],%2;\n cp.async.wait_all;"::"r"(b+p.i[l]*W),"l"(g+p.j[l]*W),"n"(W)))
CP(cpa4,"ca",4) CP(cpa8,"ca",8) CP(cpa16,"ca",16) CP(cpg16,"cg",16)
// j: index, or 0xffff: src-size 0
#define CZ(N,C,W) K(N,asm volatile("cp.async." C ".shared.global [%0],[%1],%2,%3;\n cp.async.wait_all;"::"r"(b+p.i[l]*W),"l"(g+(p.j[l]==0xffff?0:p.j[l])*W),"n"(W),"r"(p.j[l]==0xffff?0:W)))
CZ(cpaz4,"ca",4) CZ(cpgz16,"cg",16)
// i0: stride in elements, j0: first byte
#define R8 "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define O8(r) "=r"(r[0]),"=r"(r[1]),"=r"(r[2]),"=r"(r[3]),"=r"(r[4]),"=r"(r[5]),"=r"(r[6]),"=r"(r[7])
#define I8(r) "r"(r[0]),"r"(r[1]),"r"(r[2]),"r"(r[3]),"r"(r[4]),"r"(r[5]),"r"(r[6]),"r"(r[7])
#define WL(N,T) K(N,u r[8]; asm volatile("wmma.load." T " " R8 ",[%8],%9;":O8(r):"r"(b+p.j[0]),"r"((u)p.i[0])); v=r[0]+r[1]+r[2]+r[3]+r[4]+r[5]+r[6]+r[7])
#define WLG(N,T) K(N,u r[8]; asm volatile("wmma.load." T " " R8 ",[%8],%9;":O8(r):"l"(g+p.j[0]),"r"((u)p.i[0])); v=r[0]+r[1]+r[2]+r[3]+r[4]+r[5]+r[6]+r[7])
WL(wlar,"a.sync.aligned.row.m16n16k16.shared.f16") WL(wlac,"a.sync.aligned.col.m16n16k16.shared.f16")
WL(wlbr,"b.sync.aligned.row.m16n16k16.shared.f16") WL(wlbc,"b.sync.aligned.col.m16n16k16.shared.f16")
WLG(wlgar,"a.sync.aligned.row.m16n16k16.global.f16") WLG(wlgac,"a.sync.aligned.col.m16n16k16.global.f16")
#define F8(r) "=f"(r[0]),"=f"(r[1]),"=f"(r[2]),"=f"(r[3]),"=f"(r[4]),"=f"(r[5]),"=f"(r[6]),"=f"(r[7])
#define G8(r) "f"(r[0]),"f"(r[1]),"f"(r[2]),"f"(r[3]),"f"(r[4]),"f"(r[5]),"f"(r[6]),"f"(r[7])
K(wlcr,float r[8]; asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " R8 ",[%8],%9;":F8(r):"r"(b+p.j[0]),"r"((u)p.i[0])); v=__float_as_uint(r[0]+r[1]+r[2]+r[3]+r[4]+r[5]+r[6]+r[7]))
K(wscr,float r[8]={}; asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%8]," R8 ",%9;"::G8(r),"r"(b+p.j[0]),"r"((u)p.i[0])))
K(wsgcr,float r[8]={}; asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%8]," R8 ",%9;"::G8(r),"l"(g+p.j[0]),"r"((u)p.i[0])))
// i: barrier of the lane
#define MB(N,T) K(N, if(p.i[l]<64){asm volatile("mbarrier.init.shared.b64 [%0],%1;\n bar.warp.sync 0xffffffff;\n" T::"r"(b+p.i[l]*8),"r"(1000u),"l"(a),"l"(g));})
MB(mbinit,"") MB(mbarr,"mbarrier.arrive.shared.b64 _,[%0];") MB(mbarrs,"{.reg .b64 t; mbarrier.arrive.shared.b64 t,[%0];}")
MB(mbtest,"{.reg .pred t; mbarrier.test_wait.parity.shared.b64 t,[%0],0;}") MB(mbtry,"{.reg .pred t; mbarrier.try_wait.parity.shared.b64 t,[%0],1;}")
MB(mbcp,"cp.async.mbarrier.arrive.shared.b64 [%0];") MB(mbexp,"mbarrier.arrive.expect_tx.shared.b64 _,[%0],0;")
int main(int c,char**v){
 FILE*f=fopen(v[1],"r"); char k[24]; P p; char*g; u*out; cudaMalloc(&g,1<<20); cudaMalloc(&out,256); cudaMemset(g,0,1<<20);
 struct {const char*n; void(*f)(P,char*,u*);} t[]={
#define E(x) {#x,x},
 E(ldsm1)E(ldsm2)E(ldsm4)E(ldsmt1)E(ldsmt2)E(ldsmt4)E(stsm1)E(stsm2)E(stsm4)E(stsmt4)E(cpa4)E(cpa8)E(cpa16)E(cpg16)E(cpaz4)E(cpgz16)
 E(wlar)E(wlac)E(wlbr)E(wlbc)E(wlgar)E(wlgac)E(wlcr)E(wscr)E(wsgcr)E(mbinit)E(mbarr)E(mbarrs)E(mbtest)E(mbtry)E(mbcp)E(mbexp)};
 while(fscanf(f,"%23s",k)==1){ for(int i=0;i<64;i++){int x; if(fscanf(f,"%d",&x)!=1) return 2; (i<32?p.i:p.j)[i&31]=x;}
  bool ok=false; for(auto&e:t) if(!strcmp(e.n,k)){ e.f<<<1,32>>>(p,g,out); ok=true; } if(!ok){printf("no %s\n",k); return 3;} }
 printf("%s\n",cudaGetErrorString(cudaDeviceSynchronize())); return 0; }
