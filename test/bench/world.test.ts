// The worlds of scripts/bench are data that the program could have written.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openWorld } from '../../bench/world.ts';
import { verifyAuditTrail } from '../../src/audit/verify.ts';
import { compareTotals } from '../../src/data/totals.ts';

it('a world has an audit trail without gaps, in which each person has a chain, and right totals', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'taxiway-world-'));
  const size = { builds: 20, downloads: 20, installs: 10, audit: 40, people: 20 };
  try {
    const { folder, plan } = await openWorld(size, { say: () => undefined, isFresh: true, parent });
    const client = new Sqlite(join(folder, 'taxiway.db'), { readonly: true });
    try {
      const { problems, unlisted, rows, heads } = verifyAuditTrail(client, undefined);
      expect([problems, unlisted]).toEqual([[], 0]);
      // The organization, two others, the owner, the testers and the members were created; 2 of the 40 events are of the service.
      expect(rows).toBe(size.audit + 4 + plan.testers + size.people);
      expect(heads).toHaveLength(4 + plan.testers + size.people + 1);
      expect(compareTotals(client)).toEqual([]);
    } finally {
      client.close();
    }
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
