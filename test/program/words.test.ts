// Texts follow the glossary in docs/words.md.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildOpenApi } from '../../src/http/openapi.ts';
import { operations } from '../../src/operations.ts';

const root = join(import.meta.dirname, '../..');

interface Rule {
  phrase: string;
  write: string;
  pattern: RegExp;
}

interface Text {
  /** File and line, or the path in the OpenAPI document. */
  place: string;
  text: string;
}

/** Reads the table below a heading. Rows without a pattern are for people. */
function readRules(heading: string): Rule[] {
  const page = readFileSync(join(root, 'docs', 'words.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return section.split('\n').flatMap((line) => {
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim());
    const [phrase = '', write = '', pattern = ''] = cells;
    if (!/^`.+`$/.test(pattern)) return [];
    return [{ phrase, write, pattern: new RegExp(pattern.slice(1, -1).replaceAll('\\|', '|'), 'iu') }];
  });
}

const LITERAL = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\.)*\``;
/** Comments are matched first, so that quotes in them don't count. */
const COMMENT_OR_LITERAL = new RegExp(String.raw`//.*|/\*[\s\S]*?\*/|${LITERAL}`, 'g');
/** The messages of thrown errors and of rules of schemas. */
const MESSAGES = new RegExp(
  String.raw`(?:AppError\(\s*(?:'\w+',\s*)|\b(?:message|error|msg): |ConfigError\(\s*)(${LITERAL})`,
  'g',
);

/** The titles of tests. */
const TITLES = new RegExp(String.raw`^\s*(?:describe|it|test)(?:\.\w+)*\(\s*(${LITERAL})`, 'gm');

function textsMatching(path: string, pattern: RegExp): Text[] {
  const source = readFileSync(path, 'utf8');
  return [...source.matchAll(pattern)].flatMap((match) => {
    const text = match[1] ?? match[0];
    if (text.startsWith('/') || /^['"]\.{1,2}\//.test(text)) return [];
    const line = source.slice(0, match.index + match[0].indexOf(text)).split('\n').length;
    const words = text.slice(1, -1).replace(/\$\{[^}]*\}/g, 'X');
    return [{ place: `${relative(root, path)}:${line}`, text: words.replaceAll("\\'", "'") }];
  });
}

const filesOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(root, folder, name));

const literalsOf = (...paths: string[]): Text[] => paths.flatMap((path) => textsMatching(path, COMMENT_OR_LITERAL));

/** Leaves out identifiers and SQL. */
const sentences = (texts: Text[]): Text[] =>
  texts.filter(({ text }) => text.trim().includes(' ') && !/\b(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA)\b/.test(text));

function describedTexts(): Text[] {
  const found: Text[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if ((key === 'summary' || key === 'description') && typeof child === 'string')
        found.push({ place: `${path}/${key}`, text: child });
      else walk(child, `${path}/${key}`);
    }
  };
  walk(buildOpenApi(operations, 'http://localhost'), 'openapi');
  return found;
}

function findOffences(texts: Text[], rules: Rule[]): string[] {
  return texts.flatMap(({ place, text }) =>
    rules.flatMap(({ pattern, write }) => {
      const phrase = pattern.exec(text)?.[0];
      return phrase === undefined ? [] : [`${place}: "${phrase}" in "${text.slice(0, 120)}": write ${write}`];
    }),
  );
}

/** README.md and all pages of the documentation, without code. */
function pages(): Text[] {
  const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.md') && name !== 'words.md',
  );
  return ['README.md', ...names.map((name) => `docs/${name}`)].flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .replace(/^ *```.*?^ *```$/gms, (code) => code.replaceAll(/[^\n]/g, ''))
      .split('\n')
      .map((line, at) => ({ place: `${path}:${at + 1}`, text: line.replaceAll(/`[^`]*`|"[^"]*"/g, 'X') })),
  );
}

const titles = (): Text[] =>
  filesOf('test')
    .filter((path) => /\.test\.tsx?$/.test(path) && path !== import.meta.filename)
    .flatMap((path) => textsMatching(path, TITLES));

const english = readRules('Glossary');
const german = readRules('German');
const api = () => filesOf('src').filter((path) => !/src\/(?:dashboard|commands|testing)\//.test(path));

describe('the glossary', () => {
  it('has rules for machines in both languages', () => {
    expect([english.length > 20, german.length > 5]).toEqual([true, true]);
  });

  it('finds a phrase, and leaves the replacement alone', () => {
    const texts = ['The link has ended', 'Whoever has it', 'The link has expired', 'E-mail address'].map((text) => ({
      place: 'here',
      text,
    }));
    expect(findOffences(texts, english).map((line) => line.replace(/: write.*/, ''))).toEqual([
      'here: "has ended" in "The link has ended"',
      'here: "Whoever" in "Whoever has it"',
      'here: "E-mail" in "E-mail address"',
    ]);
  });
});

describe('the words to avoid are in', () => {
  it.each<[string, () => Text[], Rule[]]>([
    ['no English text of the web app', () => literalsOf(...filesOf('src/dashboard/texts/en')), english],
    ['no German text of the web app', () => literalsOf(...filesOf('src/dashboard/texts/de')), german],
    ["no English text of the server's pages", () => literalsOf(...filesOf('src/page-texts/en')), english],
    ["no German text of the server's pages", () => literalsOf(...filesOf('src/page-texts/de')), german],
    ['no English text of an email', () => literalsOf(...filesOf('src/mail/texts/en')), english],
    ['no German text of an email', () => literalsOf(...filesOf('src/mail/texts/de')), german],
    ['no help and no message of a command', () => sentences(literalsOf(...filesOf('src/commands'))), english],
    [
      'no problem of the configuration',
      () => sentences(literalsOf(join(root, 'src/config.ts'), ...filesOf('src/config'))),
      english,
    ],
    ['no health check', () => sentences(literalsOf(...filesOf('src/checks'))), english],
    ['no error of the API', () => sentences(api().flatMap((path) => textsMatching(path, MESSAGES))), english],
    ['no default message of an error', () => sentences(literalsOf(join(root, 'src/lib/errors.ts'))), english],
    ['no description of the API', describedTexts, english],
    ['no page of the documentation', pages, english],
    ['no title of a test', () => titles(), english],
  ])('%s', (_, texts, rules) => {
    const found = texts();
    expect(found.length).toBeGreaterThan(10);
    expect(findOffences(found, rules)).toEqual([]);
  });
});
