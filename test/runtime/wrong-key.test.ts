// Data encrypted with another secret key is rejected with an explanation.
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { configFrom } from '../../src/config.ts';
import { WrongSecretKeyError } from '../../src/runtime/secrets.ts';

it('rejects data of another secret key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'taxiway-key-'));
  const withKey = (secretKey: string) =>
    openApp(configFrom({ server: { data_dir: folder, secret_key: secretKey }, log: { level: 'silent' } }));
  await (await withKey('a'.repeat(32))).close();
  await expect(withKey('b'.repeat(32))).rejects.toThrow(WrongSecretKeyError);
  await (await withKey('a'.repeat(32))).close();
  await rm(folder, { recursive: true });
});

it('rejects data whose secret key is missing or empty, and creates no other one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'taxiway-key-'));
  const file = join(folder, 'secret.key');
  const open = () => openApp(configFrom({ server: { data_dir: folder }, log: { level: 'silent' } }));
  await (await open()).close();
  await rename(file, `${file}.aside`);
  await expect(open()).rejects.toThrow(
    new WrongSecretKeyError(
      `${file} is missing, and the database can't be used without it. Restore it from a backup, or set server.secret_key if ` +
        'the configuration had the key.',
    ),
  );
  expect(existsSync(file)).toBe(false);
  await rename(`${file}.aside`, file);
  await (await open()).close();
  await truncate(file);
  await expect(open()).rejects.toThrow(
    new WrongSecretKeyError(`${file} doesn't contain a key of 32 bytes; restore it from a backup`),
  );
  await rm(folder, { recursive: true });
});
