// What root gives to the account of the server.
import { lstatSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { giveToOwnerOf } from '../../src/runtime/data-owner.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-owner-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const changedAt = (path: string) => lstatSync(path, { bigint: true }).ctimeNs;

it('is a file that root created, and never what a link in its place leads to', async () => {
  using _root = vi.spyOn(process, 'geteuid').mockReturnValue(0);
  const [model, foreign, link] = ['secret.key', 'foreign', 'secret.key.previous'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const file of [model, foreign]) writeFileSync(file, '');
  symlinkSync(foreign, link);
  const [before, linkBefore] = [changedAt(foreign), changedAt(link)];
  // Each attempt gives the link to the owner of the key, until the clock of the disk has moved on.
  await expect
    .poll(() => {
      giveToOwnerOf(model, link);
      return changedAt(link) > linkBefore;
    })
    .toBe(true);
  expect(changedAt(foreign)).toBe(before);
});
