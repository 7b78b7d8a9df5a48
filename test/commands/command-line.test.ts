// The table of commands in docs/command-line.md contains every command and no others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../../src/commands/catalog.ts';
import { openWorkshop } from './test-host.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/command-line.md'), 'utf8');
/** Each row's commands: `taxiway flag list`, `set` are the subcommands list and set of flag. */
const rows = [...text.matchAll(/^\| `taxiway ([^|]+) \|/gm)].map(([, cell = '']) =>
  [...`\`${cell}`.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words.split(' ')),
);
const named = new Map<string, Set<string>>();
for (const [first = [], ...more] of rows) {
  const [name = '', subcommand] = first;
  const isFamily = subcommand !== undefined && /^[a-z-]+$/.test(subcommand);
  const known = named.get(name) ?? new Set();
  named.set(name, known);
  if (isFamily) known.add(subcommand);
  for (const [word = ''] of more) {
    if (isFamily) known.add(word);
    else if (!word.startsWith('-')) named.set(word, named.get(word) ?? new Set());
  }
}

const subcommandsOf = (help: string): string[] => {
  const [, listed = ''] = /^Commands:\n((?: {2}.*\n)*)/m.exec(help) ?? [];
  return [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, word = '']) => word);
};

describe('the help', () => {
  it.each(CATALOG.map(({ name }) => [name]))('of %s and its subcommands has examples', async (name) => {
    using workshop = openWorkshop();
    const { stdout } = await workshop.run([name, '--help']);
    for (const words of [[name], ...subcommandsOf(stdout).map((word) => [name, word])]) {
      const { code, stdout: help } = await workshop.run([...words, '--help']);
      expect({ code, help }).toEqual({ code: 0, help: expect.stringMatching(/^Examples?:\n {2}(?:\S+ )*taxiway /m) });
    }
  });
});

describe('incorrect usage', () => {
  it.each([
    [['flag', 'set', 'beta_dashboard', 'maybe'], 'flag set'],
    [['flag', 'set'], 'flag set'],
    [['verify', '--backup', 'x'], 'verify'],
    [['store'], 'store'],
  ])('%j names the help of the command', async (words, named) => {
    using workshop = openWorkshop();
    const { code, stderr } = await workshop.run(words);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      words.length === 1 ? /^Usage: taxiway store / : new RegExp(`\\(see "taxiway ${named} --help"\\)`),
    );
  });
});

describe('the table of commands in the documentation', () => {
  it('contains every command, and no others', () => {
    expect([...named.keys()].sort()).toEqual(CATALOG.map(({ name }) => name).sort());
  });

  it.each(CATALOG.map(({ name }) => [name]))('contains every subcommand of %s', async (name) => {
    using workshop = openWorkshop();
    const { stdout } = await workshop.run([name, '--help']);
    expect([...(named.get(name) ?? [])].sort()).toEqual(subcommandsOf(stdout).sort());
  });
});
