// The cost of hostile responses: the reader rejects structures that are slow for a signature library, and its thread isolates even
// those from the server.
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RefusedMessage } from '../../src/saml/errors.ts';
import type { Expected } from '../../src/saml/expected.ts';
import { createSamlReader, type SamlReader } from '../../src/saml/reader.ts';
import { readResponse } from '../../src/saml/response.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { leastCpu } from '../support/cpu.ts';
import { EXCLUSIVE, encode, makeProvider, type Provider, signAnswer, type Target, writeAnswer } from './provider.ts';
import { begin, connect, deliver } from './scenario.ts';

/** Milliseconds of processor time, for bounds on a machine that does much else. Each of these shapes took several times as long. */
const BOUND_MS = 250;
const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';

let provider: Provider;
let expected: Expected;
let target: Target;
beforeAll(async () => {
  // As many certificates as a connection may have; the right one is the last.
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => makeProvider()));
  provider = first as Provider;
  const now = Date.now();
  target = { acsUrl: 'https://taxiway.test/acs', audience: 'https://taxiway.test/metadata', requestId: '_1', now };
  expected = {
    entityId: provider.entityId,
    certificates: [...others, provider].map(({ certificate }) => certificate),
    audience: target.audience,
    acsUrl: target.acsUrl,
    now,
  };
});

const range = (count: number, write: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => write(at)).join('');
const inAssertion = (xml: string, content: string) =>
  xml.replace('</saml:Assertion>', `<saml:AttributeStatement>${content}</saml:AttributeStatement></saml:Assertion>`);
const inSignatures = (xml: string, content: string) => xml.replaceAll('</ds:Signature>', `${content}</ds:Signature>`);
const groups = (count: number) =>
  range(
    count,
    (at) =>
      `<saml:AttributeValue xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">group-${at}-${'g'.repeat(30)}</saml:AttributeValue>`,
  );

