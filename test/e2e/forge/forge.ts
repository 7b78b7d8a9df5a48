// A forge for one repository with one pull request: a bare repository whose hook runs the workflow, and the part of GitHub's API that
// writes comments (https://docs.github.com/en/rest/issues/comments).
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../program.ts';

/** What the runner knows, in a file beside the repository. */
export interface ForgeFacts {
  folder: string;
  repository: string;
  /** owner/name */
  name: string;
  pull: { number: number; branch: string; base: string };
  api: string;
  token: string;
  secrets: Record<string, string>;
  /** Variables of the machine. */
  runner: Record<string, string>;
}

interface Comment {
  id: number;
  body: string;
  user?: { id: number; type: string };
  author_association?: string;
}

export interface Forge {
  facts: ForgeFacts;
  comments: Comment[];
  /** Requests that changed something, such as "POST /repos/…". */
  writes: string[];
  stop(): Promise<void>;
}

type Wishes = Pick<ForgeFacts, 'name' | 'pull' | 'secrets' | 'runner'>;

/** Starts a forge with an empty repository. */
export async function startForge(wishes: Wishes): Promise<Forge> {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-forge-'));
  const repository = join(folder, 'repository.git');
  const token = 'ghs_walk';
  /** What GitHub says of what the token of a job wrote. */
  const byJob = { user: { id: 41_898_282, type: 'Bot' }, author_association: 'NONE' };
  const comments: Comment[] = [{ id: 11, body: 'Looks good to me' }];
  const writes: string[] = [];
  const server = createServer(async (request, response) => {
    const answer = await respond(request);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });

  async function respond(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const { method = '', url = '', headers } = request;
    const isValid =
      headers.accept === 'application/vnd.github+json' &&
      headers['x-github-api-version'] === '2022-11-28' &&
      headers['user-agent'] !== undefined;
    if (!isValid) return { status: 400, body: { message: 'Bad Request' } };
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: { message: 'Bad credentials' } };
    const { pathname, searchParams } = new URL(url, 'http://forge');
    if (method !== 'GET') writes.push(`${method} ${pathname}`);
    let text = '';
    for await (const chunk of request) text += chunk;
    const list = `/repos/${wishes.name}/issues/${wishes.pull.number}/comments`;
    if (pathname === list && method === 'GET') {
      const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))];
      return { status: 200, body: comments.slice((page - 1) * size, page * size) };
    }
    if (pathname === list && method === 'POST') {
      const comment = { id: 100 + comments.length, body: String(JSON.parse(text).body), ...byJob };
      comments.push(comment);
      return { status: 201, body: comment };
    }
    const id = new RegExp(`^/repos/${wishes.name}/issues/comments/(\\d+)$`).exec(pathname)?.[1];
    const found = comments.find((comment) => String(comment.id) === id);
    if (method !== 'PATCH' || found === undefined) return { status: 404, body: { message: 'Not Found' } };
    found.body = String(JSON.parse(text).body);
    return { status: 200, body: found };
  }

  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const facts: ForgeFacts = { ...wishes, folder, repository, api, token };
  const created = await runProgram('git', ['init', '--quiet', '--bare', '--initial-branch=main', repository], {
    cwd: folder,
    env: gitEnv,
  });
  if (created.code !== 0) throw new Error(created.stderr);
  writeFileSync(join(folder, 'forge.json'), JSON.stringify(facts));
  const hook = join(repository, 'hooks/post-receive');
  // Git points to this repository in variables, which the runner must not have.
  writeFileSync(
    hook,
    `#!/bin/sh\nunset $(git rev-parse --local-env-vars)\nexec '${process.execPath}' '${join(import.meta.dirname, 'runner.ts')}' '${folder}/forge.json'\n`,
  );
  chmodSync(hook, 0o755);
  return {
    facts,
    comments,
    writes,
    async stop() {
      await new Promise((settle) => server.close(settle));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Variables of a person's git. */
export const gitEnv = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada Example',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada Example',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
};
