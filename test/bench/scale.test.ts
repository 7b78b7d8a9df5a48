// The two servers that scripts/bench scale compares.
import { beforeEach, expect, it } from 'vitest';
import { withBoth } from '../../bench/scale.ts';

let events: string[];
beforeEach(() => {
  events = [];
});

function server(name: string) {
  return {
    start: async () => {
      events.push(`${name} starts`);
      return {
        name,
        stop: async () => {
          events.push(`${name} stops`);
          return `turns of ${name}`;
        },
      };
    },
  };
}

const starts = { small: server('small').start, large: server('large').start };
const failing = async () => {
  throw new Error('the port is taken');
};

it('both stop after the work', async () => {
  const work = async (small: { name: string }, large: { name: string }) => `${small.name} and ${large.name}`;
  expect(await withBoth(starts, work)).toEqual(['small and large', 'turns of large']);
  expect(events).toEqual(['small starts', 'large starts', 'large stops', 'small stops']);
});

it('the small one stops if the large one fails to start', async () => {
  await expect(withBoth({ ...starts, large: failing }, async () => 'work')).rejects.toThrow('the port is taken');
  expect(events).toEqual(['small starts', 'small stops']);
});

it('the large one does not start if the small one fails to', async () => {
  await expect(withBoth({ ...starts, small: failing }, async () => 'work')).rejects.toThrow('the port is taken');
  expect(events).toEqual([]);
});

it('both stop if the work fails', async () => {
  await expect(withBoth(starts, failing)).rejects.toThrow('the port is taken');
  expect(events).toEqual(['small starts', 'large starts', 'large stops', 'small stops']);
});
