// The specification's states and transitions (part 3): every row moves as it says, and stays where its condition is not met.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../src/operations.ts';
import { accessShows } from './states/access.ts';
import { accountShows } from './states/accounts.ts';
import { NOT_SERVED, nameOf, TABLE } from './states/table.ts';
import { SIZE_LIMIT, uploadShows } from './states/uploads.ts';
import { type Stand, startStand } from './testers/stand.ts';

const SPECIFICATION = join(
  process.env.TAXIWAY_SHARED ?? join(import.meta.dirname, '../../shared'),
  'spec/interface-specification.md',
);
const shows = { ...uploadShows, ...accessShows, ...accountShows };

describe('the table of states', () => {
  it('is shown here row by row, but for those that are not served yet', () => {
    expect([...Object.keys(shows), ...Object.keys(NOT_SERVED)]).toEqual(TABLE.map(nameOf));
  });

  it('says what the specification says, where that is at hand', () => {
    const text = existsSync(SPECIFICATION) ? readFileSync(SPECIFICATION, 'utf8') : undefined;
    const part = text?.split(/^## /m).find((one) => one.startsWith('3. '));
    const lines = part?.split('\n').filter((line) => line.startsWith('|'));
    const rows = lines?.slice(2).map((line) =>
      line
        .split('|')
        .slice(1, 7)
        .map((cell) => cell.trim()),
    );
    expect(rows ?? TABLE).toEqual(TABLE);
  });

  it.each(Object.entries(NOT_SERVED))('%s: needs %s, which is not there', (_name, operation) => {
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)).not.toContain(operation);
  });
});

describe.each(Object.entries(shows))('%s', (_name, { moves, stays }) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await startStand({ config: { limits: { build_size_bytes: SIZE_LIMIT } } });
  });
  afterAll(() => stand?.fixture.stop());

  it.each(Object.entries(moves))('moves %s', (_title, play) => play(stand));
  it.each(Object.entries(stays))('stays %s', (_title, play) => play(stand));
});
