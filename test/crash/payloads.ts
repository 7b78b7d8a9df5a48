// Small packages and icons, all different.
import { randomBytes } from 'node:crypto';
import { createIdentity } from '../inspection/build-signature.ts';
import { buildApk, buildPng, sha256 } from '../support/fixtures.ts';
import type { Random } from './random.ts';

export interface Payload {
  bytes: Buffer;
  sha256: string;
}

/** What the inspection stores as the icon of every package made here. */
export const packageIcon = buildPng(96, 96);

/** All packages have one signer: making a key takes longer than anything else here. */
const signers = [createIdentity('Crash')];

/** An .apk of 4 to 21 KB that devices accept, so that it is released automatically. */
export function makePackage(random: Random): Payload {
  const salt = { name: 'assets/salt', data: randomBytes(random.between(1_000, 18_000)), isStored: true };
  const bytes = buildApk({ signers, icon: packageIcon, parts: [salt] });
  return { bytes, sha256: sha256(bytes) };
}

/** A PNG whose last bytes differ from every other. */
export function makeIcon(): Payload {
  const bytes = Buffer.concat([buildPng(8, 8), randomBytes(16)]);
  return { bytes, sha256: sha256(bytes) };
}
