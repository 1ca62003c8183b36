#!/bin/sh
# docs/picture.svg is what render draws of the annotated fixture.
#   check_picture.sh LAYERTRACK FIXTURES PICTURE
# When a change to the drawing is meant, draw it anew, look at it, and commit it:
#   REFRESH=1 tests/render/check_picture.sh build/release/layertrack fixtures docs/picture.svg
set -eu
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$1" annotate "$2/picture.json" -o "$made/decode.layers.json" --anchor-regex rotary_embedding_kernel --num-layers 4 \
    --anchor-offset 0 --end-anchor-regex cross_device_reduce_1stage --phase decode \
    --evidence 'one rotary embedding per layer, counted in the model code'
"$1" render "$made/decode.layers.json" --width 1000 -o "$made/picture.svg"
if [ -n "${REFRESH:-}" ]; then
    cp "$made/picture.svg" "$3"
fi
if ! cmp "$made/picture.svg" "$3"; then
    echo "$3 is not what render draws; the head of this test says how to refresh it"
    exit 1
fi
echo "$3 is as drawn"
