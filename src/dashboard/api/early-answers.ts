// Answers that were asked for before the app was there. Each is used once, and none after anything was changed.
import { toAddress } from './address.ts';

export type EarlyAnswers = Map<string, Promise<Response>>;
type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/** As the client asks, so that its question is the same. */
export const reading = { credentials: 'same-origin', headers: { accept: 'application/json' } } as const;

/** What the page at a path asks first: who one is and where, and what it is about, as far as that is known beforehand. */
export function firstReads(base: string, path: string, organizationId: string | null): string[] {
  const [, projectId] = /^\/projects\/([\w-]+)/.exec(path) ?? [];
  const isProjects = path === '/' && organizationId !== null;
  const query = { organization_id: organizationId ?? undefined, limit: 1000 };
  return [
    toAddress(base, '/developers/me'),
    toAddress(base, '/organizations'),
    ...(isProjects ? [toAddress(base, '/projects/overview', query)] : []),
    ...(projectId === undefined ? [] : [toAddress(base, `/projects/${projectId}`)]),
  ];
}

/** Fetches, or takes what was fetched early. */
export function withEarlyAnswers(answers: EarlyAnswers, fetchNow: Fetch): Fetch {
  return (address, init) => {
    const early = answers.get(address);
    if (init.method === 'GET') answers.delete(address);
    else answers.clear();
    return init.method === 'GET' && early !== undefined ? early : fetchNow(address, init);
  };
}
