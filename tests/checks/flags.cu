// Order through memory: fences, flags, locks, and the barriers made of them.

#include <cooperative_groups.h>
#include <cuda/atomic>

// Block 0 sets a flag when its data is there; block 1 waits for it. Without a fence the flag may be seen first.
//! flag_bad | races | race between blocks | @flag.write @flag.read
extern "C" __global__ void flag_bad(int *out, int *data, volatile int *flag)
{
    if (blockIdx.x == 0) {
        *data = 42; // @flag.write
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = *data; // @flag.read
    }
}

extern "C" __global__ void flag_good(int *out, int *data, volatile int *flag)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = *data;
    }
}

// The reader goes on without a fence: the data may come from before the flag was set.
//! after_bad | races | no fence after a flag | @after.write @after.read
extern "C" __global__ void after_bad(int *out, int *data, volatile int *flag)
{
    if (blockIdx.x == 0) {
        *data = 42; // @after.write
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        *out = *data; // @after.read
    }
}

extern "C" __global__ void after_good(int *out, volatile int *data, volatile int *flag)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = *data;
    }
}

// A fence for the block's own threads, and a reader in another block.
//! narrow_bad | races | race between blocks | @narrow.write @narrow.read
extern "C" __global__ void narrow_bad(int *out, int *data, int *flag)
{
    if (blockIdx.x == 0) {
        *data = 42; // @narrow.write
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        *out = *data; // @narrow.read
    }
}

extern "C" __global__ void narrow_good(int *out, int *data, int *flag)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        *out = *data;
    }
}

// The last block to finish adds up the others' results, as in the programming guide.
//! last_bad | races | race between blocks | @last.write @last.read
extern "C" __global__ void last_bad(int *out, int *parts, unsigned *count, const int *in)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = in[blockIdx.x] * 2; // @last.write
        is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i]; // @last.read
        *out = sum;
    }
}

extern "C" __global__ void last_good(int *out, int *parts, unsigned *count, const int *in)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = in[blockIdx.x] * 2;
        __threadfence();
        is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i];
        *out = sum;
    }
}

// All threads of a block have written; each executes a fence, all meet, and one sets the flag.
//! all_bad | races | race between blocks | @all.write @all.read
extern "C" __global__ void all_bad(int *out, int *data, int *flag)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3; // @all.write
        __threadfence();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (atomicAdd(flag, 0) == 0)
                ;
        __syncthreads();
        out[threadIdx.x] = data[63 - threadIdx.x]; // @all.read
    }
}

extern "C" __global__ void all_good(int *out, int *data, int *flag)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x * 3;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (atomicAdd(flag, 0) == 0)
                ;
        __syncthreads();
        out[threadIdx.x] = data[63 - threadIdx.x];
    }
}

// A lock, with fences where the data needs them, and without.
//! lock_bad | races | race between blocks | @lock.add
extern "C" __global__ void lock_bad(int *sum, int *lock, const int *in)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *sum += in[blockIdx.x]; // @lock.add
        atomicExch(lock, 0);
    }
}

extern "C" __global__ void lock_good(int *sum, int *lock, const int *in)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *sum += in[blockIdx.x];
        __threadfence();
        atomicExch(lock, 0);
    }
}

// A message handed from block to block, by release and acquire; relaxed accesses order nothing.
//! relay_bad | races | race between blocks | @relay.write @relay.read
extern "C" __global__ void relay_bad(int *data, int *flags)
{
    unsigned b = blockIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[b]), after(flags[b + 1]);
    if (b > 0)
        while (before.load(cuda::memory_order_acquire) == 0)
            ;
    int v = data[b]; // @relay.read
    data[b + 1] = v + 1; // @relay.write
    after.store(1, cuda::memory_order_relaxed);
}

extern "C" __global__ void relay_good(int *data, int *flags)
{
    unsigned b = blockIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[b]), after(flags[b + 1]);
    if (b > 0)
        while (before.load(cuda::memory_order_acquire) == 0)
            ;
    int v = data[b];
    data[b + 1] = v + 1;
    after.store(1, cuda::memory_order_release);
}

// The whole grid meets between two steps.
//! grid_bad | races | race between blocks | @grid.write @grid.read
extern "C" __global__ void grid_bad(int *out, int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned i = grid.thread_rank(), n = grid.size();
    data[i] = i * 5; // @grid.write
    __syncthreads();
    out[i] = data[n - 1 - i]; // @grid.read
}

extern "C" __global__ void grid_good(int *out, int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned i = grid.thread_rank(), n = grid.size();
    data[i] = i * 5;
    grid.sync();
    out[i] = data[n - 1 - i];
    grid.sync();
    data[i] = out[n - 1 - i];
}

// A flag between warps of a block.
//! warps_bad | races | race in a block | @warps.write @warps.read
extern "C" __global__ void warps_bad(int *out, const int *in)
{
    __shared__ int data;
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = in[0]; // @warps.write
        flag = 1;
    } else if (threadIdx.x == 32) {
        while (flag == 0)
            ;
        __threadfence_block();
        out[0] = data + 1; // @warps.read
    }
}

extern "C" __global__ void warps_good(int *out, const int *in)
{
    __shared__ int data;
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = in[0];
        __threadfence_block();
        flag = 1;
    } else if (threadIdx.x == 32) {
        while (flag == 0)
            ;
        __threadfence_block();
        out[0] = data + 1;
    }
}

// A producer and a consumer with two named barriers: full and empty. "Empty" must not be said before all is read.
//! ring_bad | races | race in a block | @ring.write @ring.read
extern "C" __global__ void ring_bad(int *out, const int *in, int rounds)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x < 32) {
            s[lane] = in[r * 32 + lane]; // @ring.write
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            sum += s[31 - lane]; // @ring.read
        }
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}

extern "C" __global__ void ring_good(int *out, const int *in, int rounds)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x < 32) {
            s[lane] = in[r * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += s[31 - lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}

// A flag that is polled with an ordinary load.
//! plain_bad | races | race between blocks | @plain.set @plain.poll
extern "C" __global__ void plain_bad(int *out, int *data, int *flag)
{
    if (blockIdx.x == 0) {
        atomicExch(data, 42);
        __threadfence();
        atomicExch(flag, 1); // @plain.set
    } else {
        int set;
        do
            asm volatile("ld.global.s32 %0, [%1];" : "=r"(set) : "l"(flag) : "memory"); // @plain.poll
        while (set == 0);
        __threadfence();
        *out = atomicAdd(data, 0);
    }
}

extern "C" __global__ void plain_good(int *out, int *data, int *flag)
{
    if (blockIdx.x == 0) {
        atomicExch(data, 42);
        __threadfence();
        atomicExch(flag, 1);
    } else {
        int set;
        do
            asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(set) : "l"(flag) : "memory");
        while (set == 0);
        __threadfence();
        *out = atomicAdd(data, 0);
    }
}
