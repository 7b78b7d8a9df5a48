// The completion scripts: bash runs its script here; zsh and fish only read theirs, where they are installed.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOG } from '../../src/commands/catalog.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

const shells = ['bash', 'zsh', 'fish'];
const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;
const MAX_MS = 150;

let workshop: Workshop;
beforeAll(async () => {
  workshop = openWorkshop();
  for (const shell of shells) {
    const { code, stdout } = await workshop.run(['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(join(workshop.folder, shell), stdout);
  }
});
afterAll(() => workshop?.[Symbol.dispose]());

describe.each(shells)('the script for %s', (shell) => {
  it.skipIf(!isInstalled(shell))(`is accepted by ${shell}`, () => {
    const { status, stderr } = spawnSync(shell, ['-n', join(workshop.folder, shell)], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('contains every command', async () => {
    const { stdout } = await workshop.run(['completion', shell]);
    for (const { name } of CATALOG) expect(stdout).toContain(name);
  });
});

/** Runs a script after the completion script, in a bash without programs to start. */
function runBash(script: string): string {
  const text = `taxiway() { echo STARTED; }; . ./bash; complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _taxiway; }\n${script}`;
  const options = { cwd: workshop.folder, encoding: 'utf8', env: { PATH: '/nonexistent' } } as const;
  const { stdout, stderr } = spawnSync('/bin/bash', ['--norc', '-uc', text], options);
  expect(stderr).toBe('');
  return stdout;
}

/** Returns what bash offers for the last word. An empty list means file names, if `-o default` is kept. */
const complete = (...words: string[]): string[] =>
  runBash(
    `complete_words ${['taxiway', ...words].map((word) => `'${word}'`).join(' ')}\nprintf '%s\\n' "\${COMPREPLY[@]}"`,
  )
    .split('\n')
    .filter((line) => line !== '');

describe.skipIf(!isInstalled('/bin/bash'))('bash completes', () => {
  it.each([
    ['commands', ['']],
    ['commands by their beginning', ['fla'], 'flag'],
    ['subcommands', ['audit', ''], 'export'],
    ['subcommands by their beginning', ['organization', 'set-'], 'set-tier', 'set-ceiling'],
    ['options', ['audit', 'export', '--f'], '--from', '--format'],
    ['options of the program', ['--'], '--help', '--version'],
    ['values of an option', ['audit', 'export', '--format', ''], 'csv', 'jsonl'],
    ['values after an equals sign', ['audit', 'export', '--format', '='], 'csv', 'jsonl'],
    ['the beginning of such a value', ['audit', 'export', '--format', '=', 'j'], 'jsonl'],
    ['values of an argument', ['completion', ''], 'bash', 'zsh', 'fish'],
    ['values of the second argument', ['organization', 'set-tier', 'some-id', 't'], 'team'],
    ['values after options', ['organization', 'set-tier', '--operator', 'Ada', 'some-id', ''], 'team', 'business'],
    ['subcommands, not the value of an option', ['upload', '--channel', 'flag', '--js'], '--json'],
    ['file names as arguments', ['upload', '']],
    ['file names as values', ['upload', '--notes-file', '']],
    ['nothing after the last argument', ['completion', 'bash', '']],
    ['nothing for an unknown command', ['unknown', 'x']],
  ])('%s', (name, words, ...expected) => {
    if (name === 'commands') expect(complete('')).toEqual(CATALOG.map((entry) => entry.name));
    else expect(complete(...words)).toEqual(expected);
  });

  it('without starting the program, and fast', () => {
    const count = 20;
    const loop = `for ((n = 0; n < ${count}; n++)); do complete_words taxiway organization set-tier some-id ''; done`;
    const [start = 0, end = 0] = runBash(`echo $EPOCHREALTIME; ${loop}; echo $EPOCHREALTIME`).split('\n').map(Number);
    expect((1_000 * (end - start)) / count).toBeLessThan(MAX_MS);
  });
});

it('rejects an unknown shell as incorrect usage', async () => {
  const unknown = await workshop.run(['completion', 'tcsh']);
  expect([unknown.code, unknown.stdout]).toEqual([2, '']);
  expect(unknown.stderr).toContain('Allowed choices are bash, zsh, fish');
  expect((await workshop.run(['completion'])).code).toBe(2);
});
