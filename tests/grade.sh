#!/bin/sh
# simtlab grade and explain as commands: verdicts, the JUnit file, exit statuses, languages.
set -u
. "$SRCDIR/tests/support.sh"
cd "$work" || exit 99
unset LC_ALL LC_MESSAGES LANG

mkdir lists
cat >lists/k.ptx <<'PTX'
.version 8.6
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 a, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %i, %n, %x;
    .reg .b64 %a, %o;
    mov.u32 %i, %tid.x;
    ld.param.u32 %n, [n];
    setp.ge.u32 %p, %i, %n;
@%p bra DONE;
    ld.param.u64 %a, [a];
    mul.wide.u32 %o, %i, 4;
    add.u64 %a, %a, %o;
    ld.global.u32 %x, [%a];
    add.u32 %x, %x, %x;
    st.global.u32 [%a], %x;
DONE:
    ret;
}
PTX
cat >lists/list <<'LIST'
good k.ptx twice grid=1 block=64 u32[64]=iota u32=64
fault k.ptx twice grid=1 block=64 u32[32]=iota u32=64
LIST
awk 'BEGIN { for (i = 0; i < 64; i++) printf "%c", "" }' >lists/short.bin
expect 0 "$SIMTLAB" batch lists/list --only good --dump 0=lists/right.bin
{ dd if=lists/right.bin bs=1 count=255; printf x; } >lists/wrong.bin 2>/dev/null

# All kept; one broken; one that cannot be looked at.
expect 0 "$SIMTLAB" grade lists/list --only good --require 'output 0 == file:right.bin' --require 'findings == 0' \
    --require 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 8' --require 'occupancy >= 50' --junit j.xml
has out '  ok     runs without a fault'
has out '  ok     output 0 == file:right.bin: it is'
has j.xml '<testsuites name="simtlab" tests="5" failures="0" errors="0">'
has j.xml 'name="occupancy &gt;= 50"/>'
expect 1 "$SIMTLAB" grade lists/list --only good --require 'output 0 == file:wrong.bin' --junit j.xml
has out '  FAIL   output 0 == file:wrong.bin: 1 of 64 elements differ, the first is element 63'
has j.xml '<failure message="1 of 64 elements differ, the first is element 63"/>'
expect 2 "$SIMTLAB" grade lists/list --only good --require 'output 0 == file:short.bin'
expect 2 "$SIMTLAB" grade lists/list --only good --require 'output 0 == file:none.bin'
expect 2 "$SIMTLAB" grade lists/list --only good --require 'output 1 == file:right.bin'
has out 'argument 1 is not a buffer'
expect 2 "$SIMTLAB" grade lists/list --only good --require 'no_such <= 1' --junit j.xml
has out "  ERROR  no_such <= 1: the report has no metric 'no_such'"
has j.xml 'errors="1"'
# A fault fails, whatever the rules; rules of one launch are not held against another.
expect 1 "$SIMTLAB" grade lists/list --require 'good: occupancy >= 0' --junit j.xml
has j.xml '<testsuite name="fault" tests="1" failures="1" errors="0">'
[ "$(grep -c 'occupancy' j.xml)" -eq 1 ] || fail "a rule of one launch is held against another"
# Files of rules; what is wrong with them; nothing runs and no file is written then.
printf '# comment\n\ngood: occupancy >= 10\nline k.ptx:18 sectors == 8\n' >rules
expect 0 "$SIMTLAB" grade lists/list --only good --rules rules
printf 'occupancy >= 10\n  findings = 0\n' >rules
rm -f j.xml
expect 2 "$SIMTLAB" grade lists/list --only good --rules rules --junit j.xml
has err 'rules:2:12: error: expected <='
[ ! -e j.xml ] || fail "a JUnit file is written though the rules are wrong"
expect 2 "$SIMTLAB" grade lists/list --rules none
expect 2 "$SIMTLAB" grade lists/list
has err 'grade needs a rule'
expect 2 "$SIMTLAB" grade lists/list --require 'other: occupancy >= 10' --junit j.xml
has err "the list has no launch 'other'"
[ ! -e j.xml ] || fail "a JUnit file is written though nothing ran"
expect 2 "$SIMTLAB" grade lists/none --require 'occupancy >= 10' --junit j.xml
[ ! -e j.xml ] || fail "a JUnit file is written though there is no list"
expect 2 "$SIMTLAB" grade lists/list --only good --require 'occupancy >= 10' --junit no/such/j.xml
expect 2 "$SIMTLAB" grade lists/list --only good --require 'occupancy >= 10' --junit same -o same
[ -z "$(find . -name '*.xml.*' -o -name 'same*')" ] || fail "temporary files are left"
# Nothing to grade is no pass; infinity is near itself alone; checks that were cut short pass nothing.
: >lists/empty
expect 2 "$SIMTLAB" grade lists/empty --require 'occupancy >= 0' --junit j.xml
has err 'the list is empty'
[ ! -e j.xml ] || fail "a JUnit file is written though there is no launch"
for i in 1 2 3 4 5 6 7 8; do printf '\000\000\200\177\000\000\200\177\000\000\200\177\000\000\200\177'; done >lists/inf.bin
cat lists/inf.bin lists/inf.bin >lists/inf64.bin && mv lists/inf64.bin lists/inf.bin
cat >lists/f.ptx <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.entry still(.param .u64 p)
{
    ret;
}
PTX
printf 'finite f.ptx still grid=1 block=32 f32[64]=iota\nsame f.ptx still grid=1 block=32 f32[64]=file:inf.bin\n' >lists/floats
expect 1 "$SIMTLAB" grade lists/floats --only finite --require 'output 0 ~= file:inf.bin 1e-5'
expect 0 "$SIMTLAB" grade lists/floats --only same --require 'output 0 ~= file:inf.bin 1e-5'
# How grave advice is takes the clock.
expect 2 "$SIMTLAB" grade lists/list --only good --require 'advice:problem == 0' --mode counts
has out 'only --mode cycles tells'
# What a command reads it does not overwrite; outputs are different files under any of their names; a stream that the
# caller closed takes nothing of a file's text.
cp lists/k.ptx own.ptx
expect 2 "$SIMTLAB" disasm own.ptx -o ./own.ptx
has err 'is read by this command'
cmp -s lists/k.ptx own.ptx || fail "an input was overwritten"
cp lists/list lists/own
expect 2 "$SIMTLAB" grade lists/own --only good --require 'occupancy >= 10' --junit lists/own
cmp -s lists/list lists/own || fail "the list was overwritten"
expect 2 "$SIMTLAB" grade lists/list --only good --require 'occupancy >= 10' --junit j.xml -o ./j.xml
has err 'written twice'
if "$SIMTLAB" grade lists/list --only good --require 'occupancy >= 10' --junit j.xml >&- 2>err; then
    fail "a closed standard output is no error"
