#!/bin/sh
# The fixtures are what the maker makes: nothing in them was edited by hand.
#   check-fixtures.sh MKTRACE FIXTURES
set -eu
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
cp "$2/README.md" "$made"
"$(dirname "$0")/make-fixtures.sh" "$1" "$made"
diff -r "$2" "$made"
echo "fixtures are as made"
