// The main script of the executable: runs the embedded program, with what V8 compiled of it when it was built for this platform.
//
// The code cache that Node makes itself has only the functions that run when a script is loaded. This one has all that a server runs
// until it listens.
const { dirname } = require('node:path');
const { getAssetKeys, getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const text = Buffer.from(getRawAsset('taxiway.cjs')).latin1Slice();
const compiled = getAssetKeys().includes('taxiway.cache') ? Buffer.from(getRawAsset('taxiway.cache')) : undefined;
const program = new Script(text, { filename: process.execPath, cachedData: compiled }).runInThisContext();
program(exports, require, module, process.execPath, dirname(process.execPath));
