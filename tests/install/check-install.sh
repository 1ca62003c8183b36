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

${CC:-cc} -Wall -Wextra -Werror "$here/use.c" $(pkg-config --cflags --libs layertrack) -o "$folder/shared"
said=$(LD_LIBRARY_PATH=$libraries DYLD_LIBRARY_PATH=$libraries "$folder/shared" "$fixtures/decode.json" "$folder/a.json")
test "$said" = "$version: 4 guides"

${CC:-cc} "$here/use.c" $(pkg-config --cflags layertrack) "$libraries/liblayertrack.a" \
    $(pkg-config --libs yajl zlib libpcre2-8 libcrypto libdeflate) -pthread -o "$folder/static"
said=$("$folder/static" "$fixtures/decode.json" "$folder/b.json")
test "$said" = "$version: 4 guides"
cmp "$folder/a.json" "$folder/b.json"
echo "installed, moved, linked both ways"
