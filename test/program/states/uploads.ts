// States of uploads and builds.
import { expect } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/clock.ts';
import { complete, initiate, type Project, sendBytes, uploadBuild } from '../../builds/scenario.ts';
import { buildApk, sha256 } from '../../support/fixtures.ts';
import { type Client, expectRefusal } from '../../support/harness.ts';
import { addPerson, personalTokenClient } from '../../support/people.ts';
import type { TesterScenario } from '../../testers/scenario.ts';
import { makeProject, type Shows, whileLocked } from './move.ts';

/** The size limit of the scenario, which the configuration of this test sets low. */
export const SIZE_LIMIT = 65_536;
const IDENTITY = { version_name: '1.0', build_number: 1 };
const LOCKS = [
  ['suspended', 'billing_suspended'],
  ['awaiting_payment', 'payment_required'],
  ['grace', 'trial_ended'],
] as const;

const tryInitiate = (client: Client, project: Project, body: object = IDENTITY) =>
  client.post('/api/v1/builds/initiate', body, { ...project });

async function makeBuild(scenario: TesterScenario) {
  const project = await makeProject(scenario);
  const { identifier } = await uploadBuild(scenario.admin, project, buildApk(), IDENTITY);
  return { project, path: `/api/v1/builds/${identifier}`, identifier };
}

/** Callers who see the project and may not do it, each with the refusal they get. */
async function notAllowed({ fixture, admin }: TesterScenario, project: Project) {
  const inOrganization = { organizations: { [project.organization_id]: 'member' as const } };
  const uploader = await addPerson(fixture, {
    ...inOrganization,
    projects: { [project.project_id]: 'read_download_upload' },
  });
  const outsider = await addPerson(fixture);
  const scoped = personalTokenClient(fixture, {
    organizationId: project.organization_id,
    developerId: fixture.admin.developer_id,
    scopes: 1n + 2n,
  });
  return [
    [uploader.client, 404, 'not_found'],
    [outsider.client, 404, 'not_found'],
    [scoped, 403, 'permission_denied'],
    [admin.as(null), 401, 'unauthorized'],
  ] as const;
}

const isListed = async ({ admin }: TesterScenario, project: Project, status: 'active' | 'revoked') =>
  (await admin.get<{ items: unknown[] }>('/api/v1/builds', { ...project, status })).body.items.length === 1;

