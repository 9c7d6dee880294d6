// Moves particles kept as a structure of arrays; structures are passed by value.
struct particles {
    float *x, *y, *vx, *vy;
    short *kind;
    int count;
};

struct step {
    double dt;
    float2 wind;
    int bounces;
};

__device__ __noinline__ int particles_move(particles p, const step s)
{
    int moved = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.count; i += gridDim.x * blockDim.x) {
        float ax = s.wind.x, ay = s.wind.y;
        switch (p.kind[i]) {
        case 0:
            break;
        case 1:
            ay -= 9.81f;
            break;
        case 2: {
            float c, sn;
            sincosf(p.x[i], &sn, &c);
            ax += c;
            ay += sn;
            break;
        }
        case 3:
            ax *= expf(-fabsf(p.x[i]));
            break;
        case 7:
            ax = powf(fabsf(p.y[i]), 0.75f);
            break;
        default:
            ax = ay = 0;
        }
        p.vx[i] += (float)(s.dt * ax);
        p.vy[i] += (float)(s.dt * ay);
        p.x[i] += (float)(s.dt * p.vx[i]);
        p.y[i] += (float)(s.dt * p.vy[i]);
        if (s.bounces && p.y[i] < 0) {
            p.y[i] = -p.y[i];
            p.vy[i] = -p.vy[i];
        }
        moved++;
    }
    return moved;
}

extern "C" __global__ void particles_step(float *x, float *y, float *vx, float *vy, short *kind, int count, step s,
                                          int *moved)
{
    particles p = {x, y, vx, vy, kind, count};
    atomicAdd(moved, particles_move(p, s));
}
