// Runs the program beside it with the code that V8 compiled in an earlier run. If there is none, writes it when the program ends. Node's own
// cache has only the functions that run while a script is loaded: a third of those that a server uses.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire, enableCompileCache } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

// For scripts and packages that the program loads later.
enableCompileCache(join(__dirname, 'compiled'));
const filename = join(__dirname, 'program.cjs');
const compiled = join(__dirname, 'program.cache');
const cachedData = existsSync(compiled) ? readFileSync(compiled) : undefined;
const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData });
if (script.cachedDataRejected)
  throw new Error(`V8 rejected the compiled code of ${filename}: it is of other options or another script.`);
if (cachedData === undefined) process.on('exit', () => writeFileSync(compiled, script.createCachedData()));
script.runInThisContext()(exports, createRequire(__filename), module, filename, __dirname);
