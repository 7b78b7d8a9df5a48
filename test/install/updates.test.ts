// Whether a build can update the copy that a phone may have.
import { describe, expect, it } from 'vitest';
import { gatherFacts } from '../../src/inspection/facts.ts';
import { inspectPackage } from '../../src/inspection/inspect.ts';
import { findReinstallReason } from '../../src/install/updates.ts';
import { createIdentity } from '../inspection/build-signature.ts';
import { type ApkInput, bufferSource, buildApk, buildIpa } from '../support/fixtures.ts';

const [ours, rotated, theirs] = ['Ours', 'Rotated', 'Theirs'].map((name) => createIdentity(name));
if (ours === undefined || rotated === undefined || theirs === undefined) throw new Error('an identity is missing');

async function facts(bytes: Buffer, platform: 'ios' | 'android') {
  const outcome = await inspectPackage(bufferSource(bytes), platform);
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  return gatherFacts(outcome.inspection).facts;
}
const apk = (input: ApkInput = {}) => buildApk({ signers: [ours], versionCode: 10, ...input });
const ipa = (prefix: string | null, bundleIdentifier = 'com.example.sample', team = 'TEAM000001') =>
  buildIpa({
    bundleIdentifier,
    profile: {
      TeamIdentifier: [team],
      Entitlements: prefix === null ? {} : { 'application-identifier': `${prefix}.${bundleIdentifier}` },
    },
  });

describe('an Android build', () => {
  it.each<[string, ApkInput, ApkInput, string | null]>([
    ['of the same key and a higher code', { versionCode: 11 }, {}, null],
    ['of the same code', {}, {}, null],
    ['of another key', { signers: [theirs], versionCode: 11 }, {}, 'certificate'],
    ['of one key more', { signers: [ours, rotated], versionCode: 11 }, {}, null],
    ['of a lower code', { versionCode: 9 }, {}, 'downgrade'],
    ['of another key and a lower code', { signers: [theirs], versionCode: 9 }, {}, 'certificate'],
    ['of a code beyond 32 bits', { versionCodeMajor: 1, versionCode: 0 }, { versionCode: 2_000_000_000 }, null],
    [
      'below a code beyond 32 bits',
      { versionCode: 2_000_000_000 },
      { versionCodeMajor: 1, versionCode: 0 },
      'downgrade',
    ],
    ['of another package', { packageName: 'com.example.other', signers: [theirs] }, {}, null],
    ['without a signature, which is told elsewhere', { signers: [] }, {}, null],
  ])('%s', async (_, next, earlier, reason) => {
    const [here, before] = [await facts(apk(next), 'android'), await facts(apk(earlier), 'android')];
    expect(findReinstallReason('android', here, before)).toBe(reason);
  });
});

describe('an iOS build', () => {
  it.each<[string, Buffer, Buffer, string | null]>([
    ['of the same prefix', ipa('PREFIX0001'), ipa('PREFIX0001'), null],
    ['of another prefix', ipa('PREFIX0002'), ipa('PREFIX0001'), 'team'],
    ['of another team and no prefix', ipa(null, undefined, 'TEAM000002'), ipa('TEAM000001'), 'team'],
    ['of another app', ipa('PREFIX0002', 'com.example.other'), ipa('PREFIX0001'), null],
    ['without a profile, which is told elsewhere', buildIpa({ profile: null }), ipa('PREFIX0001'), null],
  ])('%s', async (_, next, earlier, reason) => {
    expect(findReinstallReason('ios', await facts(next, 'ios'), await facts(earlier, 'ios'))).toBe(reason);
  });
});
