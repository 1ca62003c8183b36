#!/bin/sh
# Installs to a folder, moves that, and builds and runs a program with what pkg-config says there.
#     check-install.sh CMAKE BUILD_FOLDER FIXTURES VERSION
set -eu
cmake=$1 build=$2 fixtures=$3 version=$4
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$cmake" --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/moved"
prefix=$folder/moved
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name layertrack.pc)")
export PKG_CONFIG_PATH
libraries=$(dirname "$(find "$prefix" -name liblayertrack.a)")

test "$("$prefix/bin/layertrack" --version)" = "layertrack $version"
test -f "$prefix/share/man/man1/layertrack.1"
test "$(pkg-config --modversion layertrack)" = "$version"

# The program in the library's own header, to the letter.
sed -n -e '/^ \*\//q' -e 's/^ \*     //p' "$prefix/include/layertrack.h" >"$folder/job.c"
test "$(pkg-config --cflags layertrack | wc -w)" -eq 1

${CC:-cc} -Wall -Wextra -Werror "$folder/job.c" $(pkg-config --cflags --libs layertrack) -o "$folder/shared" \
    "-Wl,-rpath,$(pkg-config --variable=libdir layertrack)"
said=$("$folder/shared" "$fixtures/decode.json" "$folder/a.json")
test "$said" = "2 guides"
"$prefix/bin/layertrack" verify "$folder/a.json" "$fixtures/decode.json" >/dev/null

${CC:-cc} "$folder/job.c" $(pkg-config --cflags layertrack) -o "$folder/static" \
    $(pkg-config --static --libs layertrack | sed "s|-llayertrack|$libraries/liblayertrack.a|")
said=$("$folder/static" "$fixtures/decode.json" "$folder/b.json")
test "$said" = "2 guides"
cmp "$folder/a.json" "$folder/b.json"

# What a program hears: rows, warnings, errors in parts.
build() { # PROGRAM HEADER_FOLDER FLAGS...
    program=$1 header=$2
    shift 2
    ${CC:-cc} -Wall -Wextra -Werror "$@" "-I$header" $(pkg-config --cflags --libs layertrack) \
        "-Wl,-rpath,$(pkg-config --variable=libdir layertrack)" -o "$program"
}
expect() { # WHAT SAID
    test "$1" = "$2" || { printf 'expected:\n%s\nsaid:\n%s\n' "$1" "$2" >&2; exit 1; }
}
build "$folder/interface" "$prefix/include" "$here/interface.c"
rows='row 0 L0 from 4203669604866.541 to 4203669604896.500
row 0 L1 from 4203669604896.500 to 4203669604896.500
2 guides'
expect "$rows" "$("$folder/interface" "$fixtures/decode.json" rotary)"
error="error no-match: Pattern 'nothing' matches none"
case $("$folder/interface" "$fixtures/decode.json" nothing) in "$error"*"| nearest names: "*) ;; *) exit 1 ;; esac
case $("$folder/interface" "$fixtures/control-byte.json" rotary) in "warning control-bytes 10"*) ;; *) exit 1 ;; esac

# A program that was built with an earlier header, whose structs ended sooner, and one with a later header.
mkdir "$folder/earlier" "$folder/later"
sed -e '/^ *lt_\(row\|found\)_fn \*\(row\|found\);/d' -e '/^ *const char \*within\(_gpu\)\{0,1\};/d' \
    -e '/^ *const char \*pid, \*device; .* of all tracks/d' -e '/^ *const char \*fail_on_warning;/d' \
    -e '/^ *u\{0,1\}int64_t \(anchor_run\|skip_partial\);/d' -e '/^ *char hint\[/d' \
    -e '/^ *uint64_t insert_bytes; /,/^};/{/^ *uint64_t/d}' "$prefix/include/layertrack.h" >"$folder/earlier/layertrack.h"
test "$(diff "$prefix/include/layertrack.h" "$folder/earlier/layertrack.h" | grep -c '^<')" -eq 18
build "$folder/earlier/job" "$folder/earlier" "$folder/job.c"
expect "2 guides" "$("$folder/earlier/job" "$fixtures/decode.json" "$folder/c.json")"
cmp "$folder/a.json" "$folder/c.json"
sed 's/^ *const char \*fail_on_warning;$/&\n    uint64_t later;/' "$prefix/include/layertrack.h" >"$folder/later/layertrack.h"
for later in 0 1; do
    build "$folder/later/$later" "$folder/later" "-DLATER=$later" "$here/interface.c"
done
expect "$rows" "$("$folder/later/0" "$fixtures/decode.json" rotary)"
case $("$folder/later/1" "$fixtures/decode.json" rotary) in "error struct-size: "*) ;; *) exit 1 ;; esac

# The header is C++ too.
if command -v "${CXX:-c++}" >/dev/null; then
    echo '#include <layertrack.h>' >"$folder/header.cpp"
    ${CXX:-c++} -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$prefix/include" "$folder/header.cpp"
else
    echo "SKIPPED: there is no C++ compiler to look at the header"
fi
echo "installed, moved, linked both ways, with headers of three editions"
