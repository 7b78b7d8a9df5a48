// The main script of the executable: runs the embedded program, with what V8 compiled of it when it was built for this platform.
//
// The code cache that Node makes itself has only the functions that run when a script is loaded. This one has all that a server runs
// until it listens.
const { closeSync, openSync, readSync } = require('node:fs');
const { dirname } = require('node:path');
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

/** Offset and length of the program and of the compiled code in the file of the executable, which the build writes here. */
const places = 'places: 000000000000 000000000000 000000000000 000000000000';
const [, textAt, textLength, compiledAt, compiledLength] = places.split(' ').map(Number);

/** Returns a part, read from the file, because what is read from its mapped pages counts as memory of the process from then on. */
function load(name, at, length) {
  let file;
  try {
    file = openSync('/proc/self/exe');
  } catch {
    // Not Linux, or a container without /proc.
    return Buffer.from(getRawAsset(name));
  }
  const bytes = Buffer.allocUnsafeSlow(length);
  readSync(file, bytes, 0, length, at);
  closeSync(file);
  return bytes;
}

const text = load('taxiway.cjs', textAt, textLength).latin1Slice();
const cachedData = compiledLength === 0 ? undefined : load('taxiway.cache', compiledAt, compiledLength);
const program = new Script(text, { filename: process.execPath, cachedData }).runInThisContext();
program(exports, require, module, process.execPath, dirname(process.execPath));
