// For any bytes, the readers return a result or reject them quickly, and throw nothing else.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { walkCompiledXml } from '../../src/inspection/compiled-xml.ts';
import { decrushPng } from '../../src/inspection/crushed-png.ts';
import { UnreadableArchive } from '../../src/inspection/errors.ts';
import { readImageHeader } from '../../src/inspection/image.ts';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import { readManifest } from '../../src/inspection/manifest.ts';
import { readPlist } from '../../src/inspection/plist.ts';
import { readBinaryPlist } from '../../src/inspection/plist-binary.ts';
import { readXmlPlist } from '../../src/inspection/plist-xml.ts';
import { readProfile } from '../../src/inspection/profile.ts';
import { resolveFiles, resolveText } from '../../src/inspection/resource-lookup.ts';
import { openResourceTable } from '../../src/inspection/resource-table.ts';
import { Inspection } from '../../src/inspection/schema.ts';
import { readSignedMessage } from '../../src/inspection/signed-message.ts';
import { cleanText } from '../../src/inspection/text.ts';
import { anyText } from '../support/any-text.ts';
import { leastCpu } from '../support/cpu.ts';
import {
  bufferSource,
  buildApk,
  buildIpa,
  buildManifest,
  buildPng,
  buildProfile,
  sampleResources,
} from '../support/fixtures.ts';
import { buildResourceTable } from './build-compiled.ts';
import { buildBinaryPlist, buildXmlPlist, type PlistInput } from './build-plist.ts';

const maxMs = 1_000;

const plist: PlistInput = {
  CFBundleIdentifier: 'com.example.sample',
  list: [1, -1, 1.5, true, new Date(0), Buffer.from('data'), 'ünïcode', { deep: [[['value']]] }],
};
const table = buildResourceTable([
  { id: sampleResources.label, value: { ref: 0x7f030001 } },
  { id: 0x7f030001, value: 'Label' },
  { id: sampleResources.icon, value: 'res/icon.png', density: 320 },
]);

/** Random bytes, or `seed` with some of its bytes replaced, cut or doubled. */
function damaged(seed: Buffer): fc.Arbitrary<Buffer> {
  const change = fc.record({
    at: fc.nat(seed.length - 1),
    bytes: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 8 }),
      fc.constantFrom([0, 0, 0, 0], [255, 255, 255, 255], [255, 255, 255, 127]),
    ),
  });
  const changed = fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) => {
    const bytes = Buffer.from(seed);
    for (const { at, bytes: patch } of changes) bytes.set([...patch].slice(0, seed.length - at), at);
    return bytes;
  });
  const cut = fc.nat(seed.length).map((length) => seed.subarray(0, length));
  const doubled = fc.nat(seed.length).map((at) => Buffer.concat([seed.subarray(0, at), seed]));
  const random = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes));
  return fc.oneof({ weight: 6, arbitrary: changed }, cut, doubled, random);
}

async function expectAnswerOrRefusal(read: () => unknown): Promise<void> {
  const cost = await leastCpu(maxMs, async () => {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof UnreadableArchive)) throw error;
    }
  });
  expect(cost).toBeLessThan(maxMs);
}

function useTable(bytes: Buffer): void {
  const opened = openResourceTable(bytes);
  for (const data of Object.values(sampleResources)) {
    resolveText({ type: 1, data, text: null }, opened);
    resolveFiles({ type: 1, data, text: null }, opened);
  }
}

const crushed = Buffer.from(buildPng(8, 8));
crushed.write('CgBI', 12, 'latin1');

const readers: [what: string, seed: Buffer, read: (bytes: Buffer) => unknown][] = [
  ['compiled XML', buildManifest({ permissions: ['a', 'b'] }), (bytes) => walkCompiledXml(bytes, () => {})],
  ['manifest', buildManifest({ isDebuggable: true }), (bytes) => readManifest(bytes, openResourceTable(table))],
  ['resource table', table, useTable],
  ['XML property list', buildXmlPlist(plist), readXmlPlist],
  ['binary property list', buildBinaryPlist(plist), readBinaryPlist],
  ['property list', buildBinaryPlist(plist), readPlist],
  ['PNG', buildPng(8, 8), decrushPng],
  ['crushed PNG', crushed, decrushPng],
  ['image header', buildPng(8, 8), readImageHeader],
  [
    'WebP header',
    Buffer.from('RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x2f\0\0\x2f\0\0'.padEnd(64, '\0'), 'latin1'),
    readImageHeader,
  ],
  [
    'JPEG header',
    Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108003000300301220002110103110100', 'hex'),
    readImageHeader,
  ],
];

it.each(readers)('the reader of the format %s returns a result or rejects the input', async (_what, seed, read) => {
  await fc.assert(
    fc.asyncProperty(damaged(seed), (bytes) => expectAnswerOrRefusal(() => read(bytes))),
    { numRuns: 400 },
  );
});

const profile = buildProfile({});
it.each<[string, (bytes: Buffer) => Promise<unknown>]>([
  ['signed message', readSignedMessage],
  ['provisioning profile', readProfile],
])('the reader of the format %s returns a result or rejects the input', async (_what, read) => {
  await fc.assert(
    fc.asyncProperty(damaged(profile), (bytes) => expectAnswerOrRefusal(() => read(bytes))),
    { numRuns: 200 },
  );
});

it.each([
  ['ios', buildIpa()],
  ['android', buildApk()],
] as const)('a damaged %s package has an outcome that fits its schema', async (platform, seed) => {
  await fc.assert(
    fc.asyncProperty(damaged(seed), async (bytes) => {
      const outcome = await inspectPackage(bufferSource(bytes), platform);
      if (outcome.status === 'ok') Inspection.parse(outcome.inspection);
      // A gap in a reader would answer in these words.
      else expect(outcome.reason).not.toBe("The archive can't be read.");
    }),
    { numRuns: 300 },
  );
});

it('a damaged signed package is never shown as verified', async () => {
  const seed = buildApk();
  const position = fc.nat(seed.length - 1);
  await fc.assert(
    fc.asyncProperty(position, fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const bytes = Buffer.from(seed);
      bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at);
      const outcome = await inspectPackage(bufferSource(bytes), 'android');
      const signing = outcome.status === 'ok' ? outcome.inspection.signing : null;
      expect(signing?.platform === 'android' && signing.verified).toBe(false);
    }),
    { numRuns: 400 },
  );
});

it('property lists are read back as they were written', () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 30 })
    .map((value) => value.replace(/\p{Cc}/gu, '').toWellFormed());
  const { tree } = fc.letrec<{ tree: PlistInput }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.boolean(),
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(text, tree, { maxKeys: 5, noNullPrototype: true }), (value) => {
      expect(readPlist(buildXmlPlist(value))).toEqual(readPlist(buildBinaryPlist(value)));
    }),
  );
});

it('text from packages is limited, well-formed and without control characters', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 600 }), fc.integer({ min: 1, max: 300 }), (value, longest) => {
      const text = cleanText(`${value}\ud800`, longest);
      if (text === null) return;
      expect(text.length).toBeLessThanOrEqual(longest);
      expect(text.isWellFormed()).toBe(true);
      expect(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text)).toBe(false);
    }),
  );
});
