// The examples of the API reference: every operation has one that is still true, they contain no secret, and the document with
// them has no warning of a linter.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { examplesFile, findExampleProblem } from '../../scripts/lib/examples/check.ts';
import { chooseExamples, writeExamples } from '../../scripts/lib/examples/choose.ts';
import { containsSecret, normalize } from '../../scripts/lib/examples/normalize.ts';
import type { Recorded } from '../../scripts/lib/examples/recorded.ts';
import { projectDir } from '../../scripts/lib/project.ts';
import { buildOpenApi, openApiSteps } from '../../src/http/openapi.ts';
import { readExamples } from '../../src/http/openapi-examples.ts';
import type { Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/operations.ts';

const examples = readExamples();
const published = operations.filter(({ isInternal }) => isInternal !== true);
const server = 'https://builds.acme.test';

/** What a test recorded when it created a project, with the ids and times of one run. */
function recordedProject(run: { at: string; port: string; ids: [string, string]; name?: string }): Recorded {
  const [organizationId, projectId] = run.ids;
  return {
    operation: 'createProject',
    status: 201,
    port: run.port,
    at: Date.parse(run.at),
    test: 'test/projects/projects.test.ts',
    request: {
      params: {},
      query: { organization_id: organizationId },
      type: 'application/json',
      body: { name: run.name ?? 'Crane', platform: 'ios' },
    },
    response: {
      type: 'application/json',
      location: null,
      body: {
        identifier: projectId,
        organization_id: organizationId,
        name: run.name ?? 'Crane',
        platform: 'ios',
        description: null,
        bundle_identifier: null,
        has_icon: true,
        size_budget_bytes: null,
        icon_url: `http://127.0.0.1:${run.port}/api/v1/projects/${projectId}/icon`,
        created_at: new Date(Date.parse(run.at) + 1_234).toISOString(),
        role: 'admin',
        siblings: [],
      },
    },
  };
}

/** An id that was created at a time. */
const idAt = (time: string, end: string) => {
  const hex = Date.parse(time).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${end.padStart(12, '0')}`;
};
const run = (at: string, port: string, end: string) => ({
  at,
  port,
  ids: [idAt(at, `1${end}`), idAt(at, `2${end}`)] as [string, string],
});

describe('the examples', () => {
  it('include every operation and fit its declaration: if not, run scripts/examples', () => {
    const problems = published.flatMap((operation) => {
      const problem = findExampleProblem(operation, examples[operation.id]);
      return problem === undefined ? [] : [`${operation.id} ${problem}`];
    });
    expect(problems).toEqual([]);
    const ids = new Set(published.map(({ id }) => id));
    expect(Object.keys(examples).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('contain no secret, no address of a test and no path of a machine', () => {
    const text = readFileSync(join(projectDir, examplesFile), 'utf8');
    expect(text.split('\n').filter(containsSecret)).toEqual([]);
    const local = /127\.0\.0\.1|localhost|\/tmp\/|\/home\/|\/root\//;
    expect(text.split('\n').filter((line) => local.test(line))).toEqual([]);
  });

  it('are in the form that scripts/examples writes', () => {
    const sorted = Object.fromEntries(Object.entries(examples).sort(([left], [right]) => (left < right ? -1 : 1)));
    expect(readFileSync(join(projectDir, examplesFile), 'utf8')).toBe(writeExamples(sorted));
  });

  it('are the same for recordings with other ids, times and ports', () => {
    const first = normalize(recordedProject(run('2026-03-01T08:00:00.000Z', '41001', '7')));
    expect(normalize(recordedProject(run('2027-09-30T23:59:59.700Z', '52002', '9')))).toEqual(first);
    expect(first.response.body).toMatchObject({
      identifier: '019bc0de-0000-7000-8000-000000000002',
      icon_url: 'https://builds.example.com/api/v1/projects/019bc0de-0000-7000-8000-000000000002/icon',
      created_at: '2026-01-15T09:30:01.000Z',
    });
  });

  it('contain made-up tokens, signatures and passwords', () => {
    const recorded = recordedProject(run('2026-03-01T08:00:00.000Z', '41001', '7'));
    const token = 'svc_prj_q7Zb2LrXw0eYk9VtGm4uHs8cNd1fPa6oJi3RxTzBQEW';
    const signature = '3vV0wY1h-bQm2nKpLr5sXt8uZa4cEd6fGh7jTk9lMoA';
    const hash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
    const { request, response } = normalize({
      ...recorded,
      request: { ...recorded.request, body: { password: 'My 1 own password', code: '604127' } },
      response: { ...recorded.response, body: { token, url: `http://localhost:41001/x?sig=${signature}`, hash } },
    });
    expect(request.body).toEqual({ password: 'correct horse battery staple', code: '123456' });
    expect(response.body).toEqual({
      token: `svc_prj_${'Example'.repeat(6)}E`,
      url: `https://builds.example.com/x?sig=${'Example'.repeat(6)}E`,
      hash: '0123456789abcdef'.repeat(4),
    });
    expect([token, signature, hash].map(containsSecret)).toEqual([true, true, true]);
    expect(containsSecret(JSON.stringify(response))).toBe(false);
  });

  it('stay while they are valid, and are replaced when the operation has changed', () => {
    const [operation] = operations.filter(({ id }) => id === 'createProject') as [Operation];
    const recorded = [recordedProject({ ...run('2026-03-01T08:00:00.000Z', '41001', '7'), name: 'Barge' })];
    const known = { createProject: normalize(recordedProject(run('2026-03-01T08:00:00.000Z', '41001', '7'))) };
    expect(chooseExamples([operation], recorded, known)).toEqual(known);
    expect(chooseExamples([operation], recorded, known, false).createProject?.request.body).toMatchObject({
      name: 'Barge',
    });
    const outdated = structuredClone(known);
    outdated.createProject.response.body = { identifier: 'x' };
    expect(chooseExamples([operation], recorded, outdated).createProject?.request.body).toMatchObject({
      name: 'Barge',
    });
    // Without a recording there is none, which the first test above reports.
    expect(chooseExamples([operation], [], outdated)).toEqual({});
    expect(chooseExamples([], recorded, known)).toEqual({});
  });

  it('leave out JSON that an operation sends as a file', () => {
    const [operation] = operations.filter(({ id }) => id === 'getLatestPackage') as [Operation];
    const { response, ...rest } = recordedProject(run('2026-03-01T08:00:00.000Z', '41001', '7'));
    const file: Recorded = {
      ...rest,
      operation: operation.id,
      status: 200,
      request: { params: { feed: run('2026-03-01T08:00:00.000Z', '41001', '7').ids[0] }, query: {} },
      response,
    };
    const chosen = { request: normalize(file).request, response: { type: 'application/json' } };
    expect(chooseExamples([operation], [file], {})).toEqual({ getLatestPackage: chosen });
    const known = { getLatestPackage: normalize(file) };
    expect(findExampleProblem(operation, known.getLatestPackage)).toBe('has a response that is not text');
    expect(chooseExamples([operation], [file], known)).toEqual({ getLatestPackage: chosen });
  });
});

