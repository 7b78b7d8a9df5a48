// Makes a recorded exchange the same in every run, and fit to be published: ids, times, addresses, tokens and secrets become
// fixed ones, and lists become short.
import { EXAMPLE_SERVER, type ExampleExchange } from '../../../src/http/openapi-examples.ts';
import type { Recorded } from './recorded.ts';

/** The time of the first moment in every example. */
const FIRST_MOMENT = Date.parse('2026-01-15T09:30:00.000Z');
const DAY = 86_400_000;
/** Moments this far from the recording come from the clock of the server; others are fixed by the test. */
const BEFORE = 60 * DAY;
const AFTER = 4_000 * DAY;
const MOST_ITEMS = 2;
const MOST_CHARACTERS = 600;

const PASSWORD = 'correct horse battery staple';
const PRIVATE_KEY = '-----BEGIN PRIVATE KEY-----\nExample\n-----END PRIVATE KEY-----\n';
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/gi;
const moment = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const day = /\b\d{4}-\d\d-\d\d\b(?!T)/g;
const localAddress = /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d+))?/g;
/** Random text: tokens, signatures, hashes. */
const randomText = /[A-Za-z0-9_-]{16,}/g;
const base64 = /^[A-Za-z0-9+/]{24,}={0,2}$/;

/** Whether a run of characters looks random: a token in base64url, hex or base32. */
function isRandom(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0;
  if (/^[0-9a-f]{24,}$/.test(text)) return digits > 2;
  if (/^[A-Z2-7]{16,}$/.test(text)) return digits > 0;
  return text.length >= 20 && digits > 0 && /[a-z]/.test(text) && /[A-Z]/.test(text);
}

/** Returns text of the same length and alphabet that anyone recognizes as made up. */
function madeUp(text: string): string {
  const fill = (pattern: string) => pattern.repeat(Math.ceil(text.length / pattern.length)).slice(0, text.length);
  if (/^[0-9a-f]+$/.test(text)) return fill('0123456789abcdef');
  if (/^[A-Z2-7]+$/.test(text)) return fill('EXAMPLE');
  const [prefix = ''] = /^(?:svc_[a-z]+_|eyJ)/.exec(text) ?? [];
  return `${prefix}${fill('Example').slice(0, text.length - prefix.length)}`;
}

/** Whether text contains something random that isn't made up. Tests check that no example does. */
export function containsSecret(text: string): boolean {
  const rest = text.replaceAll(uuid, '');
  return (rest.match(randomText) ?? []).some((run) => isRandom(run) && run !== madeUp(run));
}

type Rewrite = (text: string, name: string) => string;

function createRewrite({ port, at }: Recorded, moments: readonly number[], days: readonly string[]): Rewrite {
  const ids = new Map<string, string>();
  const isLive = (time: number) => time > at - BEFORE && time < at + AFTER;
  const first = Math.floor(Math.min(...moments.filter(isLive)) / 1000) * 1000;
  const liveDays = days.map((text) => Date.parse(text)).filter(isLive);
  const shift = Number.isFinite(first)
    ? Math.floor(FIRST_MOMENT / DAY) - Math.floor(first / DAY)
    : Math.floor(FIRST_MOMENT / DAY) - Math.max(...liveDays) / DAY;

  const idOf = (id: string) => {
    const key = id.toLowerCase();
    const known = ids.get(key) ?? `019bc0de-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(key, known);
    return known;
  };
  const moved = (time: number) => FIRST_MOMENT + Math.floor((time - first) / 1000) * 1000;

  return (text, name) => {
    if (/(?:^|_)password$/.test(name)) return PASSWORD;
    if (text.includes('PRIVATE KEY-----')) return PRIVATE_KEY;
    if (/(?:^|_)(?:mfa_)?code$/.test(name) && /^\d{6}$/.test(text)) return '123456';
    const plain = text
      .replaceAll(/\bdev-[0-9a-f]{8}-[0-9a-f-]{27}/g, 'dev')
      .replaceAll(uuid, idOf)
      .replaceAll(moment, (found) => {
        const time = Date.parse(found);
        return isLive(time) ? new Date(moved(time)).toISOString() : found;
      })
      .replaceAll(day, (found) => {
        const time = Date.parse(found);
        return isLive(time) ? new Date(time + shift * DAY).toISOString().slice(0, 10) : found;
      })
      .replaceAll(/\b1[6-9]\d{8}\b/g, (found) => {
        const time = Number(found) * 1000;
        return isLive(time) && Number.isFinite(first) ? String(moved(time) / 1000) : found;
      })
      .replaceAll(localAddress, (_, other: string | undefined) =>
        other === undefined || other === port ? EXAMPLE_SERVER : 'https://hooks.example.com',
      )
      .replaceAll(/https?%3A%2F%2F(?:localhost|127\.0\.0\.1)(?:%3A\d+)?/g, encodeURIComponent(EXAMPLE_SERVER))
      .replaceAll(/localhost(?:(?::|%3A)\d+)?|127\.0\.0\.1(?::|%3A)\d+/g, new URL(EXAMPLE_SERVER).host)
      .replaceAll(/(?:::ffff:)?127\.0\.0\.1|::1(?![\w:])/g, '203.0.113.7')
      .replaceAll(/\/tmp\/taxiway-\w+/g, '/var/lib/taxiway')
      .replaceAll('Fixture ', 'Example ');
    if (/[+/=]/.test(plain) && base64.test(plain) && isRandom(plain.replaceAll(/[+/=]/g, 'a'))) {
      const [, body = '', end = ''] = /^(.*?)(=*)$/.exec(plain) ?? [];
      return `${'Example'.repeat(Math.ceil(body.length / 7)).slice(0, body.length)}${end}`;
    }
    return plain.replaceAll(randomText, (run) => (isRandom(run) && !uuid.test(run) ? madeUp(run) : run));
  };
}

function rewriteAll(value: unknown, rewrite: Rewrite, isShortened: boolean, name = ''): unknown {
  if (typeof value === 'string') {
    const text = rewrite(value, name);
    return isShortened && text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  }
  if (Array.isArray(value)) {
    const items = isShortened ? value.slice(0, MOST_ITEMS) : value;
    return items.map((item) => rewriteAll(item, rewrite, isShortened, name));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replaceAll(uuid, (id) => rewrite(id, '')),
      rewriteAll(inner, rewrite, isShortened, key),
    ]),
  );
}

/** Returns the exchange as an example. An error is in its response. */
export function normalize(recorded: Recorded): ExampleExchange {
  const { request, response } = recorded;
  const text = JSON.stringify({ request, response });
  // Ids contain the time of their creation, which is before an expiry.
  const moments = [
    ...(text.match(moment) ?? []).map((found) => Date.parse(found)),
    ...(text.match(uuid) ?? []).map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)),
  ];
  const rewrite = createRewrite(recorded, moments, text.match(day) ?? []);
  const { params, query, body, type } = request;
  const texts = (values: Record<string, string>) => rewriteAll(values, rewrite, false) as Record<string, string>;
  return {
    request: {
      ...(Object.keys(params).length === 0 ? {} : { params: texts(params) }),
      ...(Object.keys(query).length === 0 ? {} : { query: texts(query) }),
      ...(type === undefined ? {} : { type }),
      ...(body === undefined ? {} : { body: rewriteAll(body, rewrite, false) }),
    },
    response: {
      ...(response.type === null ? {} : { type: response.type }),
      ...(response.location === null ? {} : { location: rewrite(response.location, '') }),
      ...(response.body === undefined ? {} : { body: rewriteAll(response.body, rewrite, true) }),
    },
  };
}
