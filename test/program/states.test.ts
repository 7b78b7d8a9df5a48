// docs/specification/states.md, played through the API: each row moves as it says, and stays where its condition isn't met.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableIn } from '../specification/pages.ts';
import { startTesterScenario, type TesterScenario } from '../testers/scenario.ts';
import { accessShows } from './states/access.ts';
import { accountShows } from './states/accounts.ts';
import { releaseShows } from './states/releases.ts';
import { SIZE_LIMIT, uploadShows } from './states/uploads.ts';

const shows = { ...uploadShows, ...releaseShows, ...accessShows, ...accountShows };

it('contains exactly the reproduced rows', () => {
  const rows = tableIn('states').map(([subject, from, trigger]) => `${subject}: ${from}, ${trigger}`);
  expect(Object.keys(shows)).toEqual(rows);
  for (const { moves, stays } of Object.values(shows)) {
    expect([Object.keys(moves).length > 0, Object.keys(stays).length > 0]).toEqual([true, true]);
  }
});

describe.each(Object.entries(shows))('%s', (_name, { moves, stays }) => {
  let scenario: TesterScenario;
  beforeAll(async () => {
    scenario = await startTesterScenario({ config: { limits: { build_size_bytes: SIZE_LIMIT } } });
  });
  afterAll(() => scenario?.fixture.stop());

  it.each(Object.entries(moves))('moves %s', (_title, play) => play(scenario));
  it.each(Object.entries(stays))('stays %s', (_title, play) => play(scenario));
});
