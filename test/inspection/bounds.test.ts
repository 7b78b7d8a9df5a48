// The cost of signatures: a small archive must not keep a worker busy for long.
import { describe, expect, it } from 'vitest';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import type { Inspection } from '../../src/inspection/schema.ts';
import { bufferSource, buildApk, buildIpa, buildManifest, buildProfile } from '../support/fixtures.ts';
import { buildJarSignature, buildSignedMessage, createIdentity } from './build-signature.ts';
import { buildZip, type ZipPart } from './build-zip.ts';

async function inspect(bytes: Buffer, platform: 'ios' | 'android'): Promise<Inspection> {
  const outcome = await inspectPackage(bufferSource(bytes), platform);
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  return outcome.inspection;
}

const ipaWith = (profile: Buffer) =>
  buildIpa({ profile: null, parts: [{ name: 'Payload/Sample.app/embedded.mobileprovision', data: profile }] });

describe('a profile', () => {
  it('of a megabyte in pieces of a kilobyte is read', async () => {
    const profile = buildProfile({ Padding: 'x'.repeat(1024 * 1024) }, undefined, 1_000);
    const { signing } = await inspect(ipaWith(profile), 'ios');
    expect(signing).toMatchObject({ kind: 'ad-hoc', cms_signature_valid: true });
  });

  it('of more than 5,000 values is rejected', async () => {
    const profile = buildProfile({ Padding: 'x'.repeat(5_000) }, undefined, 1);
    const { signing, warnings } = await inspect(ipaWith(profile), 'ios');
    expect([signing, warnings.map(({ code }) => code)]).toEqual([null, ['bad_profile']]);
  });
});

describe('a signing block', () => {
  // Beyond 4 MiB the digests of the contents are not compared.
  const parts = [{ name: 'assets/data', data: Buffer.alloc(4 * 1024 * 1024), isStored: true }];
  const signers = Array.from({ length: 10 }, (_, index) => createIdentity(`Signer ${index}`));
  const six = [0x0103, 0x0201, 0x0301, 0x0421, 0x0423, 0x0425];
  const eight = [...six, 0x0104, 0x0202];

  it.each([
    ['60 signatures is verified', six, []],
    ['80 signatures is not', eight, ['bad_signature']],
  ])('of %s', async (_, algorithms, codes) => {
    const { warnings } = await inspect(buildApk({ signers, algorithms, parts }), 'android');
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });
});

describe('a v1 signature', () => {
  const manifest = { name: 'AndroidManifest.xml', data: buildManifest({ minSdk: 21, targetSdk: 29 }) };
  const identity = createIdentity('Jar');
  const [list, signed] = buildJarSignature(identity, [manifest]) as [ZipPart, ZipPart];
  const data = buildSignedMessage(identity, signed.data, { isDetached: true, invalidSigners: 3 });

  it.each([
    ['32 signatures is verified', 8, []],
    ['40 signatures is not', 10, ['bad_signature']],
  ])('of %s', async (_, files, codes) => {
    const signatures = Array.from({ length: files }, (_file, index) => [
      { name: `META-INF/${index}.SF`, data: signed.data },
      { name: `META-INF/${index}.EC`, data },
    ]);
    const { warnings } = await inspect(buildZip([manifest, list, ...signatures.flat()]), 'android');
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });
});