export const uploadShows: Shows = {
  'Upload: none, initiate': {
    moves: {
      'to a pending upload with a signed URL': async (scenario) => {
        const project = await makeProject(scenario);
        const pending = await initiate(scenario.admin, project, IDENTITY);
        expect(pending.pending_upload_id).toMatch(/^[0-9a-f-]{36}$/);
        expect(new URL(pending.upload_url).searchParams.get('sig')).toBeTruthy();
        expect(await sendBytes(pending, buildApk())).toBe(201);
      },
    },
    stays: {
      'while a pending upload or a build holds the identity': async (scenario) => {
        const project = await makeProject(scenario);
        const pending = await initiate(scenario.admin, project, IDENTITY);
        expectRefusal(await tryInitiate(scenario.admin, project), 409, 'already_exists');
        await sendBytes(pending, buildApk());
        await complete(scenario.admin, project, pending.pending_upload_id);
        expectRefusal(await tryInitiate(scenario.admin, project), 409, 'already_exists');
      },
      'while 25 are in flight': async (scenario) => {
        const project = await makeProject(scenario);
        const first = await initiate(scenario.admin, project, { build_number: 1 });
        for (let number = 2; number <= 25; number++) await initiate(scenario.admin, project, { build_number: number });
        expectRefusal(await tryInitiate(scenario.admin, project), 429, 'rate_limit_exceeded');
        await sendBytes(first, buildApk());
        expect((await complete(scenario.admin, project, first.pending_upload_id)).status).toBe(201);
        await initiate(scenario.admin, project, IDENTITY);
      },
      'while billing has locked the organization': async (scenario) => {
        const project = await makeProject(scenario);
        for (const [reason, code] of LOCKS) {
          const answer = await whileLocked(scenario, reason, () => tryInitiate(scenario.admin, project));
          expect(expectRefusal(answer, 402, code)).toEqual({ lock_reason: reason });
        }
        await initiate(scenario.admin, project, IDENTITY);
      },
    },
  },

  'Upload: pending, complete': {
    moves: {
      'to an active build that keeps the checksum it was given': async (scenario) => {
        const project = await makeProject(scenario);
        const pending = await initiate(scenario.admin, project, IDENTITY);
        await sendBytes(pending, buildApk());
        // A fingerprint of the client, not one of the bytes.
        const checksum = sha256(Buffer.from('something else'));
        const { status, body } = await complete(scenario.admin, project, pending.pending_upload_id, checksum);
        expect([status, body]).toMatchObject([201, { ...IDENTITY, ...project, sha256: checksum, revoked_at: null }]);
        const { released_to, over_budget_bytes, ...build } = body;
        expect([released_to, over_budget_bytes]).toEqual([[], null]);
        expect((await scenario.admin.get(`/api/v1/builds/${body.identifier}`)).body).toEqual(build);
        expect(await isListed(scenario, project, 'active')).toBe(true);
      },
      'with exactly as many bytes as may be': async (scenario) => {
        const project = await makeProject(scenario);
        const { size_bytes } = await uploadBuild(scenario.admin, project, Buffer.alloc(SIZE_LIMIT), IDENTITY);
        expect(size_bytes).toBe(SIZE_LIMIT);
      },
    },
    stays: {
      'with one byte more': async (scenario) => {
        const project = await makeProject(scenario);
        const pending = await initiate(scenario.admin, project, IDENTITY);
        await sendBytes(pending, Buffer.alloc(SIZE_LIMIT + 1));
        const answer = await complete(scenario.admin, project, pending.pending_upload_id);
        expectRefusal(answer, 413, 'payload_too_large');
        expect(await isListed(scenario, project, 'active')).toBe(false);
        expectRefusal(await tryInitiate(scenario.admin, project), 409, 'already_exists');
      },
      'before any bytes have arrived': async (scenario) => {
        const project = await makeProject(scenario);
        const pending = await initiate(scenario.admin, project, IDENTITY);
        const answer = await complete(scenario.admin, project, pending.pending_upload_id);
        expectRefusal(answer, 400, 'operation_not_allowed');
        expect(await isListed(scenario, project, 'active')).toBe(false);
      },
      'while billing has locked the organization': async (scenario) => {
        const project = await makeProject(scenario);
        const pending = await initiate(scenario.admin, project, IDENTITY);
        await sendBytes(pending, buildApk());
        const finish = () => complete(scenario.admin, project, pending.pending_upload_id);
        for (const [reason, code] of LOCKS) {
          expectRefusal(await whileLocked(scenario, reason, finish), 402, code);
        }
        expect(await isListed(scenario, project, 'active')).toBe(false);
        expect((await finish()).status).toBe(201);
      },
    },
  },

  'Upload: pending, an hour passes': {
    moves: {
      'to expired after an hour, and to nothing by the sweep, which releases the identity': async (scenario) => {
        const { fixture, admin } = scenario;
        const project = await makeProject(scenario);
        const pending = await initiate(admin, project, IDENTITY);
        await sendBytes(pending, buildApk());
        fixture.clock.advance(HOUR);
        expect(await sendBytes(pending, buildApk())).toBe(403);
        expect((await complete(admin, project, pending.pending_upload_id)).status).toBe(400);
        expectRefusal(await tryInitiate(admin, project), 409, 'already_exists');
        expect(await fixture.sweep('pending-uploads')).toBeGreaterThan(0);
        expectRefusal(await complete(admin, project, pending.pending_upload_id), 404, 'not_found');
        expect(await fixture.app.storage.head(`pending/${pending.pending_upload_id}`)).toBeUndefined();
        await initiate(admin, project, IDENTITY);
      },
    },
    stays: {
      'until the hour has passed': async (scenario) => {
        const { fixture, admin } = scenario;
        await fixture.sweep('pending-uploads');
        const project = await makeProject(scenario);
        const pending = await initiate(admin, project, IDENTITY);
        fixture.clock.advance(HOUR - MINUTE);
        expect(await sendBytes(pending, buildApk())).toBe(201);
        fixture.clock.set(new Date(Date.parse(pending.expires_at) - 5 * SECOND));
        await fixture.sweep('pending-uploads');
        expect((await complete(admin, project, pending.pending_upload_id)).status).toBe(201);
      },
    },
  },

  'Build: active, revoke': {
    moves: {
      'to revoked: still there, listed as such, and no longer served': async (scenario) => {
        const { admin } = scenario;
        const { project, path } = await makeBuild(scenario);
        const answer = await admin.post(`${path}/revoke`);
        expect([answer.status, answer.body.revoked_at]).toEqual([200, expect.stringMatching(/Z$/)]);
        expect((await admin.get(path)).body).toEqual(answer.body);
        expect([await isListed(scenario, project, 'active'), await isListed(scenario, project, 'revoked')]).toEqual([
          false,
          true,
        ]);
        expectRefusal(await admin.get(`${path}/download`), 400, 'operation_not_allowed');
      },
    },
    stays: {
      'where the caller is not allowed': async (scenario) => {
        const { project, path } = await makeBuild(scenario);
        for (const [client, status, code] of await notAllowed(scenario, project)) {
          expectRefusal(await client.post(`${path}/revoke`), status, code);
        }
        expect((await scenario.admin.get(path)).body.revoked_at).toBeNull();
      },
    },
  },

  'Build: active or revoked, delete': {
    moves: {
      'from active to nothing': async (scenario) => {
        const { path } = await makeBuild(scenario);
        expect((await scenario.admin.delete(path)).status).toBe(204);
        expectRefusal(await scenario.admin.get(path), 404, 'not_found');
      },
      'from revoked to nothing, which frees the identity': async (scenario) => {
        const { project, path } = await makeBuild(scenario);
        await scenario.admin.post(`${path}/revoke`);
        expectRefusal(await tryInitiate(scenario.admin, project), 409, 'already_exists');
        expect((await scenario.admin.delete(path)).status).toBe(204);
        expectRefusal(await scenario.admin.get(path), 404, 'not_found');
        expect(await isListed(scenario, project, 'revoked')).toBe(false);
        await initiate(scenario.admin, project, IDENTITY);
      },
    },
    stays: {
      'where the caller is not allowed': async (scenario) => {
        const { project, path } = await makeBuild(scenario);
        for (const [client, status, code] of await notAllowed(scenario, project)) {
          expectRefusal(await client.delete(path), status, code);
        }
        expect((await scenario.admin.get(path)).status).toBe(200);
      },
    },
  },
};
