// The development server: runs the program from its sources, restarts it and reloads the browser on every save.
//
// A small proxy stands in front of the server. It holds requests while the server restarts, and adds a script to the web
// app's document that reloads the page. So the product itself knows nothing of development.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, watch } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDashboard } from './lib/dashboard.ts';
import { cacheDir, projectDir, say } from './lib/project.ts';
import { seed } from './lib/seed.ts';

const help = `scripts/dev [options]

Runs the server and the web app from the sources, and restarts and reloads them when a file is saved.

  --port NUMBER   where to listen (8080)
  --data DIR      the data folder (.cache/dev)
  --fresh         empty the data folder first
  --seed          fill an empty server with an organization, apps, builds and people, and print how to sign in
  --inspect       let a debugger attach to the server on port 9229
`;

const RELOAD_SCRIPT = '/__dev/reload.js';
const RELOAD_EVENTS = '/__dev/events';
/** Editors write a file in several steps. */
const SETTLE_MS = 40;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    data: { type: 'string', default: join(cacheDir, 'dev') },
    fresh: { type: 'boolean', default: false },
    seed: { type: 'boolean', default: false },
    inspect: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

/** The running server: its process, and a promise of the output that says where it listens. */
interface Running {
  child: ChildProcess;
  ready: Promise<string>;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createSocketServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

function startProgram(port: number): Running {
  const child = spawn(
    process.execPath,
    [...(values.inspect ? ['--inspect'] : []), join(projectDir, 'src/main.ts'), 'serve'],
    {
      cwd: values.data,
      env: {
        TAXIWAY_SERVER__TRUSTED_PROXIES: '["127.0.0.1"]',
        TAXIWAY_LOG__FORMAT: 'pretty',
        ...process.env,
        TAXIWAY_SERVER__PORT: String(port),
        TAXIWAY_SERVER__BASE_URL: `http://localhost:${values.port}`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk);
      output += chunk.toString('utf8');
      if (output.includes('Listening on')) setTimeout(() => resolve(output), SETTLE_MS);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  ready.catch(() => undefined);
  return { child, ready };
}

async function stopProgram({ child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Two signals: development doesn't wait for running requests.
  child.kill('SIGTERM');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 300);
  await ended;
  clearTimeout(impatience);
}

const browsers = new Set<ServerResponse>();

function answerReload(path: string, response: ServerResponse): boolean {
  if (path === RELOAD_SCRIPT) {
    const script = `new EventSource('${RELOAD_EVENTS}').onmessage = () => location.reload();`;
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    return true;
  }
  if (path !== RELOAD_EVENTS) return false;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).write('\n');
  browsers.add(response);
  response.once('close', () => browsers.delete(response));
  return true;
}

/** Passes one request on to the server and adds the reload script to documents that may run scripts. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming;
  const wantsPage = headers.accept?.includes('text/html') === true;
  // A development build has no compressed files.
  const { 'accept-encoding': _coding, 'if-none-match': etag, ...others } = headers;
  const passed = { ...others, ...(wantsPage || etag === undefined ? {} : { 'if-none-match': etag }) };
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers: passed }, (answer) => {
    const mayRunScripts = String(answer.headers['content-security-policy']).includes("script-src 'self'");
    if (!wantsPage || !mayRunScripts) {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      return;
    }
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => {
      const page = Buffer.concat(chunks)
        .toString('utf8')
        .replace('</head>', `<script src="${RELOAD_SCRIPT}" defer></script></head>`);
      const { etag: _, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, { ...kept, 'content-length': Buffer.byteLength(page) }).end(page);
    });
  });
  onward.on('error', (error) => {
    if (!outgoing.headersSent) outgoing.writeHead(502, { 'content-type': 'text/plain' });
    outgoing.end(`The server isn't reachable: ${error.message}\n`);
  });
  incoming.pipe(onward);
}

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  if (values.fresh) rmSync(values.data, { recursive: true, force: true });
  mkdirSync(values.data, { recursive: true });
  const port = await freePort();
  await buildDashboard({ isCompressed: false });
  let running = startProgram(port);

  const proxy = createServer((incoming, outgoing) => {
    if (answerReload(incoming.url ?? '', outgoing)) return;
    running.ready.then(
      () => forward(incoming, outgoing, port),
      () =>
        outgoing
          .writeHead(502, { 'content-type': 'text/plain' })
          .end('The server failed to start. See the terminal.\n'),
    );
  }).listen(Number(values.port), 'localhost');
  const output = await running.ready;
  if (values.seed) await seed(`http://127.0.0.1:${port}`, output);
  say(`Development server: http://localhost:${values.port}`);

  const changed = new Set<string>();
  let isRestarting = false;
  async function restart(): Promise<void> {
    if (isRestarting) return;
    isRestarting = true;
    while (changed.size > 0) {
      const began = performance.now();
      const isWebApp = [...changed].some((name) => name.startsWith(`dashboard${sep}`));
      const isServer = [...changed].some((name) => !name.startsWith(`dashboard${sep}`));
      changed.clear();
      try {
        // The web app imports types of the domains alone, so a change there doesn't concern it.
        if (isWebApp) await buildDashboard({ isCompressed: false });
        if (isServer || isWebApp) {
          await stopProgram(running);
          running = startProgram(port);
          await running.ready;
        }
        for (const browser of browsers) browser.write('data: reload\n\n');
        say(`Reloaded in ${Math.round(performance.now() - began)} ms`);
      } catch (error) {
        say(error instanceof Error ? error.message : String(error));
      }
    }
    isRestarting = false;
  }
  let settling: NodeJS.Timeout | undefined;
  watch(join(projectDir, 'src'), { recursive: true }, (_, name) => {
    if (name === null || name.endsWith('~')) return;
    changed.add(name);
    clearTimeout(settling);
    settling = setTimeout(() => void restart(), SETTLE_MS);
  });
  const end = async () => {
    proxy.close();
    await stopProgram(running);
    process.exit(0);
  };
  process.on('SIGINT', () => void end());
  process.on('SIGTERM', () => void end());
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