const shapes: [name: string, bend: (right: string) => string][] = [
  ['36,000 comments', (right) => inAssertion(right, '<!---->'.repeat(36_000))],
  ['2,000 comments', (right) => inAssertion(right, '<!---->'.repeat(2_000))],
  ['comments in the signature', (right) => inSignatures(right, '<!---->'.repeat(5_000))],
  ['1,900 elements', (right) => inAssertion(right, '<a/>'.repeat(1_900))],
  ['as many elements as may be', (right) => inAssertion(right, '<a/>'.repeat(450))],
  ['elements with text between them', (right) => inAssertion(right, '\n<a/>'.repeat(450))],
  ['many attributes', (right) => inAssertion(right, `<a ${range(31, (at) => ` a${at}="x"`)}/>`.repeat(700))],
  [
    'as many attributes as may be',
    (right) => inAssertion(right, `<a ${range(31, (at) => ` a${at}="x"`)}/>`.repeat(45)),
  ],
  ['many namespaces', (right) => inAssertion(right, `<a ${range(31, (at) => ` xmlns:a${at}="x"`)}/>`.repeat(400))],
  [
    'namespaces at every level',
    (right) =>
      inAssertion(
        right,
        range(15, (depth) => `<a ${range(30, (at) => ` xmlns:p${depth}x${at}="u"`)}>`) +
          '<b/>'.repeat(1_500) +
          '</a>'.repeat(15),
      ),
  ],
  [
    'prefixes that are used',
    (right) =>
      inAssertion(
        right,
        `<a ${range(25, (at) => ` xmlns:p${at}="u${at}"`)}>${range(450, (at) => `<p${at % 25}:b/>`)}</a>`,
      ),
  ],
  ['a default namespace that changes', (right) => inAssertion(right, '<a xmlns="u"><b xmlns=""/></a>'.repeat(240))],
  ['deep nesting', (right) => inAssertion(right, range(20, (at) => `<a${at}>`) + range(20, (at) => `</a${19 - at}>`))],
  ['long text', (right) => inAssertion(right, `<a>${'x'.repeat(110_000)}</a>`)],
  ['long text of references', (right) => inAssertion(right, `<a>${'&#13;'.repeat(22_000)}</a>`)],
  ['long text of brackets', (right) => inAssertion(right, `<a>${']]>'.repeat(36_000)}</a>`)],
  ['a long attribute', (right) => inAssertion(right, `<a b="${'&quot;'.repeat(18_000)}"/>`)],
  ['a long attribute of line ends', (right) => inAssertion(right, `<a b="${'\n\t'.repeat(50_000)}"/>`)],
  [
    'a long list of inclusive namespaces',
    (right) =>
      inAssertion(right, '<a/>'.repeat(400)).replaceAll(
        `<ds:Transform Algorithm="${EXCLUSIVE}"/>`,
        `<ds:Transform Algorithm="${EXCLUSIVE}"><ec:InclusiveNamespaces xmlns:ec="${EXCLUSIVE}" PrefixList="${range(9_000, (at) => `p${at} `)}"/></ds:Transform>`,
      ),
  ],
  [
    'inclusive canonical form with many namespaces',
    (right) =>
      inAssertion(
        right.replaceAll(EXCLUSIVE, INCLUSIVE),
        `<a ${range(30, (at) => ` xmlns:p${at}="u"`)}>${'<b/>'.repeat(450)}</a>`,
      ),
  ],
  [
    'a long signature value',
    (right) => right.replaceAll('<ds:SignatureValue>', `<ds:SignatureValue>${'A'.repeat(40_000)}`),
  ],
  ['a long digest', (right) => right.replaceAll('<ds:DigestValue>', `<ds:DigestValue>${'A'.repeat(40_000)}`)],
  [
    'many certificates',
    (right) =>
      inSignatures(
        right,
        `<ds:KeyInfo><ds:X509Data>${'<ds:X509Certificate>AA</ds:X509Certificate>'.repeat(900)}</ds:X509Data></ds:KeyInfo>`,
      ),
  ],
  [
    'many parts of what is signed',
    (right) => right.replaceAll('</ds:SignedInfo>', `${'<ds:a/>'.repeat(400)}</ds:SignedInfo>`),
  ],
  [
    'many references',
    (right) => right.replaceAll(/<ds:Reference .*?<\/ds:Reference>/g, (reference) => reference.repeat(50)),
  ],
  [
    'many transforms',
    (right) =>
      right.replaceAll(
        `<ds:Transform Algorithm="${EXCLUSIVE}"/>`,
        `<ds:Transform Algorithm="${EXCLUSIVE}"/>`.repeat(200),
      ),
  ],
  ['many assertions', (right) => right.replace(/<saml:Assertion .*<\/saml:Assertion>/s, (one) => one.repeat(25))],
];

/** Processor time of this thread for one answer, and how it ended. */
async function costOf(xml: string, attempts?: number): Promise<{ cost: number; result: string }> {
  const encoded = encode(xml);
  let result = 'accepted';
  const work = () =>
    readResponse(encoded, expected).catch((error: unknown) => {
      if (!(error instanceof RefusedMessage)) throw error;
      result = 'refused';
    });
  const cost = await leastCpu(BOUND_MS, work, attempts);
  return { cost, result };
}

describe('a response', () => {
  it.each(shapes)('with %s is rejected quickly', async (_name, bend) => {
    const { cost, result } = await costOf(bend(signAnswer(provider, target, {}, 'both')));
    expect(result).toBe('refused');
    expect(cost).toBeLessThan(BOUND_MS);
  });

  it('that is valid and nearly as large as allowed is read quickly', async () => {
    const extra = `<saml:AttributeStatement xmlns:xs="http://www.w3.org/2001/XMLSchema"><saml:Attribute Name="groups">${groups(400)}</saml:Attribute></saml:AttributeStatement>`;
    const answer = signAnswer(provider, target, { extra }, 'both');
    // This takes more than half of the bound on a slow machine, and the first attempts include compilation.
    const { cost, result } = await costOf(answer, 30);
    expect(result).toBe('accepted');
    expect(cost).toBeLessThan(BOUND_MS);
  });
});

