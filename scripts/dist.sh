#!/bin/sh
# Puts the page together in dist/: three wasm programs, styles, static files, encoder weights, demo workspace.
# Usage: scripts/dist.sh WASM_DIR WEIGHTS_DIR LAB
set -eu

wasm=$1
weights=$2
lab=$3

mkdir -p dist/models/all-MiniLM-L6-v2 dist/models/tiny
for program in querylore db embedder; do
  wasm-bindgen --target web --no-typescript --remove-name-section --remove-producers-section --out-dir dist "$wasm/$program.wasm"
done
cat style/tokens.css style/base.css style/shell.css style/controls.css style/parts.css style/sql.css style/tables.css style/floats.css style/pages.css style/narrow.css > dist/style.css
cp -R index.html public/. dist/

half=$weights/model.f16.safetensors
[ -f "$half" ] || "$lab" half --model "$weights/model.safetensors" --out "$half"
cp "$half" dist/models/all-MiniLM-L6-v2/model.safetensors
cp "$weights/vocab.txt" dist/models/all-MiniLM-L6-v2/
"$lab" tiny --out dist/models/tiny
"$lab" demo --dir dist/demo
