// Code of the initial load can be rendered before the lazy texts are there, so it must not use them.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { de } from '../../src/dashboard/texts/de.ts';
import { lazy } from '../../src/dashboard/texts/en/lazy.ts';
import { en } from '../../src/dashboard/texts/en.ts';

const folder = join(import.meta.dirname, '../../src/dashboard');

/** Returns the modules that are loaded with a module: those that it imports, but not the ones that it loads on demand. */
function listLoadedWith(path: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(path) || !/\.tsx?$/.test(path)) return found;
  const source = readFileSync(path, 'utf8');
  found.set(path, source);
  for (const [, target = ''] of source.matchAll(
    /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'|^import '(\.[^']+)'/gm,
  )) {
    listLoadedWith(join(dirname(path), target), found);
  }
  return found;
}

it('no module of the initial load uses texts that load later', () => {
  const loaded = listLoadedWith(join(folder, 'main.tsx'));
  expect([...loaded.keys()]).toContain(join(folder, 'pages/home/page.tsx'));
  expect([...loaded.keys()]).not.toContain(join(folder, 'pages/me/page.tsx'));
  const names = Object.keys(lazy).join('|');
  const use = new RegExp(
    `(?:[tT]exts(?:\\(\\))?\\.(?:${names})\\b|\\{[^{}]*\\b(?:${names})\\b[^{}]*\\} = (?:useTexts|texts)\\b)`,
  );
  const using = [...loaded].filter(([, source]) => use.test(source)).map(([path]) => path.slice(folder.length + 1));
  expect(using).toEqual([]);
});

it('pages have the titles that the sidebar has for them', () => {
  for (const { shell, ...texts } of [en, de]) {
    const { audit, expiring, groups, myApps, settings, stores, system, testers, webhooks } = texts;
    const pages = {
      audit,
      expiring,
      groups,
      myApps,
      settings,
      stores,
      system,
      testers,
      webhooks,
      devices: texts.devices,
    };
    for (const [name, { title }] of Object.entries(pages)) {
      expect(title).toBe(shell.nav[name as keyof typeof pages]);
    }
  }
});
