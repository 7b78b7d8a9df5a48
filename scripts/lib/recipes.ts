// The recipes of CONTRIBUTING.md, applied to a copy of the sources, and what the compiler says about it.
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FONT_FILE } from '../../src/lib/assets.ts';
import { cacheDir, projectDir, runBeside } from './project.ts';

interface Snippet {
  file: string;
  /** A line of the file, or a part of it. */
  place?: string;
  isReplaced: boolean;
  imports: string;
  code: string;
}

/** Returns the snippets of a text, named ```ts FILE, ```ts FILE after LINE or ```ts FILE instead of LINE. */
export function readSnippets(text = readContributing()): Snippet[] {
  const blocks = text.matchAll(/^( *)```(?:tsx?|sql) (\S+)(?: (after|instead of) ([^\n]+))?\n(.*?)^\1```$/gms);
  return [...blocks].map(([, indent = '', file = '', how, place, body = '']) => {
    const lines = body.split('\n').map((line) => line.slice(Math.min(indent.length, line.search(/\S|$/))));
    const isImport = (line: string) => place !== undefined && line.startsWith('import ');
    return {
      file,
      ...(place !== undefined && { place }),
      isReplaced: how === 'instead of',
      imports: lines.filter(isImport).join('\n'),
      code: lines.filter((line) => !isImport(line)).join('\n'),
    };
  });
}

function apply(root: string, { file, place, isReplaced, imports, code }: Snippet): void {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  if (place === undefined) {
    appendFileSync(path, `${existsSync(path) ? '\n' : ''}${code}`);
    return;
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes(place));
  if (at < 0) throw new Error(`${file} has no line with ${place}`);
  lines.splice(isReplaced ? at : at + 1, isReplaced ? 1 : 0, code.replace(/\n$/, ''));
  writeFileSync(path, [imports, ...lines].join('\n'));
}

/** Returns the text of CONTRIBUTING.md. */
export function readContributing(): string {
  return readFileSync(join(projectDir, 'CONTRIBUTING.md'), 'utf8');
}

/** Copies the sources into a new folder, applies the recipes, and returns the folder. The caller removes it. */
export function copyWithRecipes(): string {
  // Inside the project, so that the packages are found.
  mkdirSync(cacheDir, { recursive: true });
  const root = mkdtempSync(join(cacheDir, 'recipes-'));
  try {
    for (const name of ['src', 'migrations', 'package.json', 'tsconfig.json'])
      cpSync(join(projectDir, name), join(root, name), { recursive: true });
    cpSync(join(projectDir, FONT_FILE), join(root, FONT_FILE));
    for (const snippet of readSnippets()) apply(root, snippet);
    return root;
  } catch (error) {
    rmSync(root, { recursive: true });
    throw error;
  }
}

/**
 * Checks the types of the sources with all recipes. Returns a problem for each message of the compiler, except for texts that a new
 * language needs, which the recipe lists by file, and for each of these files without a message.
 */
export async function findRecipeProblems(): Promise<string[]> {
  const [, language = ''] = readContributing().split('## Add a language');
  const listed = [...language.matchAll(/^ {3}- `(\S+)`/gm)].map(([, file = '']) => file);
  if (listed.length === 0) return ['CONTRIBUTING.md lists no files of a new language'];
  const root = copyWithRecipes();
  try {
    const messages = [...(await compile([], root)), ...(await compile(['-p', 'src/dashboard'], root))];
    const fileOf = (message: string) => message.split('(')[0] ?? '';
    const found = new Set(messages.map(fileOf));
    return [
      ...messages.filter((message) => !listed.includes(fileOf(message))),
      ...listed.filter((file) => !found.has(file)).map((file) => `${file} needs no text of a new language`),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Returns the messages of the compiler. */
async function compile(words: string[], cwd: string): Promise<string[]> {
  const compiler = join(projectDir, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--pretty', 'false', '--singleThreaded', ...words];
  const { code, output } = await runBeside(process.execPath, [compiler, ...options], { cwd });
  // Node.js may add warnings.
  const messages = output.split('\n').filter((line) => /^(?:\S.*: )?error TS\d+: /.test(line));
  return code === 0 || messages.length > 0 ? messages : [`the compiler ended with ${code}`];
}
