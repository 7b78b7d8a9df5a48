// The main script of the executable: runs the embedded program, with what V8 compiled of it when it was built for this platform.
//
// The code cache that Node makes itself has only the functions that run when a script is loaded. This one has all that a server runs
// until it listens.
const { closeSync, openSync, readSync } = require('node:fs');
const { dirname } = require('node:path');
const { getAssetKeys, getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

/** Where the file of the executable has the program and the compiled code. The build writes the offsets here. */
const places = 'places: 000000000000 000000000000';
const [, programAt, compiledAt] = places.split(' ').map(Number);

/** Returns a part, read from the file, because what is read from its mapped pages counts as memory of the process from then on. */
function load(name, at) {
  const mapped = Buffer.from(getRawAsset(name));
  let file;
  try {
    file = openSync('/proc/self/exe');
  } catch {
    // Not Linux, or a container without /proc.
    return mapped;
  }
  const bytes = Buffer.allocUnsafeSlow(mapped.length);
  const length = readSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
  // A loader or an emulator may be the file of the process instead.
  const isRight = length === mapped.length && bytes.subarray(0, 64).equals(mapped.subarray(0, 64));
  return isRight ? bytes : mapped;
}

const text = load('taxiway.cjs', programAt).latin1Slice();
const cachedData = getAssetKeys().includes('taxiway.cache') ? load('taxiway.cache', compiledAt) : undefined;
const program = new Script(text, { filename: process.execPath, cachedData }).runInThisContext();
program(exports, require, module, process.execPath, dirname(process.execPath));
