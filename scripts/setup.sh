#!/bin/sh
# Installs what building and testing need. On Debian and Ubuntu by apt, elsewhere it names what is missing.
# Usage: scripts/setup.sh build|test
set -eu

need=$1
missing=""
want() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }

want clang clang
want llvm-ar llvm
want curl curl
want python3 python3
python3 -m pip --version >/dev/null 2>&1 || missing="$missing python3-pip"
want cc gcc
if [ "$need" = test ]; then
  want chromium chromium
  want chromedriver chromium-driver
  want node nodejs
  want npm npm
fi

if [ -n "$missing" ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: missing:$missing. Install them with this system's package manager, then run make again." >&2
    exit 1
  fi
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "setup: missing:$missing. Install them as root, then run make again." >&2; exit 1; }
    as_root=sudo
  fi
  $as_root apt-get update -q
  # shellcheck disable=SC2086 # a list of packages
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
fi

if ! command -v rustup >/dev/null 2>&1; then
  if [ -x "$HOME/.cargo/bin/rustup" ]; then
    echo "setup: add $HOME/.cargo/bin to PATH, then run make again." >&2
    exit 1
  fi
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain none
  echo "setup: Rust is installed. Add $HOME/.cargo/bin to PATH, then run make again." >&2
  exit 1
fi

# The toolchain file names the components and the wasm target; a first download may stall, a second try does not.
rustup show active-toolchain >/dev/null 2>&1 || true
rustup target list --installed | grep -q wasm32-unknown-unknown ||
  timeout 120 rustup target add wasm32-unknown-unknown ||
  rustup target add wasm32-unknown-unknown

# The command line tool must be of the same version as the library in Cargo.lock.
version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p;}' Cargo.lock)
if [ "$(wasm-bindgen --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
  cargo install wasm-bindgen-cli --version "$version"
fi
