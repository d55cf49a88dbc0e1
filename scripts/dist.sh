#!/bin/sh
# Puts the page together in dist/: three wasm programs, styles, static files, encoder weights, demo workspace.
# Usage: scripts/dist.sh PAGE_WASM_DIR WORKER_WASM_DIR CACHE LAB ENCODER...
set -eu

page=$1
workers=$2
cache=$3
lab=$4
shift 4

mkdir -p dist/models/tiny
for program in "$page/querylore.wasm" "$workers/db.wasm" "$workers/embedder.wasm"; do
  wasm-bindgen --target web --no-typescript --remove-name-section --remove-producers-section --out-dir dist "$program"
done
cat style/tokens.css style/base.css style/shell.css style/controls.css style/parts.css style/sql.css style/tables.css style/floats.css style/pages.css style/narrow.css > dist/style.css
cp -R index.html public/. dist/

for encoder in "$@"; do
  mkdir -p "dist/models/$encoder"
  half=$cache/$encoder/model.f16.safetensors
  [ -f "$half" ] || "$lab" half --model "$cache/$encoder/model.safetensors" --out "$half"
  cp "$half" "dist/models/$encoder/model.safetensors"
  cp "$cache/$encoder/vocab.txt" "dist/models/$encoder/"
done
"$lab" tiny --out dist/models/tiny
"$lab" demo --dir dist/demo
