#!/bin/sh
# Runs Binaryen's optimiser over the wasm programs in dist/ and prints their sizes, raw and by gzip.
set -eu

binaryen=132.0.0
tools=target/tools
[ -x "$tools/node_modules/.bin/wasm-opt" ] ||
  npm install --prefix "$tools" --no-audit --no-fund --no-save "binaryen@$binaryen"

features="--enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals --enable-reference-types --enable-multivalue --enable-simd"
shrink() {
  # shellcheck disable=SC2086 # lists of options
  "$tools/node_modules/.bin/wasm-opt" $2 $features --strip-debug -o "$1.small" "$1"
  mv "$1.small" "$1"
}
shrink dist/querylore_bg.wasm -Oz
shrink dist/db_bg.wasm -O2
shrink dist/embedder_bg.wasm -O2
for program in querylore db embedder; do
  file=dist/${program}_bg.wasm
  echo "$program: $(wc -c < "$file") bytes, $(gzip -9 -c "$file" | wc -c) by gzip"
done
