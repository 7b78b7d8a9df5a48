// A fixture that runs actions in sequence and returns the audit rows of each. Collects all secrets that are transferred, to
// search for them in the trail afterwards.
import { expect } from 'vitest';
import { type Fixture, type FixtureOptions, startFixture } from '../../src/testing/fixture.ts';
import { type Answer, auditMark, auditRows, type Client, type Json } from '../support/harness.ts';

export interface AuditScenario extends AsyncDisposable {
  fixture: Fixture;
  /** What actions leave for those after them. */
  kept: Record<string, string>;
  secrets: Set<string>;
  /** Details of the rows so far, by `event type`. */
  details: Map<string, Set<string>>;
  /** The rows that an action leaves, as `event type`. */
  play(action: Action): Promise<string[]>;
}

type Action = (scenario: AuditScenario) => Promise<unknown>;
/** What is done, the rows it leaves in order, and how it is done. */
export type Act = [title: string, rows: string[], action: Action];

const SECRET_FIELD =
  /^(token|.*_token|.*_tokens|password|.*_password|secret|.*_secret|recovery_codes|code|.*_code|otpauth_uri|upload_url|download_url|capability)$/;
/** Shorter ones, such as the six digits of an authenticator, stand in ids by chance. */
const SHORTEST = 8;

export async function startAuditScenario(options: FixtureOptions = {}): Promise<AuditScenario> {
  const secrets = new Set<string>();
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    if (typeof init?.body === 'string') collect(secrets, init.body);
    const response = await original(input, init);
    if (response.headers.get('content-type')?.startsWith('application/json') === true) {
      collect(secrets, await response.clone().text());
    }
    for (const cookie of response.headers.getSetCookie()) keep(secrets, cookie.split(/[=;]/)[1]);
    return response;
  };
  const fixture = await startFixture(options);
  const scenario: AuditScenario = {
    fixture,
    kept: {},
    secrets,
    details: new Map(),
    async play(action) {
      const mark = auditMark(fixture);
      await action(scenario);
      const rows = auditRows(fixture, { after: mark });
      for (const { event, type, details } of rows) {
        const known = scenario.details.get(`${event} ${type}`) ?? new Set();
        for (const key of Object.keys(details)) known.add(key);
        scenario.details.set(`${event} ${type}`, known);
      }
      return rows.map(({ event, type }) => `${event} ${type}`);
    },
    async [Symbol.asyncDispose]() {
      globalThis.fetch = original;
      await fixture.stop();
    },
  };
  return scenario;
}

function keep(secrets: Set<string>, value: unknown): void {
  if (typeof value === 'string' && value.length >= SHORTEST) secrets.add(value);
}

function collect(secrets: Set<string>, text: string): void {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return;
  }
  const walk = (value: unknown, isSecret: boolean): void => {
    if (isSecret) keep(secrets, value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      walk(inner, Array.isArray(value) ? isSecret : SECRET_FIELD.test(name));
    }
  };
  walk(body, false);
}

/** The body of an answer that must have gone well. */
export async function done<Body = Json>(answer: Promise<Answer<Body>>): Promise<Body> {
  const { status, body, text } = await answer;
  expect(status, text).toBeLessThan(400);
  return body;
}

/** The identifier in the answer of what was just made. */
export async function made(answer: Promise<Answer<Json>>): Promise<string> {
  return String((await done(answer)).identifier);
}

/** Sends one small picture as a file. */
export function sendPicture(client: Client, path: string): Promise<Answer<Json>> {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const form = new FormData();
  form.set('file', new Blob([png], { type: 'image/png' }), 'picture.png');
  return client.send('POST', path, { rawBody: form });
}
