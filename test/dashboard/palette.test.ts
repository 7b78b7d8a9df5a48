// The pages of the command palette, and matching of search terms.
import { describe, expect, it } from 'vitest';
import { listPages, listProjectPages, matches } from '../../src/dashboard/shell/palette-pages.ts';
import { de } from '../../src/dashboard/texts/de.ts';
import { en } from '../../src/dashboard/texts/en.ts';
import type { Organization } from '../../src/organizations/schema.ts';
import type { Project } from '../../src/projects/schema.ts';

const organization = (role: 'member' | 'manager' | 'admin') => ({ role }) as Organization;
const project = (role: Project['role']) => ({ identifier: 'p1', role });
const names = (pages: { name: string }[]) => pages.map(({ name }) => name);

describe('pages', () => {
  it('are those that the user may open', () => {
    expect(names(listPages(undefined, { isOperator: false, hasBilling: true }))).toEqual(['myApps', 'me']);
    expect(names(listPages(undefined, { isOperator: true, hasBilling: true }))).toEqual(['myApps', 'me', 'system']);
    expect(names(listPages(organization('member'), { isOperator: false, hasBilling: false }))).toEqual([
      'projects',
      'devices',
      'members',
      'expiring',
      'myApps',
      'me',
    ]);
    expect(names(listPages(organization('member'), { isOperator: false, hasBilling: true }))).toContain('billing');
    const all = names(listPages(organization('admin'), { isOperator: true, hasBilling: true }));
    expect(all).toEqual(
      Object.keys(en.palette.pageNames)
        .filter((name) => all.includes(name))
        .toSorted(byPlace(all)),
    );
    expect(all.length).toBe(17);
  });
  it('of a project depend on the role in it', () => {
    expect(listProjectPages(project('read')).map(({ href }) => href)).toEqual([
      '/projects/p1',
      '/projects/p1/builds',
      '/projects/p1/feedback',
      '/projects/p1/sdk',
    ]);
    expect(names(listProjectPages(project('admin')))).toEqual([
      'channels',
      'builds',
      'feedback',
      'projectTesters',
      'sdk',
      'tokens',
      'projectSettings',
    ]);
  });
  it('have distinct names in each language', () => {
    for (const { palette } of [en, de]) {
      const labels = Object.values(palette.pageNames).map(({ label }) => label);
      expect(new Set(labels).size).toBe(labels.length);
    }
  });
});

describe('a text', () => {
  it.each([
    ['', ['anything'], true],
    ['GERAT', ['Geräte'], true],
    ['geräte', ['Geräte'], true],
    ['mit san', ['Mitglieder', 'sandra'], true],
    ['1.2 (3', ['1.2.0', '1.2 (3)'], true],
    ['north', ['South', null, undefined], false],
    ['a z', ['abc'], false],
  ])('"%s" in %j: %s', (text, others, expected) => {
    expect(matches(text, ...others)).toBe(expected);
  });
});

function byPlace(all: string[]): (one: string, other: string) => number {
  return (one, other) => all.indexOf(one) - all.indexOf(other);
}
