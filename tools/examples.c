/* What --help shows of each command: command lines that run as they stand, in the folder kernels/ of the sources.
 * tests/examples.sh runs every line that begins with "  simtlab"; below a heading that names exit status 1 it has to be
 * that. */
#include "tools/tool.h"

#include <string.h>

static const char overview[] =
    "Transpose a matrix, and see how many sectors a request takes and how long it takes:\n"
    "  simtlab run transpose.ptx cuda_transpose --grid 32,32 --block 32,32 \\\n"
    "      --arg s32=1024 --arg 'f32[1048576]=iota' --arg 'f32[1048576]=zero'\n"
    "The same through shared memory, where the banks conflict, and with a padded tile, where they do not:\n"
    "  simtlab batch kernels.cases --only transpose_smem_1024 --only transpose_pad_1024 -o transposes.json\n"
    "See those conflicts, and what cures them, without a kernel:\n"
    "  simtlab banks 'float tile[32][32]' 'tile[threadIdx.x][threadIdx.y]'\n"
    "Find the race of a kernel without its barrier (exit status 1):\n"
    "  simtlab run faulty/example_syncthreads_nobar.ptx --check=races --grid 64 --block 128 \\\n"
    "      --arg 's32[8192]=randmod:3:1000' --arg 's32[64]=zero'\n"
    "Ask why only so many blocks fit:\n"
    "  simtlab occupancy --block 256 --regs 64 --shared 32768\n";

static const char run[] =
    "Add 1,000 elements; keep the sum and a report for a script:\n"
    "  simtlab run vecadd.ptx vecAdd --grid 4 --block 256 --format json -o report.json --dump 2=sum.bin \\\n"
    "      --arg 'f32[1000]=rand:1' --arg 'f32[1000]=rand:2' --arg 'f32[1000]=zero' --arg s32=1000\n"
    "Only what is exact, many times faster; the layout of ncu --csv --page raw:\n"
    "  simtlab run reduce_tree.ptx reduceSum --mode counts --format csv --grid 10 --block 256 \\\n"
    "      --arg 'f32[2560]=iota' --arg 'f32[10]=zero'\n"
    "100 KB of dynamic shared memory on a B200; constant memory from a file; clusters; a barrier for the grid:\n"
    "  simtlab run shared.ptx dynsmem100k --device b200 --grid 264 --block 256 --shared 102400 --arg "
    "'f32[67584]=zero'\n"
    "  simtlab run constant.ptx constcompute --grid 1 --block 10 --arg symbol:coeffs=file:coeffs.f32 \\\n"
    "      --arg 'f32[10]=zero'\n"
    "  simtlab run cluster_hist.ptx --grid 128 --block 256 --cluster 4 --shared 1024 --arg 's32[1024]=zero' \\\n"
    "      --arg s32=1024 --arg s32=256 --arg 's32[65536]=randmod:5:1100' --arg u64=65536\n"
    "  simtlab run coop_groups.ptx grid_sync --cooperative --grid 264 --block 128 --arg 'u32[33792]=iota' \\\n"
    "      --arg 'u32[33792]=zero' --arg u32=4\n"
    "What Numba compiled, with the parameters that it passes:\n"
    "  simtlab run numba/vecadd.ptx --grid 32 --block 128 --arg 'f32[4096]~numba=rand:1' \\\n"
    "      --arg 'f32[4096]~numba=rand:2' --arg 'f32[4096]~numba=zero'\n"
    "An index that is out of bounds (exit status 1), told with its line, thread and address:\n"
    "  simtlab run vecadd.ptx --grid 4 --block 256 --arg 'f32[1000]=iota' --arg 'f32[1000]=iota' \\\n"
    "      --arg 'f32[1000]=zero' --arg s32=1024\n"
    "A page for a browser: each line's cost, each access's banks or sectors; and every warp's time, for "
    "ui.perfetto.dev:\n"
    "  simtlab run transpose.ptx smem_transpose --format html -o transpose.html --trace transpose.json \\\n"
    "      --grid 4,4 --block 32,32 --arg s32=128 --arg 'f32[16384]=iota' --arg 'f32[16384]=zero'\n"
    "All checks, in a kernel that needs its barrier and has it:\n"
    "  simtlab run syncthreads.ptx example_syncthreads --check --grid 64 --block 128 \\\n"
    "      --arg 's32[8192]=randmod:3:1000' --arg 's32[64]=zero'\n";

static const char explain[] =
    "What makes a transpose through shared memory slow, and what cures it; the same in Chinese:\n"
    "  simtlab explain transpose.ptx smem_transpose --grid 32,32 --block 32,32 \\\n"
    "      --arg s32=1024 --arg 'f32[1048576]=iota' --arg 'f32[1048576]=zero'\n"
    "  simtlab explain transpose.ptx smem_transpose --lang zh --grid 32,32 --block 32,32 \\\n"
    "      --arg s32=1024 --arg 'f32[1048576]=iota' --arg 'f32[1048576]=zero'\n"
    "The findings for a script, exact counts only:\n"
    "  simtlab explain reduce_atomic.ptx sumReduction --mode counts --format json --grid 4 --block 256 \\\n"
    "      --arg s32=1000 --arg 'f32[1000]=iota' --arg 'f32[1]=zero'\n";

static const char batch[] =
    "A line of the list: NAME FILE KERNEL grid=X[,Y[,Z]] block=X[,Y[,Z]] [shared=BYTES] ... ARG...\n"
    "Two launches of a list, two at a time:\n"
    "  simtlab batch kernels.cases --only copy_stride1 --only copy_stride32 -j 2\n"
    "All of another one, only counted, into a file:\n"
    "  simtlab batch numba/numba.cases --mode counts -o numba.json\n"
    "Two launches as one page for a browser:\n"
    "  simtlab batch kernels.cases --only transpose_smem_33 --only reduceSum_64 --format html -o launches.html\n"
    "A launch by the clock, with another order of blocks and another way to choose warps:\n"
    "  simtlab batch kernels.cases --only sumReduction_1000 --block-order shuffle:7 --scheduler lrr\n"
    "What a launch leaves in a buffer:\n"
    "  simtlab batch kernels.cases --only reduceSum_64 --dump 1=sums.bin\n";

