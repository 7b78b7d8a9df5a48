// The status of the service: health, version, limits and the description of the API.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Context } from '../../src/core/context.ts';
import { operations } from '../../src/operations.ts';
import { documentationRoutes } from '../../src/service/documentation.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Client } from '../support/harness.ts';

type Json = Record<string, unknown>;
interface Described {
  operationId: string;
  parameters: { name: string; in: string; required: boolean }[];
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
  security: Json[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
}
interface Schema {
  $ref?: string;
  writeOnly?: boolean;
  properties?: Record<string, Schema>;
  additionalProperties?: Json;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
interface OpenApi {
  openapi: string;
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
}

let fixture: Fixture;
let anonymous: Client;
let document: OpenApi;
const answered: string[] = [];
beforeAll(async () => {
  fixture = await startFixture();
  anonymous = api(fixture, null);
  const note = (path: string) => () => answered.push(path);
  const asked = anonymous.get<OpenApi>('/api/openapi.json');
  await Promise.all([
    asked.then(note('/api/openapi.json')),
    ...Array.from({ length: 5 }, () => anonymous.get('/health/live').then(note('/health/live'))),
  ]);
  document = (await asked).body;
});
afterAll(() => fixture?.stop());

/** Every operation but those of the operator. */
const published = operations.filter((row) => row.isInternal !== true);
const described = () => Object.values(document.paths).flatMap((item) => Object.values(item));

describe('health', () => {
  it('is alive and ready', async () => {
    expect((await anonymous.get('/health/live')).body).toEqual({ status: 'ok' });
    const ready = await anonymous.get<{ status: string; checks: Record<string, { ok: boolean }> }>('/health/ready');
    expect([ready.status, ready.body.status]).toEqual([200, 'ready']);
    expect(Object.keys(ready.body.checks)).toEqual(['database', 'migrations', 'storage', 'disk']);
    // Anyone may ask, and where things lie is nobody's business.
    expect(ready.text).not.toContain(fixture.config.server.data_dir);
  });
  it('is checked at most once a second', async () => {
    const check = vi.spyOn(fixture.app.storage, 'check');
    onTestFinished(() => check.mockRestore());
    fixture.clock.advance(2000);
    await Promise.all(Array.from({ length: 20 }, () => anonymous.get('/health/ready')));
    expect(check).toHaveBeenCalledTimes(1);
    fixture.clock.advance(1001);
    await anonymous.get('/health/ready');
    expect(check).toHaveBeenCalledTimes(2);
  });
  it('is not ready without its storage, but still alive', async () => {
    const broken = await startFixture();
    rmSync(join(broken.config.storage.local.directory), { recursive: true });
    const ready = await api(broken, null).get<{ status: string; checks: { storage: { ok: boolean } } }>(
      '/health/ready',
    );
    expect([ready.status, ready.body.status, ready.body.checks.storage.ok]).toEqual([503, 'not_ready', false]);
    expect(ready.text).not.toContain(broken.config.server.data_dir);
    expect((await api(broken, null).get('/health/live')).status).toBe(200);
    await broken.stop();
  });
});

describe('the service', () => {
  it('returns its versions, features and limits', async () => {
    const { body } = await anonymous.get<{ limits: Json; plans: Json }>('/api/v1/service');
    expect(body).toMatchObject({
      name: 'Taxiway',
      api_versions: ['v1'],
      features: { new_organizations: true, billing: false, online_payments: false, business: 'available' },
    });
    expect(body.limits).toMatchObject({
      organizations_per_developer: 5,
      projects_per_organization: 50,
      passkeys_per_developer: 20,
      build_size_bytes: 500 * 1024 * 1024,
      icon_size_bytes: 1024 * 1024,
      pending_uploads_per_project: 25,
      page_size_default: 100,
      page_size_maximum: 1000,
    });
    expect(body.plans).toEqual({
      team: { build_retention_days: 30, audit_retention_days: 90, sso: false },
      business: { build_retention_days: 365, audit_retention_days: 365, sso: true },
    });
    expect((await anonymous.get('/api/v1/platforms')).body).toEqual(['ios', 'android']);
    expect(Object.keys((await anonymous.get('/api/v1/version')).body)).toEqual(['version', 'commit', 'built_at']);
  });
});

describe('the root', () => {
  it('shows browsers the service, without a script', async () => {
    const page = await anonymous.get('/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('distributes test builds');
    expect(page.text).not.toContain('<script');
  });
});

describe('the OpenAPI document', () => {
  it('delays no other request when it is built for the first one', () => {
    expect(answered).toEqual([...Array.from({ length: 5 }, () => '/health/live'), '/api/openapi.json']);
  });
  it('is version 3.1 and contains every public operation and no others', () => {
    expect(document.openapi).toBe('3.1.0');
    const documented = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, row]) => `${row.operationId} ${method} ${path}`),
    );
    expect(documented.sort()).toEqual(published.map((row) => `${row.id} ${row.method} ${row.path}`).sort());
  });
  it('is built again for the next request if building it failed', async () => {
    let isBroken = true;
    const broken = operations.map((row) =>
      row.id === 'getVersion'
        ? Object.defineProperty({ ...row }, 'summary', {
            get() {
              if (isBroken) throw new Error('unreadable');
              return row.summary;
            },
          })
        : row,
    );
    const described = documentationRoutes(() => broken).find(({ id }) => id === 'getOpenApi');
    const ask = async () =>
      (await described?.run({ config: fixture.config } as Context, {} as never)) as { body: Buffer };
    await expect(ask()).rejects.toThrow('unreadable');
    isBroken = false;
    const { body } = await ask();
    expect(JSON.parse(body.toString())).toEqual(document);
    // Clients that read slowly share the bytes.
    expect((await ask()).body).toBe(body);
    expect(body).toBeInstanceOf(Buffer);
  });
  it('declares no 409 and no 429, and 401 exactly for operations with a credential', () => {
    const declared = described().flatMap((row) => Object.keys(row.responses));
    expect(declared).not.toContain('409');
    expect(declared).not.toContain('429');
    for (const row of described().filter((row) => row.security.length > 0)) {
      expect([row.operationId, '401' in row.responses]).toEqual([row.operationId, true]);
    }
  });
  it('describes each tag in a sentence', () => {
    expect(document.tags.filter(({ description }) => !/ .*\.$/.test(description))).toEqual([]);
  });
  it('declares JSON and CSV of what is returned as either', () => {
    for (const id of ['exportFeedback', 'listChannelTesters']) {
      const row = described().find(({ operationId }) => operationId === id);
      expect(Object.keys(row?.responses[200]?.content ?? {})).toEqual(['application/json', 'text/csv']);
    }
  });
  it('declares the bodies of errors that are not the envelope, and 304 of all that has an ETag', () => {
    const declared = (id: string, status: number) => {
      const row = described().find(({ operationId }) => operationId === id);
      return row?.responses[status]?.content?.['application/json']?.schema;
    };
    const [envelope, readiness] = ['Error', 'Readiness'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const bare = { $ref: '#/components/schemas/BareError' };
    expect(declared('getSso', 404)).toEqual({ anyOf: [envelope, bare] });
    expect(declared('getByosaOnboardingRequest', 404)).toEqual({ anyOf: [envelope, bare] });
    expect(document.components.schemas.BareError).toMatchObject({ required: ['error'] });
    expect(declared('getReadiness', 503)).toEqual({ anyOf: [envelope, readiness] });
    const conditional = described().filter(({ responses }) => '304' in responses);
    expect(conditional.map(({ operationId }) => operationId).sort()).toEqual([
      'downloadLatestApk',
      'getAltStoreSource',
      'getAtomFeed',
      'getAvatar',
      'getFeedIcon',
      'getLatestPackage',
      'getLatestRelease',
      'getOrganizationIcon',
      'getProjectIcon',
      'getProjectIconOfOrganization',
      'getPublicOrganizationIcon',
      'getRepositoryFile',
      'getRepositoryIcon',
      'getScreenshot',
      'getScriptClient',
      'getShellUploader',
      'getUploaderAvatar',
      'showObtainiumPage',
    ]);
  });
  it('contains the credentials of each operation', () => {
    const security = (id: string) =>
      described()
        .find((row) => row.operationId === id)
        ?.security.flatMap((entry) => Object.keys(entry));
    expect(security('getService')).toEqual([]);
    expect(security('createOrganization')).toEqual(['access_token', 'access_cookie']);
    expect(security('getBuild')).toEqual([
      'access_token',
      'access_cookie',
      'personal_access_token',
      'project_access_token',
    ]);
  });
  it('contains every path parameter, and only refers to its own definitions', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      for (const row of Object.values(item)) {
        const declared = row.parameters.filter((parameter) => parameter.in === 'path');
        expect(declared.map((parameter) => parameter.name).sort()).toEqual(names.sort());
        expect(declared.every((parameter) => parameter.required)).toBe(true);
        if (row.requestBody !== undefined) expect(typeof row.requestBody.required).toBe('boolean');
      }
    }
    const references = JSON.stringify(document).match(/"\$ref":"([^"]+)"/g) ?? [];
    const names = new Set(references.map((reference) => reference.slice(8, -1)));
    const defined = Object.entries(document.components).flatMap(([kind, all]) =>
      Object.keys(all).map((key) => `#/components/${kind}/${key}`),
    );
    expect([...names].filter((name) => !defined.includes(name))).toEqual([]);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect([name, schema.$ref]).toEqual([name, undefined]);
    }
  });
  it('contains named shapes', () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual(
      expect.arrayContaining([
        'BuildResponse',
        'BuildPage',
        'BuildStatusFilter',
        'BuildDownloadResponse',
        'Channel',
        'ChannelPage',
        'ChannelAnalytics',
        'Platform',
        'OrganizationMemberRole',
        'ProjectDeveloperRole',
        'TokenResponse',
      ]),
    );
    expect(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
  });
  it('marks every secret in requests as write-only, and nothing in responses', () => {
    const resolve = (schema: Schema): Schema =>
      schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema);
    const secrets: string[] = [];
    const unmarked: string[] = [];
    const shown: string[] = [];
    const walk = (schema: Schema, way: Schema[], visit: (name: string, property: Schema) => boolean): void => {
      const whole = resolve(schema);
      if (way.includes(whole)) return;
      const parts = [whole.items, ...(whole.anyOf ?? []), ...(whole.oneOf ?? []), ...(whole.allOf ?? [])];
      for (const part of parts) if (part !== undefined) walk(part, [...way, whole], visit);
      for (const [name, property] of Object.entries(whole.properties ?? {})) {
        // What is in a secret is one too.
        if (visit(name, property)) walk(property, [...way, whole], visit);
      }
    };
    const schemasIn = (content: Record<string, { schema: Json }> | undefined) =>
      Object.values(content ?? {}).map(({ schema }) => schema as Schema);
    for (const row of described()) {
      for (const schema of schemasIn(row.requestBody?.content)) {
        walk(schema, [], (name, property) => {
          const isMarked = property.writeOnly === true;
          if (/password|secret|token|code|key|assertion|attestation|credential|signature/i.test(name)) {
            (isMarked ? secrets : unmarked).push(name);
          }
          return !isMarked;
        });
      }
      for (const { content } of Object.values(row.responses)) {
        for (const schema of schemasIn(content)) {
          walk(schema, [], (name, property) => {
            if (property.writeOnly === true) shown.push(`${row.operationId} ${name}`);
            return true;
          });
        }
      }
    }
    expect(secrets).toEqual(
      expect.arrayContaining([
        'password',
        'token',
        'current_password',
        'mfa_code',
        'refresh_token',
        'code',
        'app_secret',
      ]),
    );
    // Ids and a switch.
    expect(new Set(unmarked)).toEqual(new Set(['key_id', 'passkey_challenge_id', 'passkey_satisfies']));
    expect(shown).toEqual([]);
  });
  it('declares the page for forms and pages, successful or not, and JSON for programs', () => {
    const types = ({ content }: { content?: object }) => Object.keys(content ?? {});
    const forms = described().filter(
      (row) => row.requestBody?.content['application/x-www-form-urlencoded'] !== undefined,
    );
    expect(forms.map((row) => row.operationId).sort()).toEqual(
      published
        .filter((row) => row.acceptsForm === true)
        .map((row) => row.id)
        .sort(),
    );
    for (const row of forms) {
      for (const [status, response] of Object.entries(row.responses)) {
        const expected = ['204', '302'].includes(status) ? [] : ['application/json', 'text/html'];
        expect([row.operationId, status, types(response)]).toEqual([row.operationId, status, expected]);
      }
    }
    const others = described().filter((row) => !forms.includes(row));
    const withErrorPages = others.filter((row) =>
      Object.entries(row.responses).some(
        ([status, response]) => status >= '400' && types(response).includes('text/html'),
      ),
    );
    const pages = others.filter((row) => types(row.responses['200'] ?? {}).includes('text/html'));
    expect(withErrorPages.map((row) => row.operationId)).toEqual(pages.map((row) => row.operationId));
  });
  it('describes the values of records, and has no recursive shapes, which generated types could not compile', () => {
    const { properties } = document.components.schemas.BuildSigningIos as { properties: Record<string, Schema> };
    expect(properties.entitlements?.additionalProperties).toEqual({ description: 'Any JSON value' });
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect([name, JSON.stringify(schema).includes(`"#/components/schemas/${name}"`)]).toEqual([name, false]);
    }
  });
  it('describes a build', () => {
    const { properties, required } = document.components.schemas.BuildResponse as {
      properties: Json;
      required: string[];
    };
    expect(Object.keys(properties)).toEqual(
      expect.arrayContaining(['identifier', 'sha256', 'revoked_at', 'has_icon', 'inspection_status', 'size_bytes']),
    );
    expect(required).toEqual(expect.arrayContaining(['identifier', 'version_name', 'build_number', 'uploaded_at']));
  });
});

describe('the API reference', () => {
  it('is in the documentation', async () => {
    const answer = await anonymous.get('/api/docs');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs/api.html']);
  });
});
