// Encrypted values can only be decrypted with their key and purpose; tokens are stored as hashes.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSecrets, isSameSecret, loadMasterKey, SealedValueError } from '../../src/runtime/secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('secrets', () => {
  const secrets = createSecrets(Buffer.alloc(32, 1));
  it('can only be decrypted with the same key and purpose', () => {
    const sealed = secrets.encrypt('a secret', 'totp');
    expect(sealed).not.toContain('a secret');
    expect(secrets.decrypt(sealed, 'totp')).toBe('a secret');
    expect(() => secrets.decrypt(sealed, 'other')).toThrow();
    expect(() => createSecrets(Buffer.alloc(32, 2)).decrypt(sealed, 'totp')).toThrow();
    const altered = sealed.replace(/\.(.)([^.]*)$/, (_, first, rest) => `.${first === 'A' ? 'B' : 'A'}${rest}`);
    expect(() => secrets.decrypt(altered, 'totp')).toThrow();
    expect(() => secrets.decrypt('v0.a.b.c', 'totp')).toThrow('unknown form');
  });
  it('can only be decrypted with a complete tag and nonce, and the error names what is damaged', () => {
    const sealed = secrets.encrypt('a secret', 'totp secret of dana');
    const [version, nonce = '', tag = '', body] = sealed.split('.');
    const shortened = (text: string, bytes: number) =>
      Buffer.from(text, 'base64url').subarray(0, bytes).toString('base64url');
    const tags = [15, 14, 13, 12, 8, 4, 0].map((bytes) => [version, nonce, shortened(tag, bytes), body]);
    const nonces = [11, 8, 1, 0].map((bytes) => [version, shortened(nonce, bytes), tag, body]);
    for (const parts of [...tags, ...nonces, [version, nonce, `${tag}AAAA`, body], [version, nonce, tag, body, 'AA']]) {
      const open = () => secrets.decrypt(parts.join('.'), 'totp secret of dana');
      expect(open, parts.join('.')).toThrow(SealedValueError);
      expect(open).toThrow(`The encrypted value "totp secret of dana" can't be decrypted`);
    }
  });
  it('generate tokens of 256 bits and hash them', () => {
    const token = secrets.token('svc_prj_');
    expect(token).toMatch(/^svc_prj_[\w-]{43}$/);
    expect(secrets.token()).not.toBe(secrets.token());
    expect(secrets.hash(token)).toMatch(/^[0-9a-f]{64}$/);
  });
  it('compare texts of any length', () => {
    expect(isSameSecret('abc', 'abc')).toBe(true);
    expect(isSameSecret('abc', 'abcd')).toBe(false);
  });
});

describe('the secret key', () => {
  it('is created once, readable only by its owner', () => {
    const file = join(folder, 'deep', 'secret.key');
    const made = loadMasterKey('', file);
    expect(made).toHaveLength(32);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(loadMasterKey('', file)).toEqual(made);
    expect(readFileSync(file, 'utf8').trim()).toBe(made.toString('base64'));
  });
  it('comes from the configuration if it is set there', () => {
    const configured = loadMasterKey('x'.repeat(32), join(folder, 'unused.key'));
    expect(configured).toEqual(loadMasterKey('x'.repeat(32), join(folder, 'other.key')));
  });
  it('rejects a damaged file instead of creating a new key', () => {
    const file = join(folder, 'damaged.key');
    writeFileSync(file, 'short\n');
    expect(() => loadMasterKey('', file)).toThrow("doesn't contain a key of 32 bytes");
  });
  it.each(['mkdir', 'mkfifo'])('rejects what %s has made in its place, without waiting for it', (command) => {
    const file = join(folder, command);
    execFileSync(command, [file]);
    expect(() => loadMasterKey('', file)).toThrow(`${file} doesn't contain a key of 32 bytes`);
  });
});
