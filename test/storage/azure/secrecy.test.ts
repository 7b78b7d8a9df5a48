// Secrets of containers, their tokens and the signatures of links never appear in the log, the audit trail, errors or the database,
// whatever the services respond.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cloudOf } from '../../../src/byosa/access.ts';
import { systemContext } from '../../../src/core/transact.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/clock.ts';
import { activateContainer } from '../../../src/storage/azure/containers.ts';
import { complete, initiate, sendBytes } from '../../builds/scenario.ts';
import { type AzureFront, startAzureFront } from '../../support/azure-front.ts';
import { type Azurite, startAzurite, whyNoAzurite } from '../../support/azurite.ts';
import { buildApk, sha256 } from '../../support/fixtures.ts';
import { auditRows, signIn } from '../../support/harness.ts';
import { type CustomerScenario, startCustomerScenario } from './scenario.ts';

const missing = whyNoAzurite();
if (missing !== undefined) process.stdout.write(`secrets of containers skipped: ${missing}\n`);

/** The beginnings of tokens and of assertions; those of this server's own tokens are others. */
const TOKENS = [
  Buffer.from('{"typ":"JWT","alg":"RS256"}').toString('base64url'),
  Buffer.from('{"alg":"RS256","typ":"JWT"').toString('base64url').slice(0, -1),
];
const SIGNATURE = /[?&;]sig=[\w%+/=-]{16,}/;

describe.skipIf(missing !== undefined)('secrets of containers', () => {
  let azurite: Azurite;
  let front: AzureFront;
  let scenario: CustomerScenario;

  beforeAll(async () => {
    azurite = await startAzurite();
    front = await startAzureFront(azurite);
    front.state.secret = 'very-secret-0123456789';
    scenario = await startCustomerScenario(front);
  });
  afterAll(async () => {
    await scenario?.fixture.stop();
    await front?.stop();
    await azurite?.stop();
  });

  it('are in no log line, audit row, error, page of the operator or file of the database', async () => {
    const { fixture, ci, android } = scenario;
    const { app } = fixture;
    const written: unknown[] = [];
    const keep = (...words: unknown[]) => void written.push(words);
    for (const level of ['debug', 'info', 'warn', 'error'] as const) vi.spyOn(app.log, level).mockImplementation(keep);
    vi.spyOn(app.log, 'child').mockImplementation(() => app.log as never);
    const answers: string[] = [];
    const bytes = buildApk();
    const organization = `/api/v1/organizations/${android.organization_id}`;

    const pending = await initiate(ci, android);
    await sendBytes(pending, bytes);
    const build = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
    expect(build.status, build.text).toBe(201);
    answers.push(build.text);
    await fixture.drain();
    const link = (await ci.get<{ download_url: string }>(`/api/v1/builds/${build.body.identifier}/download`)).body;
    expect(link.download_url).toMatch(SIGNATURE);

    /** A link has a signature. */
    const refused = ({ status, text }: { status: number; text: string }) => (status < 300 ? '' : text);
    const refusedDownload = async () => refused(await ci.get(`/api/v1/builds/${build.body.identifier}/download`));
    // Services that repeat what they were sent.
    const echo = async (request: { method: string; path: RegExp }) => {
      const repeats = link.download_url.replaceAll('&', '&amp;');
      front.state.faults = [{ ...request, status: 403, code: 'AuthenticationFailed', repeats }];
      fixture.clock.advance(6 * SECOND);
      const answer = await ci.post('/api/v1/builds/initiate', { version_name: '9', build_number: 9 }, { ...android });
      answers.push(refused(answer), await refusedDownload());
      fixture.clock.advance(7 * MINUTE);
      await fixture.drain();
      const { client } = await signIn(fixture);
      for (const path of [`${organization}/storage`, '/api/v1/system', `${organization}/byosa/onboarding-request`]) {
        answers.push((await client.get(path)).text);
      }
      answers.push((await client.post(`${organization}/byosa/diagnostics`)).text);
    };
    await echo({ method: 'PUT', path: /./ });
    await echo({ method: 'HEAD', path: /./ });

    // The same with assertions instead of the secret.
    front.state.faults = [];
    const { account, tenantId, clientId } = front;
    const connection = {
      organizationId: android.organization_id,
      account,
      container: scenario.container,
      tenantId,
      clientId,
    };
    systemContext(app).transact((tx) => activateContainer(tx, { ...connection, secret: null }), { bookkeeping: true });
    front.state.issuerKeys = async () => cloudOf(app).federation.publicKeys();
    front.state.repeatsForm = true;
    fixture.clock.advance(HOUR);
    await fixture.drain();
    answers.push(await refusedDownload());
    fixture.clock.advance(7 * MINUTE);
    await fixture.drain();
    answers.push((await (await signIn(fixture)).client.get(`${organization}/storage`)).text);

    app.db.$client.pragma('wal_checkpoint(TRUNCATE)');
    const log = JSON.stringify(written, (_key, value: unknown) =>
      value instanceof Error
        ? `${value.message} ${value.stack} ${value.cause instanceof Error ? value.cause.message : ''}`
        : value,
    );
    expect(written.length).toBeGreaterThan(3);
    const texts = {
      log,
      answers: answers.join('\n'),
      audit: JSON.stringify(auditRows(fixture)),
      database: readFileSync(fixture.config.database.file, 'latin1'),
    };
    expect(texts.answers).toContain('AuthenticationFailed');
    for (const [where, text] of Object.entries(texts)) {
      for (const secret of ['very-secret-0123456789', ...TOKENS]) {
        expect([where, secret, text.includes(secret)]).toEqual([where, secret, false]);
      }
      expect([where, SIGNATURE.exec(text)?.[0]]).toEqual([where, undefined]);
    }
  });
});
