// Runs the program beside it with what V8 compiled of it in an earlier run, which this script writes when that run ends. Node's own cache
// has only the functions that run when a script is loaded, a third of those of a server.
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
if (script.cachedDataRejected) throw new Error(`V8 compiled ${filename} with other options than those of this run.`);
if (cachedData === undefined) process.on('exit', () => writeFileSync(compiled, script.createCachedData()));
script.runInThisContext()(exports, createRequire(__filename), module, filename, __dirname);
