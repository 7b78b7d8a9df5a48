// Encryption to public keys in the format of age. The server needs only the public keys, so what it writes, it can't read.
import { createHash } from 'node:crypto';
import { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import { Refusal } from '../lib/failure.ts';
import { BackupDamaged } from './format.ts';
import type { Bytes } from './streams.ts';

/** Encrypts to public keys, or passes bytes on without any. */
export type Seal = {
  /** Distinguishes contents for these recipients from others; '' without recipients. */
  readonly fingerprint: string;
  close(plain: Bytes): Promise<Bytes>;
};

/** Decrypts with secret keys. */
export type Unseal = { open(sealed: Bytes): Promise<Bytes> };

type GlobalStream = globalThis.ReadableStream<Uint8Array>;

/** Throws Refusal for a public key that can't be used. */
export function createSeal(recipients: readonly string[]): Seal {
  if (recipients.length === 0) return { fingerprint: '', close: async (plain) => plain };
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new Refusal(`${recipient} isn't a public key of age`);
    }
  }
  const names = recipients.toSorted().join('\n');
  return {
    fingerprint: createHash('sha256').update(names).digest('hex').slice(0, 8),
    async close(plain) {
      return (await encrypter.encrypt(ReadableStream.from(plain) as GlobalStream)) as unknown as Bytes;
    },
  };
}

/** Returns what decrypts with the secret keys of a file as `age-keygen` writes it. Throws Refusal. */
export function readIdentities(file: string, text: string): Unseal {
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0) throw new Refusal(`${file} has no secret key`);
  const decrypter = new Decrypter();
  for (const key of keys) {
    try {
      decrypter.addIdentity(key);
    } catch {
      throw new Refusal(`${file} has a line that isn't a secret key of age`);
    }
  }
  return {
    async open(sealed) {
      return translate(await guard(() => decrypter.decrypt(ReadableStream.from(sealed) as GlobalStream)));
    },
  };
}

async function guard<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupDamaged) throw error;
    const text = error instanceof Error ? error.message : String(error);
    if (/no identity/.test(text)) throw new Refusal('the backup is encrypted to other keys');
    throw new BackupDamaged(`a file can't be decrypted: ${text}`);
  }
}

/** The library's errors become those of a damaged backup. */
async function* translate(stream: GlobalStream): Bytes {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await guard(() => reader.read());
    if (done) return;
    yield value;
  }
}
