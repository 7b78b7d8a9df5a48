// Starts a server and writes what V8 has compiled of the program by then. Arguments: the program, the file to write, and the folder
// of the program's files. The same program gives the same bytes as long as no garbage is collected, because V8 notes the age of
// functions.
const { readFileSync, writeFileSync } = require('node:fs');
const { Script } = require('node:vm');

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
script.runInThisContext()(exports, require, module, file, folder);
