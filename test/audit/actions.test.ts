// The audit rows of all actions: they contain no secrets, and no action is missing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labelOf } from '../../src/audit/labels.ts';
import { verifyAuditTrail } from '../../src/audit/verify.ts';
import { events } from '../../src/events.ts';
import { type Providers, startProviders } from '../stores/providers.ts';
import { accountActs } from './account-acts.ts';
import { billingActs } from './billing-acts.ts';
import { deliveryActs } from './delivery-acts.ts';
import { organizationActs } from './organization-acts.ts';
import { type AuditScenario, startAuditScenario } from './scenario.ts';
import { storeActs } from './store-acts.ts';

let scenario: AuditScenario;
let providers: Providers;
beforeAll(async () => {
  providers = await startProviders(() => scenario.fixture.clock.now().getTime());
  scenario = await startAuditScenario({
    config: {
      ...providers.config,
      limits: { member_invitation_resend_minutes: 0, tester_notification_resend_minutes: 0 },
    },
  });
});
afterAll(async () => {
  await scenario?.[Symbol.asyncDispose]();
  await providers?.stop();
});

describe('each action', () => {
  it.each([...organizationActs, ...storeActs(() => providers), ...accountActs, ...deliveryActs, ...billingActs])(
    'records its events: %s',
    async (_title, rows, action) => {
      expect(await scenario.play(action)).toEqual(rows);
    },
  );
});

describe('after all actions', () => {
  const database = () => scenario.fixture.app.db.$client;
  const trail = () =>
    database()
      .prepare<[], string>(
        "SELECT identifier || details || coalesce(actor_name, '') || event || type FROM audit_events",
      )
      .pluck()
      .all();

  it('every event has been recorded', () => {
    const pairs = Object.values(events).map(({ audit }) => `${audit.event} ${audit.type}`);
    expect([...new Set(pairs)].filter((pair) => !scenario.details.has(pair))).toEqual([]);
  });

  it('no row contains a secret that was sent or emailed', () => {
    const mails = scenario.fixture.mail.messages.flatMap(({ text }) =>
      [...text.matchAll(/[\w-]{40,}/g)].map(([token]) => token),
    );
    const secrets = [...scenario.secrets, ...mails];
    // Passwords, access and refresh tokens, tokens of every other kind, links: enough of them to mean something.
    expect(secrets.length).toBeGreaterThan(80);
    const text = trail().join('\n');
    expect(secrets.filter((secret) => text.includes(secret)).length).toBe(0);
    expect(text).not.toMatch(/svc_(pat|prj|app|upd|sec)\w*_\w|\$argon2|eyJ[\w-]{10}/);
  });

  it('no row contains the hash or the encrypted form of a secret', () => {
    const text = trail().join('\n');
    const columns = database()
      .prepare<[], { name: string; column: string }>(
        `SELECT m.name, c.name AS column FROM sqlite_master m JOIN pragma_table_info(m.name) c
          WHERE m.type = 'table' AND m.name NOT LIKE 'audit_%' AND (c.name LIKE '%hash%' OR c.name LIKE '%sealed%' OR c.name LIKE '%encrypted%')`,
      )
      .all();
    expect(columns.length).toBeGreaterThan(5);
    for (const { name, column } of columns) {
      const values = database()
        .prepare<[], string>(`SELECT ${column} FROM ${name} WHERE ${column} IS NOT NULL`)
        .pluck();
      expect(values.all().filter((value) => text.includes(value)).length, `${name}.${column}`).toBe(0);
    }
  });

  it('all details are listed in docs/audit.md', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/audit.md'), 'utf8');
    const missing: string[] = [];
    for (const [pair, keys] of scenario.details) {
      const [event = '', type = ''] = pair.split(' ');
      const start = `| ${labelOf(event)} | ${labelOf(type)} | `;
      const row =
        text
          .split('\n')
          .find((line) => line.startsWith(start))
          ?.slice(start.length) ?? '';
      for (const key of keys) if (!row.includes(`\`${key}\``)) missing.push(`${pair}: ${key}`);
    }
    expect(missing).toEqual([]);
  });

  it('the chains are valid', () => {
    const { problems } = verifyAuditTrail(database(), scenario.fixture.app.secrets.keyring);
    // People who were put straight into the tables have no first event.
    expect(problems.filter(({ text }) => text !== 'the whole chain is missing')).toEqual([]);
  });
});
