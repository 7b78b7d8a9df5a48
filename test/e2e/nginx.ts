// A real nginx as a proxy in front of a server, with the lines that docs/install-and-upgrade.md shows.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { gatherOutput } from '../support/child.ts';
import { waitUntil } from '../tls/ports.ts';

/** Debian keeps it where only root looks for programs. */
function findNginx(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'nginx')).find((file) => existsSync(file));
}

/** Why it cannot be started here, or undefined when it can. */
export function whyNoNginx(): string | undefined {
  return findNginx() === undefined ? 'nginx is not installed' : undefined;
}

export interface Nginx {
  stop(): Promise<void>;
}

/** Starts it on a port of the loopback with these locations, and waits until it answers. */
export async function startNginx(port: number, locations: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-nginx-'));
  const file = join(folder, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  // Only root may choose whose rights its workers have.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    file,
    `daemon off; worker_processes 1; ${user} pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 256; }
http {
  access_log off;
  ${paths.join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    ${locations}
  }
}
`,
  );
  const child = spawn(findNginx() ?? 'nginx', ['-p', folder, '-c', file, '-e', join(folder, 'error.log')]);
  const output = gatherOutput(child);
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntil(async () => {
      if (isOver) throw new Error(`nginx ended: ${output.stderr}`);
      return (await fetch(`http://127.0.0.1:${port}/`)).status > 0;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
