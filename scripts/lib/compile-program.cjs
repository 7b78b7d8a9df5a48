// Runs a program and writes what V8 has compiled of it by then. Arguments: the program, the file to write, and the arguments of
// the program. The same program gives the same bytes as long as no garbage is collected, because V8 notes the age of functions.
const { readFileSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

const [, , file, output, folder, ...words] = process.argv;
const script = new Script(readFileSync(file, 'latin1'));
process.argv = [process.execPath, file, ...words];
process.once('exit', () => writeFileSync(output, script.createCachedData()));
script.runInThisContext()(exports, require, module, file, folder ?? dirname(file));
