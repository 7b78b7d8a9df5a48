// Runs the program beside it with the code that V8 compiled in an earlier run. If there is none, writes it when the program ends. Node's own
// cache has only the functions that run while a script is loaded: a third of those that a server uses.
const { closeSync, openSync, readSync, statSync, writeFileSync } = require('node:fs');
const { createRequire, enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

// For scripts and packages that the program loads later.
enableCompileCache(join(__dirname, 'compiled'));
const filename = join(__dirname, 'program.cjs');
const compiled = join(__dirname, 'program.cache');
const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
// For one file after the other, because the first use of memory takes longer than reading.
const memory = Buffer.allocUnsafeSlow(Math.max(sizeOf(filename), sizeOf(compiled)));
function read(file) {
  const descriptor = openSync(file);
  const bytes = memory.subarray(0, readSync(descriptor, memory));
  closeSync(descriptor);
  return bytes;
}
const source = read(filename).latin1Slice();
const cachedData = sizeOf(compiled) > 0 ? read(compiled) : undefined;
const script = new Script(source, { filename, cachedData });
if (script.cachedDataRejected)
  throw new Error(`V8 rejected the compiled code of ${filename}: it is of other options or another script.`);
if (cachedData === undefined) process.on('exit', () => writeFileSync(compiled, script.createCachedData()));
script.runInThisContext()(exports, createRequire(__filename), module, filename, __dirname);
