// Independent clients of TLS: openssl and curl, run on this machine.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program without input; never throws for how it ends. */
export function run(program: string, words: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(program, [...words], { timeout: 50_000, encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** Runs work with files of these contents in a folder of their own; `at` names one. */
export async function withFiles<T>(
  files: Record<string, string | Uint8Array>,
  work: (at: (name: string) => string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'taxiway-tls-'));
  const at = (name: string) => join(folder, name);
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content);
    return await work(at);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What openssl says of a server: how it verified the chain with this root, and the certificate it was shown. */
export async function inspectServer(port: number, name: string, root: string, words: readonly string[] = []) {
  return withFiles({ 'root.pem': root }, async (at) => {
    const where = ['-connect', `127.0.0.1:${port}`, '-servername', name, '-verify_hostname', name];
    const { stdout, stderr } = await run('openssl', ['s_client', ...where, '-CAfile', at('root.pem'), ...words]);
    const text = stdout + stderr;
    return {
      verification: /Verify return code: (.+)/.exec(text)?.[1],
      protocol: /^ *(?:Protocol *: |New, )(TLSv[\d.]+)/m.exec(text)?.[1],
      issuer: /^issuer=(.+)$/m.exec(text)?.[1],
      certificate: /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(text)?.[0],
      text,
    };
  });
}

/** What curl gets, with a root to trust and names that lead to this machine. */
export async function curl(root: string, words: readonly string[]): Promise<Run> {
  return withFiles({ 'root.pem': root }, (at) => run('curl', ['-sS', '--cacert', at('root.pem'), ...words]));
}
