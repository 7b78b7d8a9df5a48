// A script of its own that runs while the app is still on its way: asks for what its first page shows, and for that page.
import { toAddress } from './api/address.ts';
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

/** Who was never here before looks at the first organization there is. */
async function askOfFirst(base: string, early: EarlyAnswers): Promise<void> {
  const answer = (await early.get(toAddress(base, '/organizations')))?.clone();
  const organizations: unknown = answer?.ok ? await answer.json() : [];
  const first: unknown = Array.isArray(organizations) ? organizations[0]?.identifier : undefined;
  const address = firstReads(base, '/', typeof first === 'string' ? first : null)[2];
  if (address === undefined) return;
  const overview = fetch(address, reading);
  early.set(address, overview);
  await overview;
}

function begin(): void {
  const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="taxiway-${name}"]`)?.content ?? '';
  const base = read('base');
  const path = location.pathname.slice(base.length) || '/';
  const wanted = pages.filter(([pattern]) => pattern.test(path)).map(([, load]) => load);
  const endsAt = createSessionMemory(() => localStorage).read();
  const isOver = endsAt !== undefined && endsAt - Date.now() < RENEWED_BEFORE_MS;
  if (read('session') === 'yes' && (path === '/' || wanted.length > 0) && !isOver) {
    const organizationId = readChosenOrganization();
    const addresses = firstReads(base, path, organizationId);
    globalThis.taxiwayEarly = new Map(addresses.map((address) => [address, fetch(address, reading)]));
    if (path === '/' && organizationId === null) askOfFirst(base, globalThis.taxiwayEarly).catch(() => undefined);
    // Whoever takes an answer sees that it failed.
    for (const answer of globalThis.taxiwayEarly.values()) answer.catch(() => undefined);
  }
  const texts = { en: () => import('./texts/en.ts'), de: () => import('./texts/de.ts') };
  // The app asks again for what did not come.
  for (const load of [texts[chooseLanguage()], ...wanted]) load().catch(() => undefined);
}

begin();
