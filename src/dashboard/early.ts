// A script of its own that runs while the app is still on its way: asks for what its first page shows, and for that page.
import { type EarlyAnswers, firstReads, reading } from './api/early-answers.ts';
import { createSessionMemory, RENEWED_BEFORE_MS } from './api/session.ts';
import { readChosenOrganization } from './shell/chosen-organization.ts';
import { chooseLanguage } from './texts/chosen-language.ts';

declare global {
  var taxiwayEarly: EarlyAnswers | undefined;
}

const pages: readonly [RegExp, () => Promise<unknown>][] = [
  [/^\/projects\/[^/]+/, () => import('./pages/project/frame.tsx')],
  [/^\/projects\/[^/]+\/?$/, () => import('./pages/project/page.tsx')],
];

function begin(): void {
  const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="taxiway-${name}"]`)?.content ?? '';
  const base = read('base');
  const path = location.pathname.slice(base.length) || '/';
  const wanted = pages.filter(([pattern]) => pattern.test(path)).map(([, load]) => load);
  const endsAt = createSessionMemory(() => localStorage).read();
  const isOver = endsAt !== undefined && endsAt - Date.now() < RENEWED_BEFORE_MS;
  if (read('session') === 'yes' && (path === '/' || wanted.length > 0) && !isOver) {
    const addresses = firstReads(base, path, readChosenOrganization());
    globalThis.taxiwayEarly = new Map(addresses.map((address) => [address, fetch(address, reading)]));
    // Whoever takes an answer sees that it failed.
    for (const answer of globalThis.taxiwayEarly.values()) answer.catch(() => undefined);
  }
  const texts = { en: () => import('./texts/en.ts'), de: () => import('./texts/de.ts') };
  // The app asks again for what did not come.
  for (const load of [texts[chooseLanguage()], ...wanted]) load().catch(() => undefined);
}

begin();
