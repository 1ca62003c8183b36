#!/bin/sh
# Makes the fixtures anew: make-fixtures.sh MKTRACE FOLDER
#
# Every trace comes from mktrace, or from printf where only a few bytes matter;
# the same mktrace and gzip give the same files. Beside the traces stand
#
#   truth/NAME.tsv   what was planted (see mktrace --truth), and which guides follow
#   cases.tsv        what layertrack annotate must do: trace, exit code, exit code with --strict; then where the truth
#                    has the guides, if there are any: its name, pid, device, first and last pass; then the arguments,
#                    one a field
set -eu
if [ $# -ne 2 ]; then
    echo "usage: make-fixtures.sh MKTRACE FOLDER" >&2
    exit 2
fi
mktrace=$1
out=$2
tab=$(printf '\t')
mkdir -p "$out/truth"
LC_ALL=C
export LC_ALL

fact() {
    sed -n "s/^fact$tab$2$tab//p" "$out/truth/$1.tsv"
}

# case_row FILE EXIT STRICT TRUTH PID DEVICE FIRST LAST [ARGUMENT...]
case_row() {
    row=$1
    shift
    for field in "$@"; do
        row=$row$tab$field
    done
    printf '%s\n' "$row" >>"$out/cases.tsv"
}

# trace NAME SUFFIX OPTIONS...: makes NAME.SUFFIX and its truth.
trace() {
    name=$1 suffix=$2
    shift 2
    case $suffix in
    *.gz)
        "$mktrace" "$@" --truth "$out/truth/$name.tsv" | gzip -9n >"$out/$name.$suffix"
        ;;
    *)
        "$mktrace" "$@" --truth "$out/truth/$name.tsv" -o "$out/$name.$suffix"
        ;;
    esac
}

# annotates FILE NAME PID DEVICE FIRST LAST ARGUMENT...: a case that succeeds
# refused FILE ARGUMENT...: one whose selection is refused
annotates() {
    file=$1
    shift
    case_row "$file" 0 0 "$@"
}

refused() {
    file=$1
    shift
    case_row "$file" 4 4 - - - - - "$@"
}

# usual NAME SUFFIX [FILE]: the case that takes all complete passes, with the exit codes of the truth.
usual() {
    name=$1 file=${3:-$1.$2}
    first=$(awk -F '\t' '$1 == "pass" && $7 == 1 { print $4; exit }' "$out/truth/$name.tsv")
    offset=$(awk -F '\t' '$1 == "pass" && $7 == 1 { print $5; exit }' "$out/truth/$name.tsv")
    passes=$(fact "$name" complete_passes)
    set -- --anchor-regex "$(fact "$name" anchor_regex)" --num-layers "$(fact "$name" layers)" \
        --anchor-offset "$offset" --passes "$passes"
    regex=$(fact "$name" terminal_regex)
    if [ -n "$regex" ]; then
        set -- "$@" --end-anchor-regex "$regex"
    fi
    if [ "$(fact "$name" exit_default)" = 0 ]; then
        set -- "$name" "$(awk -F '\t' '$1 == "group" { print $2; exit }' "$out/truth/$name.tsv")" \
            "$(awk -F '\t' '$1 == "group" { print $3; exit }' "$out/truth/$name.tsv")" \
            "$first" "$((first + passes - 1))" "$@"
    else
        set -- - - - - - "$@"
    fi
    case_row "$file" "$(fact "$name" exit_default)" "$(fact "$name" exit_strict)" "$@"
}

# odd NAME OPTIONS...: a small trace with its usual case.
odd() {
    name=$1
    shift
    trace "$name" json --layers 2 --passes 2 --kernels 0 --no-launches "$@"
    usual "$name" json
}

# broken NAME OPTIONS...: a smaller one, for what is refused.
broken() {
    name=$1
    shift
    trace "$name" json --layers 2 --passes 1 --kernels 0 --no-launches --layout compact "$@"
    usual "$name" json
}

# by_hand FILE EXIT STRICT: a file that was made without the maker.
by_hand() {
    case_row "$1" "$2" "$3" - - - - - --anchor-regex rotary_embedding_kernel --num-layers 2 --anchor-offset 0
}

printf '#trace\texit\tstrict\ttruth\tpid\tdevice\tfirst_pass\tlast_pass\targuments\n' >"$out/cases.tsv"

# ---- Whole traces

trace decode json --layers 2 --passes 2 --kernels 1 --terminals --seed 3
usual decode json
annotates decode.json decode 0 0 1 1 --anchor-regex rotary_embedding_kernel --num-layers 2 --anchor-offset 2
refused decode.json --anchor-regex rotary_embedding_kernel --num-layers 2 --anchor-offset 0 --passes 3
refused decode.json --anchor-regex no_such_kernel --num-layers 2 --anchor-offset 0
gzip -9nc "$out/decode.json" >"$out/decode.json.gz"
usual decode json decode.json.gz
trace picture json --layers 4 --passes 1 --kernels 2 --streams 3 --seed 9 --terminals --no-launches --layout compact
usual picture json

