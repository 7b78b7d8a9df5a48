// Starts a server and writes what V8 has compiled of the program by then. Arguments: the program, the file to write, and the folder
// of the program's files. The same program gives the same bytes as long as no garbage is collected, because V8 notes the age of
// functions.
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { mock } = require('node:test');
const { Script } = require('node:vm');

// No time passes: on a busy machine, more timers would fire before the server listens, slow queries would be logged, and work in steps
// would make more pauses.
mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: Date.UTC(2026, 0) });
performance.now = () => 0;
const [, , file, output, folder] = process.argv;
const script = new Script(readFileSync(file, 'latin1'));
process.argv = [process.execPath, file, 'serve'];
process.stdout.write = (text) => {
  if (text.startsWith('Listening on ')) {
    writeFileSync(output, script.createCachedData());
    process.exit();
  }
  return true;
};
script.runInThisContext()(exports, createRequire(join(folder, 'taxiway.cjs')), module, file, folder);
