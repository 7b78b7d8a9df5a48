// Reads identity providers' XML in a thread of its own: the reader's limits bound the cost of a message, and the thread bounds the
// effect of gaps in them. Packages use other threads, so that sign-ins and packages don't delay each other.

import type { Logger } from 'pino';
import { definePart } from '../core/parts.ts';
import { samlWorker } from '../lib/assets.ts';
import { createTaskThread, TaskFailed, type TaskThreadOptions } from '../runtime/task-thread.ts';
import { RefusedMessage } from './errors.ts';
import type { Expected } from './expected.ts';
import type { ExpectedLogout, LogoutMessage } from './logout-message.ts';
import type { SignedIdentity } from './response.ts';
import type { ReadMetadata, ReadOutcome, ReadTask } from './tasks.ts';

const DEADLINE_MS = 5_000;
const MAX_MEMORY_MB = 64;
const MAX_WAITING = 100;

export interface SamlReader {
  /** Reads and verifies a sign-in response in base64. Rejects with RefusedMessage. */
  readResponse(encoded: string, expected: Expected): Promise<SignedIdentity>;
  /** Reads and verifies a logout message. Rejects with RefusedMessage. */
  readLogout(rawQuery: string, expected: ExpectedLogout): Promise<LogoutMessage>;
  /** Reads metadata. Returns a `problem` if it's invalid. */
  readMetadata(source: string): Promise<ReadMetadata>;
  close(): Promise<void>;
}

/** Creates a reader. Its thread starts with the first document and ends after 30 idle seconds. */
export function createSamlReader(
  entry: TaskThreadOptions['entry'],
  { log, ...limits }: Partial<Omit<TaskThreadOptions, 'entry'>> & { log?: Pick<Logger, 'warn'> } = {},
): SamlReader {
  const thread = createTaskThread<ReadTask, ReadOutcome>({
    entry,
    timeoutMs: DEADLINE_MS,
    maxMemoryMb: MAX_MEMORY_MB,
    maxWaiting: MAX_WAITING,
    ...limits,
  });

  async function run(task: ReadTask): Promise<ReadOutcome> {
    const outcome = await thread.run(task).catch((error: unknown) => {
      if (!(error instanceof TaskFailed)) throw error;
      log?.warn({ kind: task.kind, err: error }, 'identity provider document failed');
      throw new RefusedMessage('unreadable');
    });
    if ('refused' in outcome) throw new RefusedMessage(outcome.refused);
    return outcome;
  }

  return {
    async readResponse(encoded, expected) {
      const outcome = await run({ kind: 'response', encoded, expected });
      if (!('identity' in outcome)) throw new TypeError('Unexpected response of the thread');
      return outcome.identity;
    },
    async readLogout(rawQuery, expected) {
      const outcome = await run({ kind: 'logout', rawQuery, expected });
      if (!('logout' in outcome)) throw new TypeError('Unexpected response of the thread');
      return outcome.logout;
    },
    async readMetadata(source) {
      try {
        const outcome = await run({ kind: 'metadata', source });
        if (!('metadata' in outcome)) throw new TypeError('Unexpected response of the thread');
        return outcome.metadata;
      } catch (error) {
        if (!(error instanceof RefusedMessage)) throw error;
        return { problem: 'Input should be readable metadata' };
      }
    },
    close: () => thread.close(),
  };
}

/** The SAML reader of an app. */
export const samlReaderOf = definePart<SamlReader>({
  open: ({ log }) => createSamlReader(samlWorker(), { log }),
  close: (reader) => reader.close(),
});
