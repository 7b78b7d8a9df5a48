// Requests of many installs: at full speed, or at a steady rate with latencies.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepMainThreadOnFirstProcessor, runOnSecondProcessor, type ServerProcess } from './processes.ts';
import { cpuMs } from './usage.ts';

export interface InstallRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Mean pause between two requests of one connection. */
const PAUSE_MS = 6;

/**
 * Writes a wrk script that sends the requests in turn, with pauses if it's paced. Returns its path. The requests are in a separate
 * file, because Lua limits the number of strings in a script.
 */
export function writeRequestsScript(
  folder: string,
  name: string,
  requests: readonly InstallRequest[],
  isPaced = false,
): string {
  const file = join(folder, `${name}.lua`);
  const wire = requests.map(formatRequest);
  writeFileSync(`${file}.requests`, wire.map((text) => `${Buffer.byteLength(text)}\n${text}`).join(''));
  writeFileSync(
    file,
    `local requests = {}
local at = 0
init = function()
  local source = io.open(${JSON.stringify(`${file}.requests`)}, "rb")
  for size in function() return source:read("*n", 1) end do requests[#requests + 1] = source:read(size) end
end
request = function()
  at = at % #requests + 1
  return requests[at]
end
${isPaced ? `delay = function() return math.random(${PAUSE_MS / 2}, ${(PAUSE_MS * 3) / 2}) end` : ''}
`,
  );
  return file;
}

/** Formats a request for the wire. */
function formatRequest({ method, path, headers, body = '' }: InstallRequest): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines, ...length, '', body].join('\r\n');
}

export interface PacedResult {
  perSecond: number;
  medianMs: number;
  p99Ms: number;
  cpuMicroseconds: number;
}

/** Returns the number of connections that a paced script needs for a rate. */
export function connectionsFor(perSecond: number): number {
  return Math.max(1, Math.round((perSecond * PAUSE_MS) / 1000));
}

/** Sends the requests of a script from the other processor. Returns the latencies. */
export async function paceServer(
  server: ServerProcess,
  { script, connections, seconds }: { script: string; connections: number; seconds: number },
): Promise<PacedResult> {
  await keepMainThreadOnFirstProcessor(server.pid);
  const before = cpuMs(server.pid);
  const printed = await runOnSecondProcessor('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout=10s',
    '--latency',
    '-s',
    script,
    server.url,
  ]);
  const cpu = cpuMs(server.pid) - before;
  if (/Non-2xx|Socket errors/.test(printed)) throw new Error(`wrk met refusals:\n${printed}`);
  const count = Number(/(\d+) requests in/.exec(printed)?.[1]);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(printed)?.[1]),
    medianMs: percentile(printed, 50),
    p99Ms: percentile(printed, 99),
    cpuMicroseconds: (cpu * 1000) / count,
  };
}

const units: Record<string, number> = { us: 0.001, ms: 1, s: 1000 };

function percentile(printed: string, percent: number): number {
  const [, value, unit = ''] = new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s)$`, 'm').exec(printed) ?? [];
  return Number(value) * (units[unit] ?? Number.NaN);
}