fi
checks=$((checks + 1))
[ "$(head -c 5 j.xml)" = '<?xml' ] || fail "text for a closed standard output is in the JUnit file"
"$SIMTLAB" batch lists/none -o j.json 2>&- && fail "a list that is not there is no error"
[ ! -e j.json ] || fail "an output is written though there is no list"
# Advice: a launch of 64 threads leaves SMs idle.
expect 1 "$SIMTLAB" grade lists/list --only good --require 'advice:too-few-blocks == 0' --mode counts
expect 0 "$SIMTLAB" grade lists/list --only good --require 'advice:bank-conflict == 0' --mode counts

# explain: languages by option, by environment; the report's member; articles' metrics.
explain="$SIMTLAB explain lists/k.ptx --grid 1 --block 40 --arg u32[64]=iota --arg u32=64"
expect 0 $explain
has out 'What to change, the most promising first'
has out '40 threads make 2 warps of 32 lanes: 24 lanes of each block, 37.5 %, never work'
expect 0 $explain --lang zh
has out '改进建议（收益大的在前）'
has out '40 个线程构成 2 个 32 线程的线程束'
expect 0 env LANG=zh_CN.UTF-8 $explain
has out '改进建议'
expect 0 env LANG=zh_CN.UTF-8 LC_ALL=C $explain
has out 'What to change'
expect 0 env LANG=zh_CN.UTF-8 $explain --lang en
has out 'What to change'
expect 2 $explain --lang fr
expect 0 $explain --format json --lang zh
has out '"rule": "block-not-warps"'
has out '线程'
expect 0 $explain --format json
has out '"advice": ['
expect 1 "$SIMTLAB" explain lists/k.ptx --grid 1 --block 64 --arg 'u32[32]=iota' --arg u32=64
has out 'Fault'
if grep -q 'What to change' out; then fail "advice is given about a launch that faulted"; fi
expect 0 "$SIMTLAB" run lists/k.ptx --grid 1 --block 64 --arg 'u32[64]=iota' --arg u32=64 \
    --metrics sm__warps_active,l1tex__data_bank_conflicts,sm__sass_average_regs_per_warp
has out 'sm__warps_active.avg.pct_of_peak_sustained_active (modelled)'
has out 'memory_l1_wavefronts_shared - memory_l1_wavefronts_shared_ideal'
has out 'ir__registers_estimate'
# A name that there is not is an error, in every form of report, and the nearest is told, before anything runs.
for format in text json csv html; do
    expect 2 "$SIMTLAB" run lists/k.ptx --grid 1 --block 64 --arg 'u32[64]=iota' --arg u32=64 --format $format \
        --metrics cycles,sm__cycles_actve.max,bank_conflict,zzz
    has err "no metric 'sm__cycles_actve.max'; did you mean 'sm__cycles_active.max'?"
    has err "no metric 'bank_conflict'; did you mean 'bank_conflicts'?"
    has err "no metric 'zzz'"
    [ "$(wc -l <err)" -eq 3 ] || fail "--metrics: $(cat err)"
    [ ! -s out ] || fail "--metrics: a report of a launch that was asked for what there is not"
done
# What only this launch lacks, which loads nothing, is known behind it: the report is there.
expect 2 "$SIMTLAB" run lists/k.ptx --grid 1 --block 64 --arg 'u32[64]=iota' --arg u32=0 \
    --metrics l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld
has err "no metric 'l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld'"
has out 'sm__cycles_active.max'
expect 2 "$SIMTLAB" run lists/k.ptx --grid 1 --block 64 --arg 'u32[64]=iota' --arg u32=64 --mode counts --metrics cycles
has err '--mode cycles has more'

# A rule about a launch that is not run holds nothing: of a file that is said, on the command line it is an error.
printf '%s\n' 'good: launch__grid_size == 1' 'fault: launch__grid_size == 99' >two.rules
expect 0 "$SIMTLAB" grade lists/list --only good --rules two.rules
has err '1 of 2 rules were not held'
expect 2 "$SIMTLAB" grade lists/list --only good --rules two.rules --require 'fault: launch__grid_size == 99'
has err "--only leaves out launch 'fault'"
printf '%s\n' 'fault: launch__grid_size == 99' >one.rules
expect 2 "$SIMTLAB" grade lists/list --only good --rules one.rules
has err 'no rule is about a launch that --only chooses'

echo "grade: $checks checks, $failures failures"
[ $failures -eq 0 ]