describe('the OpenAPI document', () => {
  it('is built in steps of one operation each, so that a server can respond to others between them', () => {
    const steps = openApiSteps(operations, server);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    expect(step.value).toEqual(buildOpenApi(operations, server));
    expect(count).toBe(1 + operations.filter(({ isInternal }) => isInternal !== true).length);
  });

  const document = buildOpenApi(operations, server) as {
    paths: Record<
      string,
      Record<
        string,
        {
          parameters: { name: string; example?: unknown }[];
          requestBody?: { content: Record<string, { example?: unknown }> };
          responses: Record<
            string,
            { $ref?: string; headers?: object; content?: Record<string, { example?: unknown; examples?: object }> }
          >;
        }
      >
    >;
    components: { examples: Record<string, { value: { error: string } }>; responses: Record<string, object> };
  };

  it('has no warning of a linter with its strictest rules', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    const shown = problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
    expect(shown).toEqual([]);
  }, 120_000);

  it('has only patterns that other languages read in the same way', () => {
    const patterns = new Set<string>();
    const empty: unknown[] = [];
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { pattern, allOf } = value as { pattern?: unknown; allOf?: object[] };
      if (typeof pattern === 'string') patterns.add(pattern);
      if (allOf?.some((part) => Object.keys(part).length === 0)) empty.push(value);
      for (const inner of Object.values(value)) collect(inner);
    };
    collect(document);
    expect(patterns.size).toBeGreaterThan(10);
    // Python knows no \p, PHP no \u, Go no conditions, and Java has classes within classes. Without the flag `u`, \p is the letter p.
    const unportable = /\\[pPuk]|\(\?(?!:)|\[(?:[^\]\\]|\\.)*\[/;
    expect([...patterns].filter((pattern) => unportable.test(pattern))).toEqual([]);
    expect(empty).toEqual([]);
  });

  it('declares numbers of builds and bytes with 64 bits', () => {
    const short: string[] = [];
    let count = 0;
    const collect = (value: unknown, name: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { type, format, name: parameter, schema } = value as Record<string, unknown>;
      if (type === 'integer' && /build_number$|bytes$/.test(name)) {
        count += 1;
        if (format !== 'int64') short.push(name);
      }
      if (typeof parameter === 'string') collect(schema, parameter);
      for (const [key, inner] of Object.entries(value)) {
        if (!/^examples?$/.test(key)) collect(inner, /^(?:anyOf|\d+)$/.test(key) ? name : key);
      }
    };
    collect(document, '');
    expect(short).toEqual([]);
    expect(count).toBeGreaterThan(30);
  });

  it('contains the examples, with the address of the server', () => {
    const created = document.paths['/api/v1/projects']?.post;
    expect(created?.parameters.find(({ name }) => name === 'organization_id')?.example).toBe(
      examples.createProject?.request.query?.organization_id,
    );
    expect(created?.requestBody?.content['application/json']?.example).toEqual(examples.createProject?.request.body);
    expect(created?.responses['201']?.content?.['application/json']?.example).toEqual(
      examples.createProject?.response.body,
    );
    const text = JSON.stringify(document);
    expect(text).toContain(`${server}/storage/v1/`);
    expect(text).not.toContain('builds.example.com');
  });

  it('declares 402 by what rejects an operation', () => {
    const refusal = (path: string, method = 'post') => document.paths[path]?.[method]?.responses['402'];
    const organization = '/api/v1/organizations/{organization_id}';
    expect(refusal(`${organization}/billing/topup`)).toBeUndefined();
    expect(refusal(`${organization}/billing/card-capture`)).toBeUndefined();
    const byLock = { $ref: '#/components/responses/OrganizationLocked' };
    expect(refusal('/api/v1/projects')).toEqual(byLock);
    expect(refusal(`${organization}/tier`)).toEqual(byLock);
    expect(refusal('/api/v1/testers/me/devices/enrollments')).toEqual(byLock);
    const byCost = { $ref: '#/components/responses/PaymentRequired' };
    const costly = published.filter(({ hasCost }) => hasCost === true);
    expect(costly.map(({ id }) => id).sort()).toEqual([
      'completeBuild',
      'createMyInstallLink',
      'createPublicInstallLink',
      'downloadBuild',
      'downloadByCapability',
      'downloadFeedPackage',
      'downloadLatestApk',
      'downloadPublicRelease',
      'downloadUpdate',
      'getRepositoryFile',
      'initiateBuild',
    ]);
    for (const { path, method } of costly) expect(refusal(path, method), path).toEqual(byCost);
    const codes = (name: string) => {
      const { content } = document.components.responses[name] as {
        content: Record<string, { examples: Record<string, unknown> }>;
      };
      return Object.keys(content['application/json']?.examples ?? {});
    };
    const locks = ['trial_ended', 'payment_required', 'billing_suspended'];
    expect(codes('OrganizationLocked')).toEqual(locks);
    expect(codes('PaymentRequired')).toEqual([...locks, 'prepaid_credit_exhausted', 'spend_cap_exceeded']);
  });

  it('declares 403 for forms of pages that know the session of a browser', () => {
    const forms = published.filter(
      ({ access, method }) => access.kind === 'anonymous' && access.recognizesSession === true && method !== 'get',
    );
    expect(forms.map(({ id }) => id).sort()).toEqual([
      'askForChannelAccess',
      'askForChannelAccessAtShortAddress',
      'joinChannel',
      'registerDeviceAtChannel',
      'registerDeviceAtShortAddress',
      'sendFeedbackFromPage',
    ]);
    for (const { path } of forms)
      expect(Object.keys(document.paths[path]?.post?.responses ?? {}), path).toContain('403');
  });

  it('declares errors of pages as pages and as JSON', () => {
    const pages = published.filter(
      ({ returns }) => 'kind' in returns && returns.kind === 'media' && returns.type === 'text/html',
    );
    expect(pages.map(({ id }) => id)).toContain('showCapabilityPage');
    for (const { id, path, method } of pages) {
      for (const [status, response] of Object.entries(document.paths[path]?.[method]?.responses ?? {})) {
        const types = Object.keys(response.content ?? {});
        const isError = status === 'default' || Number(status) >= 400;
        if (isError) expect(types, `${id} ${status}`).toEqual(['application/json', 'text/html']);
      }
    }
  });

  it('declares files of JSON as objects', () => {
    for (const format of ['latest.json', 'altstore.json']) {
      const { content } = document.paths[`/feeds/{feed}/${format}`]?.get?.responses['200'] ?? {};
      expect(content, format).toEqual({
        'application/json': { schema: { type: 'object', additionalProperties: true } },
      });
    }
  });

  it('declares the headers that callers need', () => {
    const audit = document.paths['/api/v1/audit/organization/{organization_id}']?.get?.responses;
    expect(audit?.['200']?.headers).toEqual({
      'X-Audit-Truncated': {
        required: false,
        description: 'true if there are more events than the response has',
        schema: { type: 'string' },
      },
    });
    const retryAfter = {
      'Retry-After': { required: false, description: 'When to retry, in seconds', schema: { type: 'string' } },
    };
    expect(audit?.['503']?.headers).toEqual(retryAfter);
    expect(document.components.responses.AnyOther).toMatchObject({ headers: retryAfter });
    expect(document.paths['/api/v1/projects']?.post?.responses['400']?.headers).toBeUndefined();
  });

  it('has an example of each error that is the same everywhere', () => {
    expect(document.paths['/api/v1/projects']?.post?.responses['401']).toEqual({
      $ref: '#/components/responses/Unauthorized',
    });
    for (const [code, { value }] of Object.entries(document.components.examples)) expect(value.error).toBe(code);
    expect(document.components.responses.NotFound).toEqual({
      description: "Doesn't exist, or the caller has no access",
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: { not_found: { $ref: '#/components/examples/not_found' } },
        },
      },
    });
  });
});
