// Checks that imports run one way: a file imports its own folder and what stands before it in the list below, and no file
// imports itself through others. Imports of types count.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** Folders and files of src/, lowest first. ARCHITECTURE.md explains the order. */
const order: readonly (readonly string[])[] = [
  ['lib'],
  ['web-paths.ts', 'permissions.ts', 'events.ts'],
  ['config', 'config.ts'],
  ['data'],
  ['runtime'],
  ['core'],
  ['http'],
];
