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
echo "installed, moved, linked both ways"