static const char grade[] =
    "A padded transpose, held to a file of rules and to one more; the verdicts as JUnit XML too:\n"
    "  simtlab grade kernels.cases --only transpose_pad_1024 --rules grading.rules --junit results.xml\n"
    "  simtlab grade kernels.cases --only copy_stride1 --mode counts \\\n"
    "      --require 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum <= 32768'\n"
    "One that does not keep them (exit status 1):\n"
    "  simtlab grade kernels.cases --only transpose_smem_1024 --require 'l1tex__data_bank_conflicts == 0'\n";

static const char disasm[] =
    "A kernel with the barriers that the simulator derived, in comments; it reads back as it is:\n"
    "  simtlab disasm divergence.ptx divergent -o again.ptx\n";

static const char occupancy[] = "By numbers, and what one step more or less of each would give:\n"
                                "  simtlab occupancy --block 256 --regs 64 --shared 32768\n"
                                "Of a kernel, as curves over block size, registers and shared memory:\n"
                                "  simtlab occupancy occupancy.ptx filter --block 192 --regs 134 --curves\n"
                                "  simtlab occupancy matmul.ptx matMul32 --block 32,32 --format svg -o occupancy.svg\n"
                                "On another card, in clusters:\n"
                                "  simtlab occupancy --device b200 --block 768 --cluster 4\n";

static const char banks[] =
    "A column of a 32 x 32 tile, and what cures it:\n"
    "  simtlab banks 'float tile[32][32]' 'tile[threadIdx.x][0]'\n"
    "The store and the load of a transpose, cured together, as an SVG:\n"
    "  simtlab banks 'float s[32][32]' 's[tid.x][tid.y]' 's[tid.y][tid.x]' --block 32,32 --format svg -o banks.svg\n"
    "Lanes two words apart; doubles; a permutation by hand:\n"
    "  simtlab banks --stride 2\n"
    "  simtlab banks 'tid.x * 3 % 32' --width 8\n"
    "  simtlab banks --index 5,0-4,6-31\n"
    "Names of your kernel's own:\n"
    "  simtlab banks 'float s[64 * 33]' 's[row * 33 + col]' -D row=threadIdx.x/2 -D col=threadIdx.x%2\n"
    "What a line of a kernel really does:\n"
    "  simtlab banks --kernel-line transpose.ptx:119 transpose.ptx smem_transpose --grid 4,4 --block 32,32 \\\n"
    "      --arg s32=128 --arg 'f32[16384]=iota' --arg 'f32[16384]=zero'\n";

static const char sectors[] =
    "Neighbours, every eighth word, and neighbours that begin one word late:\n"
    "  simtlab sectors 'float *a' 'a[threadIdx.x]'\n"
    "  simtlab sectors --stride 8\n"
    "  simtlab sectors --stride 1 --offset 1\n"
    "The columns that a transpose writes, as an SVG:\n"
    "  simtlab sectors 'float c[1024][1024]' 'c[threadIdx.x][threadIdx.y]' --format svg -o sectors.svg\n";

static const char threads[] =
    "A grid of 3 x 2 one-dimensional blocks:\n"
    "  simtlab threads --grid 3,2 --block 96\n"
    "The tiles of a matrix, and where a transpose puts one of them:\n"
    "  simtlab threads --grid 4,4 --block 32,32 --matrix 128,128 --at 2,1 --transpose --format svg -o tiles.svg\n";

static const char devices[] = "All of them; every parameter of one, with its source:\n"
                              "  simtlab devices\n"
                              "  simtlab devices b200\n"
                              "A card of your own is a file: base = h200, then lines of NAME = VALUE.\n";

static const char resources[] = "Registers, stack, shared memory and constants of all kernels of a file, and of one:\n"
                                "  simtlab resources matmul.ptx\n"
                                "  simtlab resources local.ptx large_struct\n";

static const char compare[] =
    "The exact counts of a launch beside those of an H200, which Nsight Compute's CSV holds:\n"
    "  simtlab batch ../validate/records/h200/guide/guide.cases --only vecAdd -o sim.json\n"
    "  simtlab compare sim.json ../validate/records/h200/guide/guide.ncu.csv --class exact\n"
    "A kernel before and after a cure:\n"
    "  simtlab run transpose.ptx smem_transpose --format json -o before.json --grid 4,4 --block 32,32 \\\n"
    "      --arg s32=128 --arg 'f32[16384]=iota' --arg 'f32[16384]=zero'\n"
    "  simtlab run transpose.ptx smem_transpose_pad --format json -o after.json --grid 4,4 --block 32,32 \\\n"
    "      --arg s32=128 --arg 'f32[16384]=iota' --arg 'f32[16384]=zero'\n"
    "What it changed (exit status 1: they differ):\n"
    "  simtlab compare before.json after.json --match order --quiet\n";

const char *tool_examples(const char *command)
{
    static const struct {
        const char *command, *text;
    } all[] = {
        {"", overview},       {"run", run},         {"explain", explain},     {"grade", grade},
        {"batch", batch},     {"disasm", disasm},   {"occupancy", occupancy}, {"banks", banks},
        {"sectors", sectors}, {"threads", threads}, {"devices", devices},     {"resources", resources},
        {"compare", compare},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(all[i].command, command) == 0)
            return all[i].text;
    return NULL;
}
