// Load generators: wrk for many small requests, curl for large bodies. Both cost less than the servers they measure.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  keepOnFirstProcessor,
  runOnFirstProcessor,
  runOnSecondProcessor,
  runProgram,
  type ServerProcess,
} from './processes.ts';
import { cpuMs } from './usage.ts';

export interface LoadResult {
  requestsPerSecond: number;
  /** CPU time of the server per request, in microseconds. */
  cpuMicroseconds: number;
}

/**
 * Sends one request repeatedly for some seconds, on the same processor as the server. On a separate processor, the client of a
 * slower server would sleep between responses, and waking it, which costs more than a small request on a virtual machine, would be
 * charged to that server and not to a faster one. Throws if a response isn't 2xx.
 */
export async function loadServer(
  server: ServerProcess,
  request: { path: string; token?: string; connections: number; seconds: number; script?: string },
): Promise<LoadResult> {
  const { path, token, connections, seconds, script } = request;
  await keepOnFirstProcessor(server.pid);
  const before = cpuMs(server.pid);
  // Without a lower priority, a client that wakes at each response would preempt the server and be measured with it.
  const printed = await runOnFirstProcessor('chrt', [
    '--batch',
    '0',
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout=10s',
    ...(token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`]),
    ...(script === undefined ? [] : ['-s', script]),
    `${server.url}${path}`,
  ]);
  const cpu = cpuMs(server.pid) - before;
  if (/Non-2xx|Socket errors/.test(printed)) throw new Error(`wrk met refusals at ${path}:\n${printed}`);
  const count = Number(/(\d+) requests in/.exec(printed)?.[1]);
  const requestsPerSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(printed)?.[1]);
  if (!(count > 0) || !(requestsPerSecond > 0)) throw new Error(`wrk measured nothing at ${path}:\n${printed}`);
  return { requestsPerSecond, cpuMicroseconds: (cpu * 1000) / count };
}

/** Writes a wrk script that requests the paths in turn. Returns its path. */
export function writePathsScript(folder: string, paths: readonly string[]): string {
  const file = join(folder, 'paths.lua');
  const list = paths.map((path) => JSON.stringify(path)).join(',');
  // Formatted once, because a client that spends time formatting requests would limit the baseline.
  const init = `init = function()\n  for at, path in ipairs(paths) do requests[at] = wrk.format(nil, path) end\nend\n`;
  const request = `request = function()\n  at = at % #requests + 1\n  return requests[at]\nend\n`;
  writeFileSync(file, `local paths = {${list}}\nlocal requests = {}\nlocal at = 0\n${init}${request}`);
  return file;
}

/** Writes a wrk script that posts one JSON body. Returns its path. */
export function writePostScript(folder: string, body: unknown): string {
  const file = join(folder, 'post.lua');
  writeFileSync(
    file,
    `wrk.method = "POST"\nwrk.body = [==[${JSON.stringify(body)}]==]\nwrk.headers["Content-Type"] = "application/json"\n`,
  );
  return file;
}

/** Downloads a URL `times` times in sequence and discards the bytes. Returns the number of bytes. */
export async function download(url: string, times = 1): Promise<number> {
  const targets = Array.from({ length: times }, () => ['-o', '/dev/null', url]).flat();
  const printed = await runOnSecondProcessor('curl', ['-sS', '--fail', '-w', '%{size_download}\n', ...targets]);
  return printed
    .trim()
    .split('\n')
    .reduce((sum, size) => sum + Number(size), 0);
}

/** Sends a file by PUT, streamed from disk. */
export async function uploadFile(file: string, url: string, headers: Record<string, string>): Promise<void> {
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  await runProgram('curl', ['-sS', '--fail', '-H', 'Expect:', ...lines, '-T', file, '-o', '/dev/null', url]);
}
