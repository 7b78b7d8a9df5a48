// An nginx instance: the baseline for downloads, and the proxy for X-Accel-Redirect.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../scripts/lib/ports.ts';
import { type ServerProcess, startServer } from './processes.ts';

export interface Nginx extends ServerProcess {
  /** The worker process; the main process only supervises it. */
  workerPid: number;
}

/** Starts nginx with one worker and sendfile for a folder of files; with `upstream`, as a proxy in front of the service. */
export async function startNginx(
  folder: string,
  options: { root: string; port?: number; upstream?: string },
): Promise<Nginx> {
  await mkdir(folder, { recursive: true });
  const port = options.port ?? (await findFreePort());
  const locations =
    options.upstream === undefined
      ? `location / { root ${options.root}; }`
      : `location / { proxy_pass ${options.upstream}; proxy_set_header Host $host; proxy_http_version 1.1; proxy_set_header Connection "";
           client_max_body_size 0; proxy_request_buffering off; }
         location /protected/ { internal; alias ${options.root}/; }`;
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; worker_processes 1; user root; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
     events { worker_connections 512; }
     http {
       access_log off; sendfile on; tcp_nopush on; default_type application/octet-stream;
       client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
       uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
       server { listen 127.0.0.1:${port}; ${locations} }
     }`,
  );
  const server = await startServer({
    command: 'nginx',
    args: ['-p', folder, '-c', file, '-e', join(folder, 'error.log')],
    url: `http://127.0.0.1:${port}`,
    readyPath: '/',
    logFile: join(folder, 'output.log'),
  });
  return { ...server, workerPid: childOf(server.pid) };
}

function childOf(pid: number): number {
  const child = readdirSync('/proc').find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'latin1'))?.[1]) === pid;
    } catch {
      return false;
    }
  });
  if (child === undefined) throw new Error('nginx has no worker');
  return Number(child);
}
