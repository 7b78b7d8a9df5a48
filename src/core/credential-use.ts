// Last-used times of credentials, collected in memory and written once a second in one transaction. They may be lost.
import { eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { type Db, prepared } from '../data/database.ts';
import { keepRowCache } from '../data/row-cache.ts';
import { personalAccessTokens, projectAccessTokens, sessions } from '../data/tables/tables.ts';
import type { Clock } from '../lib/clock.ts';

type UsedCredential = 'session' | 'personal_access_token' | 'project_access_token';

export interface CredentialUseParts {
  db: Db;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  intervalMs?: number;
}

export interface CredentialUse {
  /** Records that a credential was used now. */
  noteUse(kind: UsedCredential, id: string): void;
  /** Writes the collected times. */
  flush(): void;
  stop(): void;
}

const touchQueries = {
  session: prepared((db) =>
    db
      .update(sessions)
      .set({ lastUsedAt: sql`${sql.placeholder('at')}` })
      .where(eq(sessions.id, sql.placeholder('id')))
      .prepare(),
  ),
  personal_access_token: prepared((db) =>
    db
      .update(personalAccessTokens)
      .set({ lastUsedAt: sql`${sql.placeholder('at')}` })
      .where(eq(personalAccessTokens.id, sql.placeholder('id')))
      .prepare(),
  ),
  project_access_token: prepared((db) =>
    db
      .update(projectAccessTokens)
      .set({ lastUsedAt: sql`${sql.placeholder('at')}` })
      .where(eq(projectAccessTokens.id, sql.placeholder('id')))
      .prepare(),
  ),
};

/**
 * Collects uses and writes them every `intervalMs`. The timer doesn't keep the process alive. If the database is full or busy,
 * the times are lost, because that must not stop a server that can still answer requests.
 */
export function createCredentialUse({ db, clock, log, intervalMs = 1_000 }: CredentialUseParts): CredentialUse {
  const uses = new Map<string, { kind: UsedCredential; id: string; at: number }>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (uses.size === 0) return;
    const batch = [...uses.values()];
    uses.clear();
    try {
      const touch = db.$client.transaction(() => {
        for (const use of batch) touchQueries[use.kind]({ db }).run({ id: use.id, at: use.at });
      });
      keepRowCache({ db }, () => touch.immediate());
    } catch (error) {
      log.warn({ err: error, uses: batch.length }, 'last-used times not written');
    }
  }

  return {
    noteUse(kind, id) {
      const at = clock.time();
      const noted = uses.get(id);
      if (noted === undefined) uses.set(id, { kind, id, at });
      else noted.at = at;
      timer ??= setTimeout(flush, intervalMs).unref();
    },
    flush,
    stop: flush,
  };
}
