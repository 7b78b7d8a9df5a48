// Records what tests send to operations and what these answer, for `scripts/examples`. Does nothing without the variable that
// names the folder. Credentials aren't recorded, because headers aren't.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { examplesFolderVariable, MOST_RECORDED_BYTES, type Recorded } from '../../scripts/lib/examples/recorded.ts';
import type { Operation } from '../../src/http/operation.ts';

/** Exchanges of one kind (operation, status, error) that one process records. The choice among them is made later. */
const MOST_OF_A_KIND = 40;

const folder = process.env[examplesFolderVariable];
const marked = globalThis as { areExamplesRecorded?: true };
if (folder !== undefined && marked.areExamplesRecorded === undefined) {
  marked.areExamplesRecorded = true;
  // Loaded only then, because most files need a part of it.
  const { operations } = await import('../../src/operations.ts');
  recordInto(join(folder, `${process.pid}.jsonl`), operations);
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
}

function recordInto(file: string, operations: readonly Operation[]): void {
  const send = globalThis.fetch;
  const counts = new Map<string, number>();
  const startedAt = Date.now();
  // Paths without parameters first: /developers/me is also /developers/{id}.
  const routes = operations
    .filter(({ isInternal }) => isInternal !== true)
    .map(({ id, method, path }) => ({
      id,
      method: method.toUpperCase(),
      parameters: path.split('{').length,
      pattern: new RegExp(`^${literal(path).replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    }))
    .sort((left, right) => left.parameters - right.parameters);

  function note(recorded: Recorded): void {
    const error = recorded.status < 400 ? '' : String((recorded.response.body as { error?: unknown })?.error);
    const kind = `${recorded.operation} ${recorded.status} ${error} ${recorded.test}`;
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    if (count < MOST_OF_A_KIND) appendFileSync(file, `${JSON.stringify(recorded)}\n`);
  }

  globalThis.fetch = async (input, init) => {
    const response = await send(input, init);
    const address = input instanceof Request ? input.url : String(input);
    const { hostname, port, pathname, searchParams } = new URL(address);
    if (hostname !== '127.0.0.1' && hostname !== 'localhost') return response;
    const method = (init?.method ?? 'GET').toUpperCase();
    for (const route of routes) {
      const found = route.method === method ? route.pattern.exec(pathname) : null;
      if (found === null) continue;
      note({
        operation: route.id,
        status: response.status,
        port,
        at: startedAt,
        test: expect.getState().testPath?.replace(/^.*?\/test\//, 'test/') ?? '',
        request: {
          params: Object.fromEntries(
            Object.entries(found.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)]),
          ),
          query: Object.fromEntries(searchParams),
          ...readRequest(init),
        },
        response: {
          type: response.headers.get('content-type')?.split(';')[0] ?? null,
          location: response.headers.get('location'),
          ...(await readResponse(response)),
        },
      });
      break;
    }
    return response;
  };
}

function readRequest(init: RequestInit | undefined): Pick<Recorded['request'], 'body' | 'type'> {
  const { body } = init ?? {};
  if (body === undefined || body === null) return {};
  if (body instanceof FormData) return { type: 'multipart/form-data' };
  const [type] = (new Headers(init?.headers).get('content-type') ?? '').split(';');
  if (body instanceof URLSearchParams || type === 'application/x-www-form-urlencoded')
    return {
      type: 'application/x-www-form-urlencoded',
      body: Object.fromEntries(new URLSearchParams(body as URLSearchParams)),
    };
  if (type !== 'application/json' || typeof body !== 'string') return type ? { type } : {};
  try {
    return { type, body: JSON.parse(body) };
  } catch {
    return { type };
  }
}

async function readResponse(response: Response): Promise<{ body?: unknown }> {
  const type = response.headers.get('content-type') ?? '';
  const isJson = type.startsWith('application/json');
  if (!isJson && !/^(?:text\/(?:plain|csv)|application\/.*xml)/.test(type)) return {};
  const text = await response.clone().text();
  if (text.length > MOST_RECORDED_BYTES) return {};
  return { body: isJson ? JSON.parse(text) : text };
}
