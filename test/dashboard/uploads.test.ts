// The uploads of a tab when the connection is cut.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PendingUpload } from '../../src/builds/schema.ts';
import type { Client } from '../../src/dashboard/api/client.ts';
import { ApiError, ConnectionError } from '../../src/dashboard/api/errors.ts';
import { TransferError } from '../../src/dashboard/upload/transfer.ts';
import { createUploads, isInterrupted, UploadInterrupted } from '../../src/dashboard/upload/uploads.ts';
import type { Project } from '../../src/projects/schema.ts';
import { buildApk } from '../support/fixtures.ts';

const project: Partial<Project> = {
  identifier: 'project',
  organization_id: 'organization',
  platform: 'android',
  bundle_identifier: null,
};
const link: Partial<PendingUpload> = {
  pending_upload_id: 'pending',
  upload_url: 'https://builds.example.com/storage/v1/pending',
  required_headers: {},
  expires_at: '2099-01-01T00:00:00Z',
};

/** What becomes of each transfer and each completion; the last answer is repeated. */
let transfers: readonly ('sent' | 'cut')[];
let completions: readonly ('completed' | 'cut' | number)[];
let isServerReachable: boolean;
let puts: number;
let pauses: number[];
let links: number;

const next = <Answer>(answers: readonly Answer[], at: number) => answers[Math.min(at, answers.length - 1)];

beforeEach(() => {
  [transfers, completions, isServerReachable] = [['sent'], ['completed'], true];
  [puts, pauses, links] = [0, [], 0];
  vi.stubGlobal(
    'XMLHttpRequest',
    class {
      upload = {};
      status = 201;
      onload?: () => void;
      onerror?: () => void;
      open() {}
      setRequestHeader() {}
      abort() {}
      send() {
        const isCut = next(transfers, puts) === 'cut';
        puts += 1;
        queueMicrotask(() => (isCut ? this.onerror?.() : this.onload?.()));
      }
    },
  );
  vi.stubGlobal(
    'Worker',
    class {
      onmessage?: (event: { data: { sha256: string } }) => void;
      postMessage() {
        queueMicrotask(() => this.onmessage?.({ data: { sha256: 'a'.repeat(64) } }));
      }
      terminate() {}
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

/** Uploads a package. Returns the uploads once it ended. */
async function upload() {
  let completed = 0;
  const send = async (_method: string, path: string): Promise<unknown> => {
    if (path === '/builds/initiate') {
      links += 1;
      return link;
    }
    const outcome = next(completions, completed);
    completed += 1;
    if (outcome === 'cut') throw new ConnectionError('cut');
    if (typeof outcome === 'number') throw new ApiError(outcome, undefined, new Headers());
    return { identifier: 'build', released_to: [] };
  };
  const uploads = createUploads({
    client: { send } as unknown as Client,
    hashWorker: '/hash.js',
    workerFor: () => undefined,
    maxBytes: async () => Number.POSITIVE_INFINITY,
    isServerReachable: async () => isServerReachable,
    pause: async (milliseconds) => void pauses.push(milliseconds),
    onReleased: () => undefined,
    onChanged: () => undefined,
  });
  const file = new File([new Uint8Array(buildApk({ versionName: '1.0', versionCode: 1 }))], 'app.apk');
  uploads.add(project as Project, [file]);
  await expect.poll(() => uploads.list()[0]?.stage).toMatch(/^(?:done|failed)$/);
  return uploads;
}

describe('an upload that is cut while the server responds', () => {
  it('is sent again by the same link after a pause', async () => {
    transfers = ['cut', 'cut', 'sent'];
    const [done] = (await upload()).list();
    expect(done).toMatchObject({ stage: 'done', build: { identifier: 'build' } });
    expect([puts, pauses, links]).toEqual([3, [1000, 2000], 1]);
  });

  it('is completed again too', async () => {
    completions = ['cut', 'completed'];
    const [done] = (await upload()).list();
    expect(done?.stage).toBe('done');
    expect([puts, pauses]).toEqual([1, [1000]]);
  });

  it('fails after four attempts, and can be retried', async () => {
    transfers = ['cut'];
    const uploads = await upload();
    const [failed] = uploads.list();
    expect(failed?.error).toBeInstanceOf(UploadInterrupted);
    // It doesn't continue by itself when the connection is back.
    expect(failed !== undefined && isInterrupted(failed)).toBe(false);
    expect([puts, pauses]).toEqual([4, [1000, 2000, 4000]]);
    transfers = ['cut', 'sent'];
    puts = 0;
    uploads.retry(1);
    await expect.poll(() => uploads.list()[0]?.stage).toBe('done');
    expect([puts, pauses]).toEqual([2, [1000, 2000, 4000, 1000]]);
  });
});

describe('an upload that is cut because the server is unreachable', () => {
  it('waits until it is back', async () => {
    transfers = ['cut', 'sent'];
    isServerReachable = false;
    const uploads = await upload();
    const [failed] = uploads.list();
    expect(failed?.error).toEqual(new TransferError(0));
    expect(failed !== undefined && isInterrupted(failed)).toBe(true);
    expect([puts, pauses]).toEqual([1, []]);
    uploads.retry(1);
    await expect.poll(() => uploads.list()[0]?.stage).toBe('done');
  });
});

describe('an upload that the server has received but refuses to complete', () => {
  it.each([402, 403, 429, 503])("isn't sent again after status %i", async (status) => {
    completions = [status, 'completed'];
    const uploads = await upload();
    expect(uploads.list()[0]).toMatchObject({ stage: 'failed', error: { status } });
    uploads.retry(1);
    await expect.poll(() => uploads.list()[0]?.stage).toBe('done');
    expect([puts, links]).toEqual([1, 1]);
  });

  it.each([400, 413])('is sent again after status %i', async (status) => {
    completions = [status, 'completed'];
    const uploads = await upload();
    uploads.retry(1);
    await expect.poll(() => uploads.list()[0]?.stage).toBe('done');
    expect([puts, links]).toEqual([2, 1]);
  });

  it('is sent again by a new link if the server no longer knows it', async () => {
    completions = [404, 'completed'];
    const uploads = await upload();
    uploads.retry(1);
    await expect.poll(() => uploads.list()[0]?.stage).toBe('done');
    expect([puts, links]).toEqual([2, 2]);
  });
});
