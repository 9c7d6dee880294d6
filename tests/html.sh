#!/bin/sh
# The page of --format html without a browser: well-formed, whole, self-contained, small; what it says of a transpose
# whose banks conflict; hostile names, sources and output. tests/browser.sh opens it.
set -u
. "$SRCDIR/tests/support.sh"
guide=$SRCDIR/validate/records/h200/guide/guide.cases

# page STATUS FILE COMMAND...: writes the page, and holds to it what every page has to keep.
page()
{
    want=$1
    file=$2
    shift 2
    "$@" --format html -o "$file" 2>"$work/err"
    got=$?
    [ $got -eq "$want" ] || { fail "$* exits with $got, not $want"; sed 's/^/    /' "$work/err"; }
    [ -s "$file" ] || { fail "$*: no page"; return; }
    well_formed "$file"
    self_contained "$file"
    anchors "$file"
}

# Tags nest, attributes are quoted, text holds neither < nor a bare &.
well_formed()
{
    if command -v xmllint >/dev/null; then
        xmllint --noout "$1" 2>"$work/err" || { fail "$1: not well-formed"; head -5 "$work/err"; }
    fi
    LC_ALL=C awk '
        function bad(why) { if (!told++) print why ", before: <" substr($0, 1, 60); }
        BEGIN { RS = "<"; depth = 0 }
        NR == 1 { next }
        /^!\[CDATA\[/ { cdata = 1 }
        cdata { if (/\]\]>/) cdata = 0; next }
        /^!DOCTYPE/ { next }
        {
            end = index($0, ">")
            if (!end) { bad("a tag that does not end"); next }
            tag = substr($0, 1, end - 1); text = substr($0, end + 1)
            if (text ~ />/ || text ~ /&([^a-z#]|$)/ || text ~ /&[a-z#0-9]*([^a-z#0-9;]|$)/) bad("text that is not escaped")
            name = tag; sub(/[ \n\/].*/, "", name)
            if (tag ~ /^\//) {
                sub(/^\//, "", tag)
                if (depth == 0 || open[depth] != tag) bad("</" tag "> closes <" open[depth] ">")
                depth--
                next
            }
            rest = tag
            sub(/^[a-zA-Z0-9]+/, "", rest); gsub(/[ \n]+[a-zA-Z0-9:-]+="[^"<]*"/, "", rest)
            if (rest != "" && rest != "/") bad("attributes of <" tag ">")
            if (tag !~ /\/$/) open[++depth] = name
        }
        END { if (depth != 0) bad("<" open[depth] "> is not closed"); exit told != 0 }
    ' "$1" >"$work/err" || { fail "$1: not well-formed"; cat "$work/err"; }
    [ "$(tail -c 8 "$1")" = "</html>" ] || fail "$1: no whole page"
}

# Nothing is fetched: links lead into the page, addresses are names of languages only.
self_contained()
{
    grep -oE '(href|src|action|data)="[^"]*"' "$1" | grep -v '^href="#' >"$work/err" && { fail "$1 leads elsewhere"; head -3 "$work/err"; }
    grep -E 'url\(|@import|<link|<img|<iframe|<object' "$1" >"$work/err" && { fail "$1 fetches"; head -3 "$work/err"; }
    sed 's|xmlns="http://www.w3.org/[a-z0-9/]*"||g' "$1" | grep -F '://' >"$work/err" && { fail "$1 has an address"; head -3 "$work/err"; }
}

# Every anchor is one, and every link finds its own.
anchors()
{
    grep -oE ' id="[^"]*"' "$1" | sed 's/.*"\(.*\)"/\1/' | sort >"$work/ids"
    uniq -d "$work/ids" | sed 's/^/    twice: /' >"$work/err"
    [ ! -s "$work/err" ] || { fail "$1: anchors"; head -3 "$work/err"; }
    grep -oE ' (href="#|aria-labelledby=")[^"]*"' "$1" | sed 's/.*"#*\(.*\)"/\1/' | sort -u >"$work/links"
    comm -23 "$work/links" "$work/ids" | sed 's/^/    leads nowhere: /' >"$work/err"
    [ ! -s "$work/err" ] || { fail "$1: links"; head -3 "$work/err"; }
}

has()
{
    grep -qF -- "$2" "$1" || fail "$1 lacks: $2"
}

# ---- The transpose whose tile has 32 columns: all lanes of a store in one bank. ----

smem=$work/smem.html
page 0 "$smem" "$SIMTLAB" batch "$guide" --only transpose_smem_1024
for part in summary source shared global divergence stalls occupancy metrics; do
    has "$smem" "<section id=\"l1-$part\" class=\"$part\" aria-labelledby=\"l1-$part-title\">"
done
# The worst instruction is the store into the tile, and so is the line of the source that it came from.
[ "$(grep -c '^<tr id="l1-pc[0-9]*" class="worst">.*<code>st.shared.f32 ' "$smem")" -eq 1 ] || fail "worst instruction"
[ "$(grep -c '^<tr id="l1-f[0-9]*-23" class="worst">.*<code>ST(smem_transpose,0)' "$smem")" -eq 1 ] || fail "worst line"
[ "$(grep -c ' class="worst"' "$smem")" -eq 2 ] || fail "not one worst row in each view"
# Its picture: 32 words of one bank, each in a wavefront of its own, that 32 lanes are joined with.
sed -n '/<figure id="l1-picture1">/,/<\/figure>/p' "$smem" >"$work/figure"
has "$smem" '</strong> cycles elapsed, <strong>'
has "$smem" ' cycles active on the SM that was longest at work'
has "$work/figure" '32-way bank conflict: 32 wavefronts where 1 would do'
has "$work/figure" 'In all executions: 32,768 requests, 1,048,576 wavefronts: 32 a request where 1 would do.'
[ "$(grep -c '<rect class="clash"' "$work/figure")" -eq 32 ] || fail "not 32 words that clash"
[ "$(grep '<rect class="clash"' "$work/figure" | sed 's/.* y="\([^"]*\)".*/\1/' | sort -u | wc -l)" -eq 1 ] || fail "not one bank"
[ "$(grep '<line class="badlink"' "$work/figure" | sed 's/.* y2="\([^"]*\)".*/\1/' | sort | uniq -c | awk '{ print $1 }')" = 32 ] ||
    fail "not 32 lanes in one bank"

# ---- Hostile text: names of files, lines of the source, what the kernel prints. ----

cd "$work" || exit 99
mkdir '<'
printf 'first\n</script><script>alert(1)</script> & \377\300\257 \001\n/*<![CDATA[*/ ]]> -->\n' >'</script><img src=x>&.cu'
cat >"<k>&'.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry _Z1kIXadL_Z1fvEEEvv()
{
    .reg .b32 %r<2>;
    .loc 1 2 0
    mov.u32 %r1, 1;
    .loc 1 3 0
    ret;
}
.file 1 "</script><img src=x>&.cu"
END
page 0 "$work/hostile.html" "$SIMTLAB" run "<k>&'.ptx" --grid 1 --block 32
has "$work/hostile.html" '&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp;'
has "$work/hostile.html" '&lt;k&gt;&amp;&#39;.ptx'
[ "$(grep -c '</script>' "$work/hostile.html")" -eq 1 ] || fail "a script of others"
command -v iconv >/dev/null && { iconv -f utf-8 -t utf-8 "$work/hostile.html" >/dev/null || fail "not UTF-8"; }

# ---- Faults, findings, launches that cannot run; whole or not at all. ----

page 2 "$work/list.html" "$SIMTLAB" batch "$guide" --only transpose_pad_1024 --only vecAdd --only divergent --regs 255 --check
echo kept >kept.html
"$SIMTLAB" run nothing.ptx --grid 1 --block 1 --format html -o kept.html 2>err
[ $? -eq 2 ] && [ "$(cat kept.html)" = kept ] || fail "an input that is not there: the old page did not stay"
"$SIMTLAB" run "<k>&'.ptx" --grid 1 --block 32 --format html -o no/such/folder.html 2>err
[ $? -eq 2 ] || fail "a page in no folder"

# ---- Exact counts alone; the same bytes for any number of threads. ----

page 0 "$work/counts.html" "$SIMTLAB" batch "$guide" --only transpose_smem_1024 --mode counts
grep -q 'l1-stalls' "$work/counts.html" && fail "stalls without a clock"
"$SIMTLAB" batch "$guide" --mode counts --only vecAdd --only divergent --only bank_stride2 --format html -j 1 >"$work/one.html"
"$SIMTLAB" batch "$guide" --mode counts --only vecAdd --only divergent --only bank_stride2 --format html -j 3 >"$work/three.html"
cmp "$work/one.html" "$work/three.html" || fail "the page depends on the threads"

echo "$failures failures"
[ $failures -eq 0 ]