describe('the thread for SAML', () => {
  const opened: SamlReader[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((reader) => reader.close())));
  const start = (code: string, limits: Parameters<typeof createSamlReader>[1] = {}) => {
    const reader = createSamlReader({ code }, limits);
    opened.push(reader);
    return reader;
  };
  const fake = (body: string) => `const { parentPort: port } = require('node:worker_threads');
    port.on('message', (task) => { ${body} });
    port.postMessage({ ready: true });`;

  it('runs from a bundle, as in the executable', async () => {
    const { outputFiles } = await build({
      entryPoints: [resolve(import.meta.dirname, '../../src/saml/worker.ts')],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'cjs',
      target: 'node24',
      logLevel: 'error',
    });
    const reader = start(outputFiles[0]?.text ?? '');
    const identity = await reader.readResponse(encode(signAnswer(provider, target)), expected);
    expect([identity.nameId, identity.email]).toEqual(['zoe-1', 'zoe@example.test']);
    const unsigned = encode(writeAnswer(provider, target).response);
    await expect(reader.readResponse(unsigned, expected)).rejects.toMatchObject({ reason: 'unsigned' });
  });

  it('is stopped at its deadline, and the next message is read by another one', async () => {
    const reader = start(
      fake("if (task.source === 'slow') for (;;); port.postMessage({ outcome: { metadata: { problem: 'none' } } });"),
      // Long enough for the quick one on a busy machine.
      { timeoutMs: 2_000 },
    );
    const [slow, quick] = await Promise.all([reader.readMetadata('slow'), reader.readMetadata('quick')]);
    expect([slow, quick]).toEqual([{ problem: 'Input should be readable metadata' }, { problem: 'none' }]);
  });

  it('that does not start in time rejects the message, and the next one starts another', async () => {
    const reader = start('setInterval(() => {}, 1_000);', { startTimeoutMs: 100 });
    const late = 'The thread did not start in time';
    const answers = await Promise.allSettled([reader.readMetadata(''), reader.readMetadata('')]);
    expect(answers).toMatchObject(Array(2).fill({ status: 'rejected', reason: { message: late } }));
  });

  it('that crashes rejects the message', async () => {
    const reader = start(fake('process.exit(1)'));
    await expect(reader.readResponse('', expected)).rejects.toMatchObject({ reason: 'unreadable' });
  });

  it('rejects further messages when 2 wait', async () => {
    const reader = start(fake('for (;;);'), { timeoutMs: 200, maxWaiting: 2 });
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => reader.readResponse('', expected)));
    const reasons = all.map((one) => (one.status === 'rejected' ? (one.reason.reason ?? one.reason.code) : 'accepted'));
    expect(reasons).toEqual(['unreadable', 'unreadable', 'unreadable', 'rate_limit_exceeded', 'rate_limit_exceeded']);
  });

  it('reads nothing after it is closed', async () => {
    const reader = start(fake(''));
    const waiting = expect(reader.readMetadata('')).rejects.toThrow('closed');
    await reader.close();
    await waiting;
    await expect(reader.readMetadata('')).rejects.toThrow('closed');
  });
});

describe('the server', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture();
    await connect(fixture, provider);
  });
  afterAll(() => fixture?.stop());

  it('spends no time on a hostile response', async () => {
    const started = await begin(fixture);
    const right = signAnswer(provider, started.target);
    expect((await deliver(fixture, right, { cookie: started.cookie })).status).toBe(302);
    const xml = inAssertion(right, '<!---->'.repeat(17_000));
    const cost = await leastCpu(BOUND_MS, async () => {
      expect((await deliver(fixture, xml)).status).toBe(401);
    });
    expect(cost).toBeLessThan(BOUND_MS);
  });
});
