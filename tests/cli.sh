#!/bin/sh
# The command as a script sees it: exit statuses, messages, files. Expected numbers are worked out here by hand.
set -u
. "$SRCDIR/tests/support.sh"
cd "$work" || exit 99

same()
{
    checks=$((checks + 1))
    cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

cat >k.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry add1(.param .u64 p, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd3, %rd2, %rd3;
    ld.global.u32 %r6, [%rd3];
    add.u32 %r6, %r6, 1;
    st.global.u32 [%rd3], %r6;
DONE:
    ret;
}
.visible .entry forever()
{
LOOP:
    bra LOOP;
}
.visible .entry tensor()
{
    wgmma.fence.sync.aligned;
    ret;
}
END
add1="$SIMTLAB run k.ptx add1 --grid 2 --block 64"

# Help and versions.
expect 0 "$SIMTLAB" --help
has out "simtlab run transpose.ptx cuda_transpose"
for command in run batch disasm occupancy banks sectors threads devices resources; do
    expect 0 "$SIMTLAB" $command --help
    has out "usage: simtlab $command"
    expect 0 "$SIMTLAB" $command --version
done
expect 0 "$SIMTLAB" --version
has out "simtlab "

# batch writes JSON whatever --format says, and says so; without --format, and for JSON, there is nothing to say.
echo 'one k.ptx add1 grid=1 block=32 u32[32]=zero u32=32' >one.list
for format in text csv; do
    expect 0 "$SIMTLAB" batch one.list --format $format
    has out '{"schema": 1'
    has err 'batch writes JSON'
done
for option in '' '--format=json' '--format=html'; do
    # shellcheck disable=SC2086 # nothing, or an option
    expect 0 "$SIMTLAB" batch one.list $option
    [ -s err ] && fail "batch $option: $(cat err)"
done

# Names are others' choice, and a terminal obeys control characters: none is printed, whichever way a name came in.
plain()
{
    checks=$((checks + 1))
    for file in out err; do
        [ -z "$(LC_ALL=C tr -d '\t\n\040-\176\300-\377\240-\277' <$file)" ] || fail "$* prints control characters on $file"
    done
}
bad=$(printf 'a\033]0;x\007\233b')
cp k.ptx "$bad.ptx"
printf 'junk \033[1m \302\233 here' >"j$bad.ptx"
printf '%s "%s.ptx" add1 grid=1 block=32 u32[8]=zero u32=32\n' "$bad" "$bad" >bad.list
printf '.file 1 "%s.cu"\n' "$bad" | cat k.ptx - | sed 's/^    ld.global.u32/    .loc 1 5 1\n&/' >file.ptx
"$SIMTLAB" batch --mode counts bad.list 2>err | sed 's/add1/k\\u001b[2m/' >bad.json
grep -qF '\u001b' bad.json || fail "there is no escape in the report that is compared"
sed 's/"ok"/"in\\u001bvalid"/; s/"fault"/"fau\\u009blt"/; p; s/"name": "/&x\\n\\u001b/' bad.json >worse.json
while read -r status command; do
    # shellcheck disable=SC2086 # words
    eval "expect $status \"\$SIMTLAB\" $command"
    plain "$command"
done <<'END'
0 run "$bad.ptx" add1 --grid 1 --block 32 --arg 'u32[32]=zero' --arg u32=32
0 run "$bad.ptx" add1 --grid 1 --block 32 --arg 'u32[32]=zero' --arg u32=32 --format csv
1 run file.ptx add1 --grid 1 --block 32 --arg 'u32[8]=zero' --arg u32=32
0 explain file.ptx add1 --grid 1 --block 32 --arg 'u32[32]=zero' --arg u32=32
2 run "$bad.ptx" "$bad" --grid 1 --block 32
2 run "j$bad.ptx" --grid 1 --block 32
2 run "no$bad" --grid 1 --block 32
2 run k.ptx add1 --grid 1 --block "$bad"
2 run k.ptx add1 --grid 1 --block 32 --arg "$bad"
2 run k.ptx add1 --grid 1 --block 32 "--$bad"
2 run k.ptx add1 --device "$bad" --grid 1 --block 32
2 run k.ptx add1 --grid 1 --block 32 --arg 'u32[32]=zero' --arg u32=32 --metrics "$bad"
1 batch bad.list
1 grade bad.list --require 'launch__grid_size == 1'
2 grade bad.list --require "launch__grid_size == $bad"
0 disasm "$bad.ptx"
2 resources "$bad.ptx"
1 compare bad.json worse.json
1 compare worse.json bad.json --format csv
2 compare "$bad.ptx" bad.json
2 banks "float $bad[32]" 'x[tid.x]'
2 devices "$bad"
2 "$bad"
END

# A signal that ends the command leaves nothing behind: not the temporary file of -o, not the folder in which a compiler
# works, not the compiler and what that started; and the command dies by the signal.
mkdir signals signals/bin signals/tmp
cat >signals/bin/nvcc <<'END'
#!/bin/sh
sh -c 'trap "touch signals/gone; exit" TERM; touch signals/begun; while :; do sleep 0.1; done' &
wait
END
chmod +x signals/bin/nvcc
echo '__global__ void k() {}' >signals/k.cu
echo 'endless k.ptx forever grid=1 block=32' >endless.list

# when PATTERN SIGNAL: sends the signal when a file of the pattern is there; a command that outlives it is killed.
when()
{
    sent=no
    for _ in $(seq 600); do
        # shellcheck disable=SC2086 # a pattern
        if [ $sent = no ] && [ -s pid ] && ls $1 >/dev/null 2>&1; then
            kill -"$2" "$(cat pid)"
            sent=yes
        fi
        [ $sent = no ] || kill -0 "$(cat pid)" 2>/dev/null || return
        sleep 0.1
    done
    kill -KILL "$(cat pid)"
}
# ends SIGNAL STATUS PATTERN COMMAND...: the command gets the signal when a file of the pattern is there.
ends()
{
    signal=$1 want=$2 pattern=$3
    shift 3
    checks=$((checks + 1))
    rm -f pid
    when "$pattern" "$signal" &
    sh -c 'echo $$ >pid; exec "$@"' sh "$@" >out 2>err </dev/null
    got=$?
    wait
    [ $got -eq "$want" ] || fail "$*: $got, not $want, by SIG$signal"
}
for pair in INT:130 TERM:143 HUP:129; do
    # Under nohup, or in the background, a signal may be ignored from the start, and then it stays so.
    if sh -c "kill -${pair%:*} \$\$" 2>/dev/null; then
        echo "SIG${pair%:*} is ignored here: it is not tested"
        continue
    fi
    ends ${pair%:*} ${pair#*:} 'ended.json.*' "$SIMTLAB" batch endless.list --mode counts --max-instructions 0 -o ended.json
    ls ended.json* 2>/dev/null && fail "SIG${pair%:*} leaves a file"
    rm -f signals/begun signals/gone
    ends ${pair%:*} ${pair#*:} 'signals/begun' env PATH="$work/signals/bin:$PATH" TMPDIR="$work/signals/tmp" \
        "$SIMTLAB" run --form ptx signals/k.cu --grid 1 --block 1
    [ -z "$(ls signals/tmp)" ] || fail "SIG${pair%:*} leaves $(ls signals/tmp)"
    for _ in $(seq 100); do [ ! -e signals/gone ] && sleep 0.1; done
    [ -e signals/gone ] || fail "SIG${pair%:*} leaves what the compiler started"
done

# A reader that leaves early: the message names the cause.
{ sleep 0.5; "$SIMTLAB" run k.ptx add1 --grid 1 --block 32 --arg 'u32[32]=zero' --arg u32=32 --format json 2>err; echo $? >status; } | true
has err 'cannot write the output: Broken pipe'
[ "$(cat status)" -eq 2 ] || fail "a broken pipe gives $(cat status)"

# Registers that nobody gave are said to be assumed.
expect 0 "$SIMTLAB" occupancy --block 64
has out 'the registers are assumed, the fewest that the card gives'
expect 0 "$SIMTLAB" occupancy --block 64 --regs 16
lacks out 'assumed'
expect 0 "$SIMTLAB" occupancy --block 64 --format json
has out '"registers_from": "assumed"'
expect 0 "$SIMTLAB" occupancy k.ptx add1 --block 64
has out 'the registers are an estimate from the PTX'

# What a compiler says of its temporary files it says of the user's; and a line of the PTX is none of the source.
cat >signals/bin/nvcc <<'END'
#!/bin/sh
for word; do [ "$last" = -o ] && out=$word; last=$word; done
echo "tool: $out: line 3; and ${out%/*}/simtlab_cuda.h, ${out%/*}/in.cubin"
echo "to stderr" >&2
printf '.version 7.0\n.target sm_70\n.address_size 64\n.entry k() { add.s32 %%r1, 1, 2; ret; }\n' >"$out"
END
expect 2 env PATH="$work/signals/bin:$PATH" "$SIMTLAB" run --form ptx signals/k.cu --grid 1 --block 1
has err 'tool: the PTX of signals/k.cu: line 3; and simtlab_cuda.h, signals/k.cu'
has err 'to stderr'
has err 'signals/k.cu (compiled to PTX):4:'
lacks err "${TMPDIR:-/tmp}/simtlab."
[ -s out ] && fail "a compiler's words are taken for results: $(cat out)"

# The bits of machine code's control words are asked of PTX; a conflict's mean is called one.
expect 2 "$SIMTLAB" disasm --control k.ptx
has err '--control: k.ptx is PTX'
cat >mean.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry mean(.param .u32 stride)
{
    .shared .b32 s[1024];
    .reg .b32 %r<8>;
    .reg .pred %p;
    mov.u32 %r1, %tid.x;
    ld.param.u32 %r2, [stride];
    shr.u32 %r3, %r1, 5;
    add.u32 %r4, %r3, %r2;
    mul.lo.u32 %r5, %r1, %r4;
    and.b32 %r5, %r5, 1023;
    shl.b32 %r5, %r5, 2;
    mov.u32 %r6, s;
    add.u32 %r6, %r6, %r5;
    st.shared.u32 [%r6], %r1;
    ret;
}
END
expect 0 "$SIMTLAB" run mean.ptx --grid 1 --block 64 --arg u32=3 --mode counts
# strides of 3 and 4 words: 1 and 4 wavefronts, 5 where 2 would do
has out '2.5-way bank conflict on average'
expect 0 "$SIMTLAB" run mean.ptx --grid 1 --block 32 --arg u32=4 --mode counts
has out '4-way bank conflict'
lacks out 'on average'

# Wrong usage: 2, one message on stderr, nothing on stdout.
for wrong in '' 'fly' 'compare' 'compare a' 'compare a b' 'compare a b c' 'compare --class=some a b' 'compare --tolerance=x a b' \
    'compare --match=x a b' 'compare --format=svg a b' 'banks' 'sectors' 'threads' 'run' 'run k.ptx' 'run k.ptx add1 --grid 2' \
    'run k.ptx add1 --grid 0 --block 1' 'run k.ptx add1 --grid 1,1,1,1 --block 1' 'run k.ptx add1 --grid 2 --block x' \
    'run k.ptx add1 extra --grid 1 --block 1' 'run k.ptx --what' 'run k.ptx --grid' 'run --cooperative=1 k.ptx' \
    'run k.ptx add1 --grid 1 --block 1 --mode fast' 'run k.ptx add1 --grid 1 --block 1 --format xml' \
    'run k.ptx add1 --grid 1 --block 1 --check=nothing' \
    'run k.ptx add1 --grid 1 --block 1 --form cubin' 'run k.ptx add1 --grid 1 --block 1 --dump x' \
    'run k.ptx add1 --grid 1 --block 1 --max-instructions -1' 'run k.ptx add1 --grid 1 --block 1 --device gtx9999' \
    'run none.ptx add1 --grid 1 --block 1' 'run k.cubin add1 --grid 1 --block 1' 'run k.sass add1 --grid 1 --block 1' \
    'run . add1 --grid 1 --block 1' 'run k.ptx nothing --grid 1 --block 1' 'run k.ptx --grid 1 --block 1' \
    'run k.ptx add1 --grid 1 --block 1' 'run k.ptx add1 --grid 1 --block 1 --arg u32[1]=zero' \
    'run k.ptx add1 --grid 1 --block 1 --arg u32[1]=zero --arg u32=1 --arg u32=2' \
    'run k.ptx add1 --grid 1 --block 1 --arg u32[1]=zero --arg u64=1' \
    'run k.ptx add1 --grid 1 --block 1 --arg u32[0]=zero --arg u32=1' \
    'run k.ptx add1 --grid 1 --block 1 --arg x32[1]=zero --arg u32=1' \
    'run k.ptx add1 --grid 1 --block 1 --arg u32[1]=file:none --arg u32=1' \
    'run k.ptx add1 --grid 1 --block 2000 --arg u32[1]=zero --arg u32=1' \
    'run k.ptx add1 --grid 1 --block 1 --dump 1=x --arg u32[1]=zero --arg u32=1' \
    'run k.ptx add1 --grid 1 --block 1 --dump 9=x --arg u32[1]=zero --arg u32=1' \
    'run k.ptx tensor --grid 1 --block 32' 'batch' 'batch none.txt' 'disasm' 'disasm none.ptx' 'resources' \
    'occupancy' 'occupancy --block 5000' 'occupancy --block 32 --format csv' 'devices a b' 'devices gtx9999' \
    'occupancy --block 1025' 'occupancy --block 32 --shared 232449' 'occupancy --block 32 --cluster 17' \
    'occupancy --block 32 --cluster 2 --device a100' 'occupancy --block 32 --regs 64 --device gtx580' \
    'occupancy --block 32 --regs 256' 'occupancy k.ptx add1' 'occupancy k.ptx --block 32' 'occupancy k.ptx add1 x --block 32' \
    'occupancy none.ptx --block 32' 'occupancy k.ptx tensor --block 32' 'run k.ptx add1 --curves --grid 1 --block 1' \
    'run k.ptx add1 --grid 1 --block 1 --format svg' 'resources k.ptx --maxrregcount 0'; do
    expect 2 "$SIMTLAB" $wrong
    checks=$((checks + 1))
    [ -s err ] || fail "simtlab $wrong says nothing"
    [ ! -s out ] || fail "simtlab $wrong writes to stdout"
done
expect 2 "$SIMTLAB" run k.ptx add1 --grid 1 --block 1 --arg u32[1]=zero
has err "--arg"
expect 2 "$SIMTLAB" run k.ptx tensor --grid 1 --block 32
has err "k.ptx:33:"
has err "wgmma.fence"
expect 2 "$SIMTLAB" run k.ptx add1 --device gtx --grid 1 --block 1
has err "simtlab devices"
expect 2 "$SIMTLAB" run k.cubin k --grid 1 --block 1
has err "k.cubin"
head -c 300 k.ptx >cut.ptx
expect 2 "$SIMTLAB" run cut.ptx add1 --grid 1 --block 1
has err "cut.ptx:"

# A clean run: results, text, JSON, CSV.
expect 0 $add1 --arg 'u32[100]=iota' --arg f32=0
has err 'parameter 1 is u32: it gets the bits of this f32, not its value'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --dump 0=a.bin
lacks err 'gets the bits'
has out "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
i=1
while [ $i -le 100 ]; do echo $i; i=$((i + 1)); done >numbers
od -An -v -t u4 -w4 a.bin | tr -d ' ' >dumped
same numbers dumped
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --format json
# Warps of 32, 32, 32 and 4 threads: 4 requests, 4 + 4 + 4 + 1 sectors.
has out '"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 4'
has out '"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 13'
has out '"status": "ok"'
cp out first.json
# The clock is on unless it is told not to be.
has out '"mode": "cycles"'
has out '"sm__cycles_active.max"'
expect 0 $add1 --arg='u32[100]=iota' --arg=u32=100 --format=json --mode cycles --check -q
has out '"findings": []'
sed 's/"findings": \[\], //' out >second.json
same second.json first.json
expect 0 $add1 --arg='u32[100]=iota' --arg=u32=100 --format=json --mode=counts
has out '"mode": "counts"'
lacks out '"sm__cycles_active.max"'
has out '"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 13'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --format csv
has out '"ID","Process ID"'
has out '"(64, 1, 1)","(2, 1, 1)","0","9.0"'
expect 0 "$SIMTLAB" run k.ptx add1 --grid 2 --block 64 --arg 'u32[100]=file:a.bin' --arg u32=100 --dump 0=b.bin
expect 2 "$SIMTLAB" run k.ptx add1 --grid 2 --block 64 --arg 'u32[99]=file:a.bin' --arg u32=99
expect 2 "$SIMTLAB" run k.ptx add1 --grid 2 --block 64 --arg 'u32[101]=file:a.bin' --arg u32=99

# A fault: 1, and everything about it.
expect 1 $add1 --arg 'u32[100]=iota' --arg u32=128
has out "Fault: "
has out "k.ptx:20"
has out "ld.global.u32"
has out "thread   (36, 0, 0) of block (1, 0, 0)"
has out "argument 0"
has out "the clock has none for a launch that did not end"
lacks out "Speed of light"
expect 1 $add1 --arg 'u32[100]=iota' --arg u32=128 --format json
lacks out "cycles_active"
lacks out "dram__"
has out '"status": "fault"'
has out '"block": [1, 0, 0], "thread": [36, 0, 0]'
expect 1 "$SIMTLAB" run k.ptx forever --grid 1 --block 32 --max-instructions 1000
expect 1 $add1 --arg null --arg u32=1

# -o: whole or not at all.
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --format json -o r.json
same r.json first.json
echo old >kept
expect 2 "$SIMTLAB" run k.ptx nothing --grid 1 --block 1 -o kept
echo old >old
same kept old
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 -o no/such/folder/r.json
ln -s r.json link.json
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 -o link.json
[ -L link.json ] || fail "-o replaced a symbolic link"
checks=$((checks + 1))
if [ -e /dev/full ]; then
    checks=$((checks + 1))
    $add1 --arg 'u32[100]=iota' --arg u32=100 >/dev/full 2>err
    [ $? -eq 2 ] || fail "a full device is no error"
    has err "cannot write"
    expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 -o /dev/full
fi
checks=$((checks + 1))
[ -z "$(ls | grep -E '\.[A-Za-z0-9]{6}$' | grep -v '^old')" ] || fail "temporary files are left: $(ls)"

# Two outputs to one file are refused before anything runs, however the file is spelled.
one="$add1 --mode counts --arg u32[100]=iota --arg u32=100"
mkdir -p folder
ln -sf ../later.bin folder/link
rm -f later.bin
for clash in '--dump 0=later.bin -o later.bin' '--dump 0=later.bin --dump 0=./later.bin' '--dump 0=folder/../later.bin -o later.bin' \
    '--dump 0=folder/link -o later.bin' "--dump 0=$work/later.bin --dump 0=folder/link"; do
    expect 2 $one $clash
    has err "would be written twice"
    checks=$((checks + 1))
    [ ! -e later.bin ] || fail "$clash wrote something"
done
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 --trace later.bin -o folder/link
has err "would be written twice, by --trace and by -o"
expect 0 $one --dump 0=/dev/null --dump 0=/dev/null -o /dev/null
expect 0 $one --dump 0=folder/link -o r.json
same later.bin a.bin
[ -L folder/link ] || fail "--dump replaced a symbolic link"
expect 2 $one --dump 0=nowhere/x
has err "cannot write nowhere/x: No such file or directory"
[ ! -s out ] || fail "it ran although --dump has nowhere to go"
# A trace needs a clock; it says what it leaves out, in the file and on stderr, and is whole or not there.
expect 2 $one --trace t.json
has err "--trace=t.json: --mode=counts has no time to trace; use --mode=cycles"
lacks err "instruction"
[ ! -e t.json ] || fail "a trace of counts"
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --trace t.json
[ ! -s err ] || fail "a whole trace is complained about"
has t.json '"traceEvents":['
lacks t.json '"left_out"'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --trace t.json --trace-limit 5
has err "warning: --trace=t.json: "
has t.json '"left_out":"'
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 --trace t.json --trace-limit 0
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 --trace nowhere/t.json
has err "cannot write nowhere/t.json: No such file or directory"

if [ -e /dev/full ]; then
    expect 2 $one --dump 0=/dev/full
    has err "error: cannot write /dev/full: "
    checks=$((checks + 1))
    [ "$(wc -l <err)" -eq 1 ] || fail "one failure is told twice: $(cat err)"
fi

# What is too large is told once, and a number's range with it.
expect 2 $add1 --arg 'u64[9000000000000]=zero' --arg u32=1
checks=$((checks + 1))
[ "$(grep -c memory err)" -eq 1 ] || fail "no memory is told twice: $(cat err)"
expect 2 $one --shared 999999999999
has err "from 0 to 4294967295"
expect 2 $one --carveout 101
has err "from 0 to 100"
expect 2 $one --max-instructions 99999999999999999999
has err "from 0 to 18446744073709551615"

# Lists: order, @NAME, the same bytes for every -j, exit statuses.
mkdir lists
cat >lists/good.txt <<'END'
# shared buffer: three launches in order make 3, others are between them
a ../k.ptx add1 grid=1 block=32 @v:u32[32]=zero u32=32
x ../k.ptx add1 grid=1 block=32 u32[32]=iota u32=32
b ../k.ptx add1 grid=1 block=32 @v:u32[32]=zero u32=32
y ../k.ptx add1 grid=4 block=32 u32[128]=iota u32=128
c ../k.ptx add1 grid=1 block=32 @v:u32[32]=zero u32=32
END
expect 0 "$SIMTLAB" batch lists/good.txt -j 1
cp out one
checks=$((checks + 1))
[ "$(sed 's/.*"name": "\([a-z]\)".*/\1/' one | tr -d '\n')" = axbyc ] || fail "batch is not in list order"
for jobs in 2 3 8; do
    expect 0 "$SIMTLAB" batch lists/good.txt -j $jobs
    same out one
done
expect 0 "$SIMTLAB" batch lists/good.txt
same out one
# Where no more threads can be made, those that there are do the work. (Programs that check addresses want too much
# memory to begin with.)
limited() { (ulimit -v 600000 && exec timeout 60 "$@"); }
if limited "$SIMTLAB" --version >out 2>&1; then
    sed 's/grid=4 block=32/grid=400 block=32/; s/128/12800/g' lists/good.txt >lists/wide.txt
    expect 0 "$SIMTLAB" batch lists/wide.txt -j 1
    cp out one
    expect 0 limited "$SIMTLAB" batch lists/wide.txt -j 64
    same out one
fi
# The third launch's buffer holds 3 everywhere: as if one launch had added 1 to 2.
cat >lists/check.txt <<'END'
c ../k.ptx add1 grid=1 block=32 u32[32]=const:2 u32=32
END
expect 0 "$SIMTLAB" batch lists/check.txt
hash=$(sed 's/.*"fnv1a64": "\([0-9a-f]*\)".*/\1/' out)
checks=$((checks + 1))
[ "$(sed -n '5s/.*"fnv1a64": "\([0-9a-f]*\)".*/\1/p' one)" = "$hash" ] || fail "@v was not shared in order"
expect 0 "$SIMTLAB" batch lists/good.txt --only y --only x
checks=$((checks + 1))
[ "$(wc -l <out)" -eq 2 ] || fail "--only x y does not give two lines"
expect 2 "$SIMTLAB" batch lists/good.txt --only nobody
expect 2 "$SIMTLAB" batch lists/good.txt --dump 0=d.bin
expect 0 "$SIMTLAB" batch lists/good.txt --only x --dump 0=d.bin
[ "$(wc -c <d.bin)" -eq 128 ] || fail "--dump with --only wrote $(wc -c <d.bin) bytes"
cp lists/good.txt lists/fault.txt
echo 'f ../k.ptx add1 grid=1 block=32 u32[31]=zero u32=32' >>lists/fault.txt
expect 1 "$SIMTLAB" batch lists/fault.txt -o fault.json
checks=$((checks + 1))
[ "$(grep -c '"status": "ok"' fault.json)" -eq 5 ] || fail "five launches are fine"
has fault.json '"status": "fault"'
{ echo 'i ../none.ptx add1 grid=1 block=32 u32[31]=zero u32=32'
  echo 'u ../k.ptx tensor grid=1 block=32'
  echo 'w ../k.ptx add1 grid=1 block=32 u32=1'; } >>lists/fault.txt
expect 2 "$SIMTLAB" batch lists/fault.txt
checks=$((checks + 1))
[ "$(wc -l <out)" -eq 9 ] || fail "every launch has its line, also the invalid ones"
has out '"status": "invalid"'
has out '"status": "unsupported"'
# Every kind of error names the launch and its line; each line of the list has its line of JSON.
cat >lists/errors.txt <<'END'
fine ../k.ptx add1 grid=1 block=32 u32[32]=zero u32=32
no_file ../none.ptx add1 grid=1 block=32 u32[32]=zero u32=32
no_file_again ../none.ptx add1 grid=1 block=32 u32[32]=zero u32=32
bad_program ../cut.ptx add1 grid=1 block=32 u32[32]=zero u32=32
unsupported ../k.ptx tensor grid=1 block=32
no_kernel ../k.ptx nothing grid=1 block=32
wrong_size ../k.ptx add1 grid=1 block=32 u32=1
no_arguments ../k.ptx add1 grid=1 block=32
large_block ../k.ptx add1 grid=1 block=2048 u32[32]=zero u32=32
huge_buffer ../k.ptx add1 grid=1 block=32 u64[9000000000000]=zero u32=32
no_contents ../k.ptx add1 grid=1 block=32 u32[32]=file:none u32=32
much_shared ../k.ptx add1 grid=1 block=32 shared=300000 u32[32]=zero u32=32
no_symbol ../k.ptx add1 grid=1 block=32 u32[32]=zero u32=32 symbol:c=zero
END
expect 2 "$SIMTLAB" batch lists/errors.txt -j 2
checks=$((checks + 1))
[ "$(wc -l <out)" -eq 13 ] || fail "13 launches give $(wc -l <out) lines"
number=1
for name in no_file no_file_again bad_program unsupported no_kernel wrong_size no_arguments large_block huge_buffer \
    no_contents much_shared no_symbol; do
    number=$((number + 1))
    has err "lists/errors.txt:$number: in launch $name:"
done
lacks err "in launch fine"
checks=$((checks + 1))
[ "$(grep -c '^lists/errors.txt:[0-9]*: in launch' err)" -eq 12 ] || fail "a launch is named twice"
[ "$(grep -c 'cannot read' err)" -eq 1 ] || fail "a missing program is told twice"
echo 'z ../k.ptx add1 grid=0 block=32 u32=1' >lists/bad.txt
expect 2 "$SIMTLAB" batch lists/bad.txt
has err "lists/bad.txt:1:"

# The other commands.
expect 0 "$SIMTLAB" devices
has out "h200"
expect 0 "$SIMTLAB" devices h200
has out "sm_count"
printf 'base = h200\nname = half\nsm_count = 66\n' >half.dev
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --device half.dev --format json
has out '"device": "half"'
has out '"cycles_uncalibrated": "'
# A slice may be wider than a page of L2.
printf 'base = h200\nname = wide\nl2_interleave_bytes = 65536\nl2_slices = 7\n' >wide.dev
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --device wide.dev
# Options that change the model are told; those of the clock are refused without it.
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --scheduler lrr --block-order shuffle:7 --carveout 50 --dlcm cg
has out 'run with --scheduler lrr --block-order shuffle:7 --carveout 50 --dlcm cg'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --scheduler gto --block-order linear --format json
has out '"mode": "cycles", "options": {"scheduler": "gto"}'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --scheduler cggty --format json
lacks out '"options"'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --mode counts --dlcm cg --format json
has out '"options": {"dlcm": "cg"}'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --l2-start empty --format json
lacks out '"options"'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --l2-start changed --format json
has out '"options": {"l2-start": "changed"}'
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 --l2-start full
has err '--l2-start=full: expected empty or changed'
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 --mode counts --l2-start changed
has err '--l2-start is the clock'
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 --mode counts --scheduler lrr
has err '--scheduler is the clock'
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 --block-order shuffle:7 --mode counts
has err '--block-order is the clock'
# A name that means nothing is told before anything runs or is written.
rm -f none.txt
expect 2 "$SIMTLAB" run k.ptx forever --grid 1 --block 32 --metrics cycles,sm__cycles_actve.max -o none.txt
has err "did you mean 'sm__cycles_active.max'?"
[ ! -e none.txt ] || fail "a report was written"
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 --mode counts --metrics cycles
expect 2 $add1 --arg 'u32[100]=iota' --arg u32=100 --metrics lts__t_sector_hit_rate.pct
has err 'lts__t_sectors_srcunit_tex_lookup_hit.sum'
lacks err 'op_write'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --metrics sm__cycles_active.avg --regs 16
# Without a name it is called like its file, and compare sees another device.
printf 'base = h200\nclock_khz = 1000000\n' >slow.dev
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --device slow.dev --format json -o slow.json
has slow.json '"device": "slow.dev"'
expect 0 $add1 --arg 'u32[100]=iota' --arg u32=100 --format json -o card.json
expect 1 "$SIMTLAB" compare card.json slow.json
has out 'slow.dev'
expect 0 "$SIMTLAB" devices slow.dev
has out 'Changed: clock_khz = 1000000 (h200: 1980000).'
printf 'sm_count = many\n' >bad.dev
expect 2 "$SIMTLAB" devices bad.dev
has err "bad.dev:1:"
expect 0 "$SIMTLAB" occupancy --block 256 --regs 64 --format json
# 65,536 registers / (64 * 256): 4 blocks; 32 of 64 warps.
has out '"blocks_per_sm": 4, "warps_per_sm": 32, "occupancy_pct": 50.0, "limiter": "registers"'
expect 0 "$SIMTLAB" occupancy --block 256
# 768 threads: two blocks of 24 warps in 64. 100 KB: two blocks in 228 KiB, and the opt-in.
expect 0 "$SIMTLAB" occupancy --block 768 --shared 102400 --device b200
has out "Occupancy of 768-thread blocks on b200: 75%"
has out "2 blocks, 48 of 64 warps, 1,536 of 2,048 threads"
has out "cudaFuncAttributeMaxDynamicSharedMemorySize, 102400"
lacks out "Occupancy over"
expect 0 "$SIMTLAB" occupancy --block 768 --device b200 --curves
lacks out "cudaFuncAttributeMaxDynamicSharedMemorySize"
has out "Occupancy over registers"
has out "768: 75%"
expect 0 "$SIMTLAB" occupancy --block 768 --cluster 16 --curves --format json
# 2 blocks on an SM: 2 clusters of 16 in each of the five GPCs of 16 SMs and the two of 18, none in smaller ones.
has out '"limits": {"warps": 2, "blocks": 32, "registers": 5, "shared_mem": 8, "barriers": 64}, "threads_per_sm": 1536'
has out '"cluster": {"blocks": 16, "max_active": 14, "portable": false'
has out '{"resource": "block", "change": "more", "value": 800, "blocks_per_sm": 2, "warps_per_sm": 50, "occupancy_pct": 78.125}'
has out '{"from": 673, "to": 704, "blocks_per_sm": 2, "warps_per_sm": 44, "occupancy_pct": 68.75}'
# 1,024 threads of 65 registers: told, and refused.
expect 2 "$SIMTLAB" occupancy --block 1024 --regs 65 --format json
has out '"blocks_per_sm": 0'
has err "regsPerBlock"
expect 2 "$SIMTLAB" occupancy --block 1025
has err "1024 (maxThreadsPerBlock of h200)"
expect 0 "$SIMTLAB" occupancy k.ptx add1 --block 64 --format svg -o o.svg
has o.svg "Occupancy of add1 on h200: 100%"
has o.svg "</svg>"
if command -v xmllint >/dev/null; then
    expect 0 xmllint --noout o.svg
fi
echo old >kept
expect 2 "$SIMTLAB" occupancy k.ptx tensor --block 64 --format svg -o kept
same kept old
expect 2 "$SIMTLAB" occupancy --block 64 --format svg -o no/such/folder/o.svg
expect 0 "$SIMTLAB" resources k.ptx add1
has out "static shared, bytes 0"
expect 2 "$SIMTLAB" resources k.ptx tensor
expect 0 "$SIMTLAB" disasm k.ptx add1
cp out again.ptx
expect 0 "$SIMTLAB" run again.ptx --grid 2 --block 64 --arg 'u32[100]=iota' --arg u32=100 --dump 0=c.bin
same a.bin c.bin

# Fermi: one word further on, lines through L1 or sectors past it. 99 threads: three warps touch two
# lines each, the last one, with 3 words, one: 7 lines of four sectors; or 5 sectors three times, and one.
sed 's/add.s64 %rd3, %rd2, %rd3;/add.s64 %rd3, %rd2, %rd3; add.s64 %rd3, %rd3, 4;/' k.ptx >next.ptx
expect 0 "$SIMTLAB" run next.ptx add1 --grid 1 --block 128 --arg 'u32[101]=iota' --arg u32=99 --device gtx580 --format json
has out '"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 28'
# Its cycles were never compared with a card's, and the report says so.
has out '"cycles_uncalibrated": "not fitted to measurements of this GPU'
expect 0 "$SIMTLAB" run next.ptx add1 --grid 1 --block 128 --arg 'u32[101]=iota' --arg u32=99 --device gtx580
has out 'cycles uncalibrated: not fitted to measurements of this GPU'
expect 0 "$SIMTLAB" run next.ptx add1 --grid 1 --block 128 --arg 'u32[101]=iota' --arg u32=99
lacks out 'uncalibrated'
expect 0 "$SIMTLAB" run next.ptx add1 --grid 1 --block 128 --arg 'u32[101]=iota' --arg u32=99 --device gtx580 --dlcm cg --format json
has out '"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 16'
expect 2 "$SIMTLAB" run next.ptx add1 --grid 1 --block 128 --arg 'u32[101]=iota' --arg u32=99 --dlcm cx
has err "expected ca or cg"

# A C++ name is told as it was written, and may be given so far as it is plain.
sed 's/add1/_Z4add1Pjj/' k.ptx >mangled.ptx
expect 0 "$SIMTLAB" run mangled.ptx add1 --grid 1 --block 32 --arg 'u32[32]=zero' --arg u32=32
has out "add1(unsigned int*, unsigned int)   grid 1"
expect 1 "$SIMTLAB" run mangled.ptx add1 --grid 1 --block 32 --arg 'u32[31]=zero' --arg u32=32
has out " in kernel add1(unsigned int*, unsigned int)"
expect 0 "$SIMTLAB" run mangled.ptx add1 --grid 1 --block 32 --arg 'u32[32]=zero' --arg u32=32 --format json
has out '"kernel": "_Z4add1Pjj"'

# CUDA source without a compiler, and with one.
cat >t.cu <<'END'
__global__ void twice(float *a) { a[threadIdx.x] = 2.0f * a[threadIdx.x]; }
END
checks=$((checks + 1))
PATH=/nonexistent "$SIMTLAB" run t.cu --grid 1 --block 32 --arg 'f32[32]=iota' >out 2>err
[ $? -eq 2 ] || fail "a .cu without a compiler is not an error"
has err "nvcc or clang"
for compiler in clang nvcc; do
    path=$(command -v $compiler) || { echo "$compiler is not installed: its test is skipped"; continue; }
    mkdir -p bin-$compiler
    ln -sf "$path" bin-$compiler/$compiler
    [ $compiler = nvcc ] && search="$(dirname "$path"):/usr/bin:/bin" || search="$work/bin-$compiler"
    checks=$((checks + 1))
    PATH=$search "$SIMTLAB" run t.cu twice --form ptx --grid 1 --block 32 --arg 'f32[32]=iota' --format json >out 2>err ||
        { fail "t.cu through $compiler"; cat err; }
    has out '"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 4'
    has out '"line": 1'
done
# --maxrregcount: 40 values are alive at once in `wide`; ptxas would give it 24 registers and spill.
cat >wide.cu <<'END'
__global__ void wide(float *a)
{
    float v[40], s = 0;
    for (int i = 0; i < 40; i++)
        v[i] = a[i * 33 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 40; j++)
        for (int i = 0; i < 40; i++)
            s += v[i] * v[j];
    a[threadIdx.x] = s;
}
END
if command -v nvcc >/dev/null || command -v clang >/dev/null; then
    expect 0 "$SIMTLAB" resources wide.cu --form ptx
    lacks out "would spill"
    expect 0 "$SIMTLAB" resources wide.cu --form ptx --maxrregcount 24
    has out "registers a thread   24 (the limit"
    expect 0 "$SIMTLAB" occupancy wide.cu --form ptx --block 256 --maxrregcount 32 --format json
    has out '"registers_per_thread": 32,'
    expect 0 "$SIMTLAB" run wide.cu --form ptx --grid 1 --block 32 --arg 'f32[1400]=zero' --maxrregcount 32 --format json
    has out '"ir__registers_estimate": 32'
fi
echo '__global__ void broken(' >broken.cu
command -v clang >/dev/null && expect 2 "$SIMTLAB" run broken.cu --grid 1 --block 32

# Pictures: the guide's figures 11 to 18 with the numbers that its text and captions state.
expect 0 "$SIMTLAB" threads --grid 3,2 --block 96 --at 1,1 --format json
has out '"blocks": 6, "warps": 18, "threads": 576, "block_threads": 96, "block_warps": 3'
has out '"block_number": 4'
has out '{"thread": [70, 0, 0], "number": 70, "warp": 2, "lane": 6, "grid_number": 454}'
expect 0 "$SIMTLAB" sectors 'float *a' 'a[threadIdx.x]' --format json
has out '"sectors": 4, "sectors_ideal": 4, "lines": 1, "used_bytes": 128, "moved_bytes": 128, "efficiency_pct": 100.0'
expect 0 "$SIMTLAB" sectors 'float *a' 'a[threadIdx.x * 8]' --format json
has out '"sectors": 32, "sectors_ideal": 4, "lines": 8, "used_bytes": 128, "moved_bytes": 1024, "efficiency_pct": 12.5'
expect 0 "$SIMTLAB" threads --grid 4,4 --block 32,32 --matrix 128,128 --at 2,1 --transpose
has out 'block (2, 1): rows 32 to 63, columns 64 to 95'
checks=$((checks + 1))
[ "$(grep -c '\[   2,1\]' out)" -eq 3 ] || fail "the tile is not marked in the grid and in both matrices"
expect 0 "$SIMTLAB" threads --grid 4,4 --block 32,32 --matrix 128,128 --at 2,1 --format json
has out '"tile": {"first_row": 32, "last_row": 63, "first_column": 64, "last_column": 95}'
# figure WAVEFRONTS OPERAND...: as many ways, where one wavefront would do.
figure()
{
    ways=$1
    shift
    expect 0 "$SIMTLAB" banks --format json "$@"
    has out "\"wavefronts\": $ways, \"wavefronts_ideal\": 1, \"conflict_degree\": $ways,"
}
figure 1 --stride 1
figure 2 --stride 2
figure 1 --stride 3
figure 1 --index 13,2,31,0-1,5,7,3,4,6,8-12,14-30
figure 1 'lane == 3 || lane == 4 || lane == 6 || lane == 7 || lane == 9 ? 5 : lane'
has out '"broadcasts": [{"address": 20, "bank": 5, "lanes": [3, 4, 5, 6, 7, 9]}]'
figure 1 '12'
figure 32 'float s[32][32]' 's[threadIdx.x][threadIdx.y]'
has out '"padding": {"text": "float s[32][33]", "conflict_free": true, "all_wavefronts": 32,'
has out '"swizzle": {"text": "s[r][c ^ (r & 31)]", "conflict_free": true, "all_wavefronts": 32,'
figure 1 'float s[32][32]' 's[threadIdx.y][threadIdx.x]'
figure 1 'float s[32][32 + 1]' 's[threadIdx.x][threadIdx.y]'
figure 1 'float s[32][32 + 1]' 's[threadIdx.y][threadIdx.x]'
lacks out '"padding"'
# Half of the lanes, names of one's own, a store, other warps, other blocks, downwards.
figure 16 'float s[32][32]' 's[tid.x][0]' --if 'tid.x % 2 == 0'
figure 32 'float s[n][n]' 's[row][col]' -D n=32 -D row=threadIdx.x -D 'col=row * 0 + 3' --access store --warp 31
figure 1 'float s[64]' 's[tid.x + 32 * (warp == 5) * (blockIdx.x == 7)]' --warp 5 --at 7
figure 2 --stride -2 --offset 62
expect 0 "$SIMTLAB" banks --stride 2 --width 8 --format json
has out '"wavefronts": 4, "wavefronts_ideal": 2, "conflict_degree": 2,'
expect 0 "$SIMTLAB" banks 'int s[8]' 's[3]' --access atomic
has out '32-way bank conflict'
has out 'no longer row helps'
expect 0 "$SIMTLAB" sectors --stride 1 --offset 1
has out '5 sectors where 4 would do; 128 of 160 bytes moved are used, 80 %'
has out 'from a sector'"'"'s start it would be 4 sectors'
expect 0 "$SIMTLAB" sectors --stride 1 --offset 1 --device gtx580
has out 'whole lines of 128 bytes: 2 lines'
has out '8 sectors where 4 would do; 128 of 256 bytes moved are used, 50 %'
expect 0 "$SIMTLAB" threads --grid 3,3 --block 32,8 --matrix 90,100 --tile 32x32
has out 'no block covers 360 elements'
has out '1 x 4 elements'
# One document whatever is asked for; no colour where there is no terminal.
for picture in "banks --stride 4" "sectors --stride 4" "threads --grid 2 --block 40"; do
    expect 0 "$SIMTLAB" $picture --format svg -o picture.svg
    [ ! -s out ] || fail "$picture -o writes to stdout too"
    checks=$((checks + 1))
    [ "$(head -c 4 picture.svg)" = "<svg" ] && [ "$(tail -c 7 picture.svg)" = "</svg>" ] || fail "$picture: no whole SVG"
    command -v xmllint >/dev/null && { xmllint --noout picture.svg 2>err || { fail "$picture: SVG"; cat err; }; }
    expect 0 "$SIMTLAB" $picture
    checks=$((checks + 1))
    ! grep -q "$(printf '\033')" out || fail "$picture: colours in a file"
    expect 2 "$SIMTLAB" $picture --format csv
done
# drawn NUMBER CLASS: so many elements of that kind are in picture.svg.
drawn()
{
    checks=$((checks + 1))
    found=$(grep -c "class=\"$2\"" picture.svg)
    [ "$found" -eq "$1" ] || fail "picture.svg has $found of $2, not $1"
}
# Figure 15, centre: every thread's word clashes. 16, centre: 27 words for 32 threads. 17, 18: what a warp touches of
# the tile. 12, 13: sectors. 14: the block in the grid and its tile in both matrices.
expect 0 "$SIMTLAB" banks --stride 2 --format svg -o picture.svg
drawn 32 clash
drawn 0 word
expect 0 "$SIMTLAB" banks --format svg -o picture.svg 'lane == 3 || lane == 4 || lane == 6 || lane == 7 || lane == 9 ? 5 : lane'
drawn 27 word
drawn 32 link
expect 0 "$SIMTLAB" banks 'float s[32][32]' 's[tid.x][tid.y]' --format svg -o picture.svg
drawn 32 clash
drawn 32 badlink
drawn 32 hot
checks=$((checks + 1))
[ "$(grep -c 'class="cell k7"' picture.svg)" -eq 33 ] || fail "bank 7 is not one column of 32 and its own label"
expect 0 "$SIMTLAB" banks 'float s[32][33]' 's[tid.x][tid.y]' --format svg -o picture.svg
drawn 32 word
drawn 0 badlink
expect 0 "$SIMTLAB" sectors 'float *a' 'a[tid.x]' --format svg -o picture.svg
drawn 4 frame
drawn 32 used
expect 0 "$SIMTLAB" sectors 'float *a' 'a[tid.x * 8]' --format svg -o picture.svg
drawn 32 frame
drawn 32 used
expect 0 "$SIMTLAB" threads --grid 4,4 --block 32,32 --matrix 128,128 --at 2,1 --transpose --format svg -o picture.svg
drawn 3 marked
# Hostile and wrong: a message, exit 2, nothing written.
for wrong in 'tid.x / 0' 'tid.x % (tid.x - 7)' '1 << 40' '2147483647 + 1' 'tid' 'row' '(' '' '1.0' "$(printf '%05000d' 0 | tr 0 '(')" \
    '-1' '(int)tid.x - 1' '18446744073709551616' '0x7fffffffffffffff'; do
    expect 2 "$SIMTLAB" banks "$wrong"
    expect 2 "$SIMTLAB" sectors "$wrong" -o nothing.svg --format svg
    checks=$((checks + 1))
    [ -s err ] && [ ! -s out ] && [ ! -e nothing.svg ] || fail "'$wrong': no message, or a file"
done
expect 2 "$SIMTLAB" banks 'float s[32][32]' 's[tid.x][tid.x + 1]'
has err 'access:1:10: error: thread (31, 0, 0) has subscript 32, outside 0 to 31'
expect 2 "$SIMTLAB" banks 'float s[1024][1024]' 's[0][0]'
has err 'at most 232448 bytes of shared memory'
expect 2 "$SIMTLAB" banks 'float4 s[8]' 's[0].q'
for wrong in "--stride x" "--stride 1 --width 3" "--stride 1 --width 32" "--index 1,,2" "--index 0-32" "--index 5-3" \
    "--index 4294967296" "--stride 1 --index 2" "tid.x --stride 1" "--stride 1 --warp 1" "--stride 1 --block 2000" \
    "--stride 1 --access read" "--stride 1 --if x" "--stride 1 -D 1=2" "--stride -1" "tid.x --width 4 --at x" \
    "--stride 9223372036854775807"; do
    expect 2 "$SIMTLAB" banks $wrong
done
for wrong in "" "--grid 1" "--block 1" "--grid 1 --block 1 x" "--grid 1 --block 2000" "--grid 1 --block 1 --at 1" \
    "--grid 1 --block 1 --tile 1x1" "--grid 1 --block 1 --matrix 0,1" "--grid 1 --block 1 --matrix 1" \
    "--grid 1 --block 32 --matrix 9,9 --tile 31x1" "--grid 2147483647,65535,65536 --block 1"; do
    expect 2 "$SIMTLAB" threads $wrong
done

# The manual page's examples, run as they stand there.
sed -n '/^\.\\" examples begin/,/^\.\\" examples end/p' "$SRCDIR/simtlab.1" |
    sed -n 's/^\.Dl simtlab /simtlab /p' | sed 's/\\e/\\/g' >examples
checks=$((checks + 1))
[ "$(wc -l <examples)" -ge 6 ] || fail "the manual page has too few examples"
cp "$SRCDIR/validate/records/h200/guide/guide.ptx" "$SRCDIR/validate/records/h200/guide/guide.cu" .
cp "$SRCDIR/validate/records/h200/guide/guide.cases" .
chmod u+w guide.*
mkdir -p bin
ln -sf "$SIMTLAB" bin/simtlab
# An instruction that really ran: the tile's column of smem_transpose, and the column that cuda_transpose writes.
launch="--grid 4,4 --block 32,32 --arg s32=128 --arg f32[16384]=iota --arg f32[16384]=zero"
expect 0 "$SIMTLAB" banks --kernel-line guide.cu:23 guide.ptx smem_transpose $launch --format json
has out '"access": "guide.cu:23 st.shared.f32 [%r17], %f1", "kind": "store", "width_bytes": 4'
has out '"wavefronts": 32, "wavefronts_ideal": 1, "conflict_degree": 32, "banks_per_lane": 1, "all_warps": 32, "all_wavefronts": 1024'
has out '"padding": {"text": "shared[i + i / 32]", "conflict_free": true'
expect 0 "$SIMTLAB" banks --kernel-line 23 guide.ptx smem_transpose_pad $launch
has out 'no bank conflict'
lacks out '-way'
expect 0 "$SIMTLAB" sectors --kernel-line guide.cu:20 guide.ptx cuda_transpose $launch
has out '32 sectors where 4 would do; 128 of 1,024 bytes moved are used, 12.5 %'
has out 'Neighbouring lanes are 512 bytes apart; with their data side by side they would need 4 sectors'
for wrong in guide.cu:1 other.cu:23 guide.cu:x :23 0 23:; do
    expect 2 "$SIMTLAB" banks --kernel-line $wrong guide.ptx smem_transpose $launch
done
expect 2 "$SIMTLAB" banks --kernel-line 23 guide.ptx smem_transpose
expect 2 "$SIMTLAB" banks --kernel-line 23 guide.ptx smem_transpose $launch --stride 1
expect 2 "$SIMTLAB" banks --kernel-line 23 none.ptx smem_transpose $launch
expect 1 "$SIMTLAB" banks --kernel-line 23 guide.ptx smem_transpose --grid 4,4 --block 32,32 --arg s32=128 \
    --arg f32[16384]=iota --arg f32[128]=zero
has err 'faulted'
has out '32-way bank conflict'
while read -r line; do
    checks=$((checks + 1))
    PATH="$work/bin:$PATH" sh -c "$line" >out 2>err </dev/null || { fail "manual: $line"; cat err; }
done <examples
if [ -n "${MANDOC:-}" ]; then
    checks=$((checks + 1))
    "$MANDOC" -Tlint -Wwarning "$SRCDIR/simtlab.1" >out 2>&1 || { fail "mandoc -Tlint"; cat out; }
else
    echo "mandoc is not installed: the manual page is not checked"
fi

# Speed of light: a product of 64 x 64 matrices is 64 x 64 x 64 multiply-adds, of two operations each, whatever the form.
cp "$SRCDIR"/validate/records/h200/guide/guide.ptx "$SRCDIR"/validate/records/h200/guide/guide.cubin \
    "$SRCDIR"/validate/records/h200/guide/guide.sass .
for file in guide.ptx guide.cubin; do
    set -- "$SIMTLAB" run $file matMulNaive --grid 4,4 --block 16,16 --arg 'f32[4096]=rand:1' --arg 'f32[4096]=rand:2' \
        --arg 'f32[4096]=zero' --arg s32=64 --arg s32=64 --arg s32=64
    expect 0 "$@" --format json
    has out '"derived__flop_f32.sum": 524288'
    has out '"derived__flop_f64.sum": 0'
    expect 0 "$@"
    has out 'Speed of light (modelled): how much of each limit was used'
    has out '<- the nearest limit'
    has out 'No limit is near' # 16 blocks of 256 threads for 132 SMs
    has out 'f32 arithmetic'
    has out 'sectors: l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct'
    has out 'sectors: lts__t_sectors_srcunit_tex_lookup_hit.sum'
    has out 'Where warps spent their time (modelled): waiting for'
    has out 'data from global or local memory'
    case $file in
    *.ptx) has out 'From PTX these shares are rough' ;;
    *) lacks out 'From PTX these shares are rough' ;;
    esac
done
has out 'smsp__inst_executed.sum'
expect 0 "$@" --format json
has out '"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": 262144'
expect 0 "$@" --mode counts
lacks out 'Speed of light'
# Eight words are one sector.
expect 0 "$SIMTLAB" run k.ptx add1 --grid 1 --block 8 --arg 'u32[8]=iota' --arg u32=8
has out '1 request, 1 sector each'
has out 'of 1 sector: l1tex'
has out 'stores and atomics to arrive before the warp could end'

echo "cli: $checks checks, $failures failures"
[ $failures -eq 0 ]
