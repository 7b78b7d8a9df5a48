// The main script of the executable: runs the embedded program, with what V8 compiled of it when it was built for this platform.
//
// The code cache that Node makes itself has only the functions that run when a script is loaded. The program's has all that a server
// runs until it listens.
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

/** Runs a script as a module and returns what it exports. */
function run(text, options, requireModule) {
  const loaded = { exports: {} };
  const body = new Script(text.latin1Slice(), options).runInThisContext();
  body(loaded.exports, requireModule, loaded, process.execPath, dirname(process.execPath));
  return loaded.exports;
}

const names = new Set(getAssetKeys());
const packages = new Map();

/** Loads a script of packages when the program first uses one of them. Most are used rarely, so they're read from the mapped pages. */
function requireScript(path) {
  const name = path.replace(/^\.\/assets\//, '');
  if (!names.has(name)) return require(path);
  const mapped = (part) => Buffer.from(getRawAsset(part));
  const cache = name.replace(/cjs$/, 'cache');
  const options = () => ({
    filename: `${process.execPath}/${name}`,
    cachedData: names.has(cache) ? mapped(cache) : undefined,
  });
  if (!packages.has(name)) packages.set(name, run(mapped(name), options(), require));
  return packages.get(name);
}

const cachedData = names.has('taxiway.cache') ? load('taxiway.cache', compiledAt) : undefined;
run(load('taxiway.cjs', programAt), { filename: process.execPath, cachedData }, requireScript);