trace compact json --layers 3 --passes 2 --kernels 0 --no-launches --layout compact --terminals
usual compact json
odd bare --bare
trace bare-compact json --layers 2 --passes 1 --kernels 0 --no-launches --bare --layout compact
usual bare-compact json
trace head-tail json --layers 2 --passes 1 --kernels 0 --no-launches --head 3000 --tail 3000
usual head-tail json

trace drafts json --layers 3 --passes 2 --draft 2 --kernels 0 --no-launches --layout compact --terminals --scopes
usual drafts json
family=$(fact drafts terminal_family_regex)
refused drafts.json --anchor-regex rotary_embedding_kernel --num-layers 3 --anchor-offset 0 --passes 2 \
    --end-anchor-regex "$family"
trace drafts-share json --layers 3 --passes 2 --draft 2 --draft-shares-anchor --kernels 0 --no-launches \
    --layout compact --terminals
terminal=$(fact drafts-share terminal_regex)
annotates drafts-share.json drafts-share 0 0 0 0 --anchor-regex rotary_embedding_kernel \
    --num-layers 3 --anchor-offset 0 \
    --end-anchor-regex "$terminal"
annotates drafts-share.json drafts-share 0 0 1 1 --anchor-regex rotary_embedding_kernel \
    --num-layers 3 --anchor-offset 5 \
    --end-anchor-regex "$terminal"
refused drafts-share.json --anchor-regex rotary_embedding_kernel --num-layers 3 --anchor-offset 0 --passes 2 \
    --end-anchor-regex "$terminal"
trace extra json --layers 2 --passes 2 --extra 1 --kernels 0 --no-launches --layout compact --terminals
annotates extra.json extra 0 0 1 1 --anchor-regex rotary_embedding_kernel --num-layers 2 --anchor-offset 3 \
    --end-anchor-regex "$terminal"
trace cut-ends json --layers 3 --passes 4 --cut-front 1 --cut-back 2 --kernels 0 --no-launches --layout compact
usual cut-ends json

trace two-gpus json --layers 2 --passes 1 --pids 2 --pid 3 --device 3 --kernels 0 --no-launches --layout compact
refused two-gpus.json --anchor-regex rotary_embedding_kernel --num-layers 2 --anchor-offset 0
annotates two-gpus.json two-gpus 3 3 0 0 --anchor-regex rotary_embedding_kernel \
    --num-layers 2 --anchor-offset 0 --pid 3
annotates two-gpus.json two-gpus 4 4 0 0 --anchor-regex rotary_embedding_kernel \
    --num-layers 2 --anchor-offset 0 --device 4
trace two-devices json --layers 2 --passes 1 --devices 2 --kernels 0 --no-launches --layout compact
refused two-devices.json --anchor-regex rotary_embedding_kernel --num-layers 2 --anchor-offset 0
annotates two-devices.json two-devices 0 1 0 0 --anchor-regex rotary_embedding_kernel \
    --num-layers 2 --anchor-offset 0 --device 1
odd pid-both --oddity pid-both --passes 1 --layout compact

# ---- Oddities that are strict JSON

odd ts-integer --oddity ts-integer --terminals
odd ts-long-decimals --oddity ts-long-decimals --terminals
odd ts-exponent --oddity ts-exponent --terminals
odd ts-string --oddity ts-string,dur-string --terminals
odd pid-string --oddity pid-string
odd tid-string --oddity tid-string
odd no-device --oddity no-device
odd no-args --oddity no-args
odd absent-fields --oddity no-cat,no-pid,no-ts
odd odd-elements --oddity empty-object,null-element
odd escapes --oddity escapes,escaped-keys
odd surrogates --oddity surrogates
odd utf8 --oddity utf8
odd quote-in-name --oddity quote-in-name
trace long-name json.gz --layers 2 --passes 1 --kernels 0 --no-launches --oddity long-name
usual long-name json.gz
odd many-streams --streams 12 --terminals --layout compact
trace graph-launch json --layers 2 --passes 2 --kernels 1 --layout compact --oddity graph-launch
usual graph-launch json
odd decoys --oddity decoys,args-decoys,dup-keys,cat-list --passes 1
odd guide-tid-taken --oddity guide-tid-taken
odd shuffled --oddity shuffled --layers 3 --terminals --layout compact
odd huge-int --oddity huge-int
odd deep-ok --oddity deep-ok
odd close-ts --oddity close-ts

# ---- Not strict JSON, but opened: warned

