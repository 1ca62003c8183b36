#!/bin/sh
# Runs check_page.mjs in Debian's Chromium: run.sh BUILD_FOLDER ARGUMENTS... Exits with 77, aloud, where something is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
modules=$1
shift

skip() { echo "SKIPPED: $*"; exit 77; }

command -v node >/dev/null || skip 'there is no node'
[ "$(node -p 'process.versions.node.split(".")[0] >= 18')" = true ] || skip "node $(node --version) is older than 18"
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$chromium" ] || skip 'there is no chromium (CHROMIUM names one)'

mkdir -p "$modules"
if ! cmp -s "$here/package-lock.json" "$modules/installed.json"; then
    command -v npm >/dev/null || skip 'there is no npm to get playwright-core with'
    cp "$here/package.json" "$here/package-lock.json" "$modules"
    (cd "$modules" && npm ci --no-audit --no-fund --ignore-scripts) || skip 'playwright-core cannot be had'
    cp "$here/package-lock.json" "$modules/installed.json"
fi
exec node "$here/check_page.mjs" --chromium "$chromium" --modules "$modules" "$@"
