// The letters on the signs of channels.
import { expect, test } from 'vitest';
import { assignSigns } from '../../src/dashboard/components/channel-sign.tsx';

const signsOf = (...names: string[]) => {
  const channels = names.map((name, index) => ({ identifier: `c${String(index).padStart(2, '0')}`, name }));
  return [...assignSigns(channels.toReversed()).values()];
};

test('a channel gets the first letter of its name that no older channel has', () => {
  expect(signsOf('nightly', 'beta', 'production')).toEqual(['N', 'B', 'P']);
  expect(signsOf('beta', 'billing', 'bi')).toEqual(['B', 'I', 'B2']);
  expect(signsOf('qa', 'QA 2', 'q')).toEqual(['Q', 'A', 'Q2']);
  expect(signsOf('– öffentlich', '2024')).toEqual(['Ö', '2']);
  expect(signsOf('–', '…')).toEqual(['?', '?2']);
});

test('after nine channels with the same letters, signs repeat', () => {
  const signs = signsOf(...Array.from({ length: 10 }, () => 'a'));
  expect(signs).toEqual(['A', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A']);
});

test('previews share a sign and take no letters', () => {
  const channels = [
    { identifier: 'c1', name: 'PR 48' },
    { identifier: 'c2', name: 'production' },
  ];
  expect([...assignSigns(channels, new Set(['c1']))]).toEqual([
    ['c1', 'PR'],
    ['c2', 'P'],
  ]);
});
