// Data encrypted with another secret key is rejected with an explanation.
import { mkdtemp, rm } from 'node:fs/promises';
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
