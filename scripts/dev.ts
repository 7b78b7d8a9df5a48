// The development server: bundles the program and the web app, and restarts and reloads them on every save.
//
// A small proxy in front of the server delays requests while the server restarts, and adds a reload script to the web app's
// document, so that the product itself needs no development code.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, watch } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { buildDashboard } from './lib/dashboard.ts';
import { openDevBundle } from './lib/dev-bundle.ts';
import { readOptions } from './lib/options.ts';
import { cacheDir, projectDir, say } from './lib/project.ts';
import { seed } from './lib/seed.ts';

const help = `scripts/dev [options]

Runs the server and the web app from the sources, and rebuilds and reloads them when a file is saved.

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
/** Two signals that are sent at the same time arrive as one. */
const SECOND_SIGNAL_MS = 10;
/** A server that doesn't exit within it is killed. */
const DEADLINE_MS = 300;

const { values } = readOptions('scripts/dev', {
  options: {
    port: { type: 'string', default: '8080' },
    data: { type: 'string', default: join(cacheDir, 'dev') },
    fresh: { type: 'boolean', default: false },
    seed: { type: 'boolean', default: false },
    inspect: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

/** The running server: its process, and a promise of the output with its URL. */
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

function startProgram(file: string, port: number): Running {
  const child = spawn(
    process.execPath,
    [...(values.inspect ? ['--inspect'] : []), '--enable-source-maps', file, 'serve'],
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
      // A server that waits for its setup prints the link next, which `--seed` follows.
      if (output.includes('Listening on')) setTimeout(() => resolve(output), values.seed ? SETTLE_MS : 0);
    });
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}`)));
  });
  ready.catch(() => undefined);
  return { child, ready };
}

async function stopProgram({ child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Development doesn't wait for running requests: the server exits on the second signal.
  child.kill('SIGTERM');
  const timers = [
    setTimeout(() => child.kill('SIGTERM'), SECOND_SIGNAL_MS),
    setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS),
  ];
  await ended;
  for (const timer of timers) clearTimeout(timer);
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

/** Forwards a request to the server and adds the reload script to documents that may run scripts. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming;
  const wantsPage = headers.accept?.includes('text/html') === true;
  // A development build has no compressed files.
  const { 'accept-encoding': _coding, 'if-none-match': etag, ...others } = headers;
  const passed = { ...others, ...(wantsPage || etag === undefined ? {} : { 'if-none-match': etag }) };
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers: passed }, (answer) => {
    const mayRunScripts = String(answer.headers['content-security-policy']).includes("connect-src 'self'");
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
  const bundle = await openDevBundle();
  const buildWebApp = async () => new Set(Object.keys((await buildDashboard({ isCompressed: false })).inputs));
  let [serverFiles, webAppFiles] = await Promise.all([bundle.rebuild(), buildWebApp()]);
  let running = startProgram(bundle.file, port);

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
  proxy.once('error', (error) => {
    running.child.kill('SIGKILL');
    process.stderr.write(
      `scripts/dev: cannot listen on port ${values.port}: ${error.message}\nChoose another one with --port.\n`,
    );
    process.exit(1);
  });
  const output = await running.ready;
  if (values.seed) await seed(`http://127.0.0.1:${port}`, output);
  say(`Development server: http://localhost:${values.port}`);
  // Later, because it loads all operations for the reference of the API.
  const { buildDocs } = await import('./lib/docs/build.ts');
  await buildDocs({ isCompressed: false });

  const changed = new Set<string>();
  let isRestarting = false;
  let isBroken = false;
  async function restart(): Promise<void> {
    if (isRestarting) return;
    isRestarting = true;
    while (changed.size > 0) {
      const began = performance.now();
      const files = [...changed];
      changed.clear();
      const isOfDocs = (file: string) => /^(?:docs\/|SECURITY\.md)/.test(file);
      const isOfWebApp = (file: string) => webAppFiles.has(file) || file.startsWith('src/dashboard/');
      try {
        // A file that neither was built from, such as a style, is read when the server starts.
        const isServer =
          isBroken || !files.every((file) => isOfDocs(file) || (isOfWebApp(file) && !serverFiles.has(file)));
        [serverFiles, webAppFiles] = await Promise.all([
          isBroken || files.some((file) => serverFiles.has(file)) ? bundle.rebuild() : serverFiles,
          isBroken || files.some(isOfWebApp) ? buildWebApp() : webAppFiles,
        ]);
        if (files.some(isOfDocs)) await buildDocs({ isCompressed: false });
        isBroken = false;
        if (isServer) {
          await stopProgram(running);
          running = startProgram(bundle.file, port);
          await running.ready;
        }
        for (const browser of browsers) browser.write('data: reload\n\n');
        say(`Reloaded in ${Math.round(performance.now() - began)} ms`);
      } catch (error) {
        isBroken = true;
        say(error instanceof Error ? error.message : String(error));
      }
    }
    isRestarting = false;
  }
  let settling: NodeJS.Timeout | undefined;
  for (const folder of ['src', 'migrations', 'docs'])
    watch(join(projectDir, folder), { recursive: true }, (_, name) => {
      if (name === null || name.endsWith('~')) return;
      changed.add(`${folder}/${name.replaceAll('\\', '/')}`);
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