odd control-byte --oddity control-byte,control-anchor
odd bad-utf8 --oddity bad-utf8
odd bad-utf8-anchor --oddity bad-utf8-anchor
odd unknown-escape --oddity unknown-escape,unknown-escape-anchor
odd nonfinite-args --oddity nonfinite-args --layout compact
odd nonfinite-ts --oddity nonfinite-ts
odd nonfinite-dur --oddity nonfinite-dur
odd trailing-comma --oddity trailing-comma
odd open-array --oddity open-array
odd open-array-comma --oddity open-array-comma

# ---- The selection is refused

broken nonfinite-kernel-ts --oddity nonfinite-kernel-ts
broken nonfinite-kernel-dur --oddity nonfinite-kernel-dur
broken bad-kernel-ts --oddity bad-kernel-ts
broken bad-kernel-dur --oddity bad-kernel-dur
broken negative-dur --oddity negative-dur
broken equal-ts --oddity equal-ts
broken already-annotated --oddity already-annotated

# ---- The trace is refused

broken deep --oddity deep
trace huge-name json.gz --layers 2 --passes 1 --kernels 0 --no-launches --oddity huge-name
usual huge-name json.gz
broken missing-comma --oddity missing-comma
broken unescaped-quote --oddity unescaped-quote
broken cut --oddity cut
broken cut-in-tail --cut 40
broken two-arrays --oddity two-arrays
broken events-not-array --oddity events-not-array
broken bom --oddity bom
broken lines --oddity lines

# ---- By hand

: >"$out/empty.json"
by_hand empty.json 3 3
printf ' \n\t\r\n \n' >"$out/blank.json"
by_hand blank.json 3 3
printf '{"schemaVersion": 1, "traceEvents": [ \n ], "traceName": "none.json"}\n' >"$out/no-events.json"
by_hand no-events.json 4 4
printf '{"schemaVersion": 1, "args": {"traceEvents": [{"ph": "X"}]}}\n' >"$out/no-array.json"
by_hand no-array.json 3 3
printf 'step,layer,us\n0,0,41.5\n' >"$out/text.json"
by_hand text.json 3 3
printf 'PK\003\004\024\000\000\000\010\000\000\000\041\000\000\000\000\000\000\000\000\000' >"$out/zip.json"
by_hand zip.json 3 3
printf '\050\265\057\375\044\002\021\000\000{}\355\227\143\063' >"$out/zstd.json"
by_hand zstd.json 3 3
printf '\377\376{\000"\000t\000r\000a\000c\000e\000E\000v\000e\000n\000t\000s\000"\000:\000[\000]\000}\000' \
    >"$out/utf16.json"
by_hand utf16.json 3 3

# gzip, whole and broken. The last eight bytes are the CRC and the length.
small=$out/compact.json
size=$(wc -c <"$small")
gzip -9nc "$small" >"$out/gz-trailing-zeros.json.gz"
whole=$(wc -c <"$out/gz-trailing-zeros.json.gz")
head -c $((whole * 2 / 3)) "$out/gz-trailing-zeros.json.gz" >"$out/gz-cut.json.gz"
by_hand gz-cut.json.gz 3 3
{
    head -c $((whole - 8)) "$out/gz-trailing-zeros.json.gz"
    printf '\001\002\003\004'
    tail -c 4 "$out/gz-trailing-zeros.json.gz"
} >"$out/gz-bad-crc.json.gz"
by_hand gz-bad-crc.json.gz 3 3
{
    head -c $((whole - 4)) "$out/gz-trailing-zeros.json.gz"
    printf '\001\002\003\004'
} >"$out/gz-bad-length.json.gz"
by_hand gz-bad-length.json.gz 3 3
{
    cat "$out/gz-trailing-zeros.json.gz"
    printf 'garbage'
} >"$out/gz-trailing-garbage.json.gz"
by_hand gz-trailing-garbage.json.gz 3 3
head -c 512 /dev/zero >>"$out/gz-trailing-zeros.json.gz"
by_hand gz-trailing-zeros.json.gz 3 3
{
    head -c 1000 "$small" | gzip -9n
    tail -c +1001 "$small" | head -c 1 | gzip -1n
    gzip -9n </dev/null
    tail -c +1002 "$small" | head -c $((size - 1002)) | gzip -6n
    tail -c 1 "$small" | gzip -9n
    gzip -9n </dev/null
} >"$out/gz-members.json.gz"
usual compact json gz-members.json.gz
{
    # Every optional field of the header but its CRC: extra, name, comment.
    printf '\037\213\010\034\000\000\000\000\002\003\006\000LT\002\000[]trace.json\000a comment\000'
    gzip -9nc "$small" | tail -c +11
} >"$out/gz-header.json.gz"
usual compact json gz-header.json.gz
gzip -9nc "$small" | gzip -9n >"$out/gz-in-gz.json.gz"
by_hand gz-in-gz.json.gz 3 3
