// Operations for the clients that the server hands out. They contain no data, so they need no session.
import type { App } from '../core/context.ts';
import { anonymous, media, type Operation, operation } from '../http/operation.ts';
import { type Reply, reply } from '../http/reply.ts';
import { notFound } from '../lib/errors.ts';
import { listChecksums } from './executables.ts';
import { type ClientFile, cliPaths, findClient, readUploader } from './files.ts';
import { showCliPage } from './page.ts';

const tag = 'Service';
const shellType = 'text/x-shellscript';
const scriptType = 'text/javascript';

function send(type: string, file: ClientFile | undefined): Reply {
  if (file === undefined) throw notFound();
  return reply(`${type}; charset=utf-8`, file.bytes, {
    'cache-control': 'no-cache',
    etag: `"${file.sha256.slice(0, 32)}"`,
  });
}

async function sendChecksums(app: App): Promise<Reply> {
  const files = [readUploader(app), findClient()].filter((file) => file !== undefined);
  const own = files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
  return reply('text/plain; charset=utf-8', own + (await listChecksums(app)), { 'cache-control': 'no-cache' });
}

export const cliRoutes: Operation[] = [
  operation({
    id: 'showCliPage',
    tag,
    summary: 'Page with the clients that fit this server',
    method: 'get',
    path: cliPaths.page,
    access: anonymous,
    returns: media('text/html'),
    status: 200,
    handle: (ctx) => showCliPage(ctx),
  }),
  operation({
    id: 'getShellUploader',
    tag,
    summary: 'Uploader as a POSIX shell script that needs only curl',
    description:
      'Contains the address of the server. Pass it to sh, with the package as the first argument and the token in TAXIWAY_TOKEN.',
    method: 'get',
    path: cliPaths.uploader,
    access: anonymous,
    returns: media(shellType),
    status: 200,
    isConditional: true,
    handle: (ctx) => send(shellType, readUploader(ctx)),
  }),
  operation({
    id: 'getScriptClient',
    tag,
    summary: 'Client commands as one JavaScript file for Node.js 18 and newer',
    method: 'get',
    path: cliPaths.client,
    access: anonymous,
    returns: media(scriptType),
    status: 200,
    isConditional: true,
    errors: [404],
    handle: () => send(scriptType, findClient()),
  }),
  operation({
    id: 'getClientChecksums',
    tag,
    summary: 'SHA-256 checksums of the clients and executables, as sha256sum reads them',
    method: 'get',
    path: cliPaths.checksums,
    access: anonymous,
    returns: media('text/plain'),
    status: 200,
    handle: (ctx) => sendChecksums(ctx),
  }),
];
