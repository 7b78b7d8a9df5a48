// The tasks and outcomes of the thread that reads identity providers' XML.

import { type RefusalReason, RefusedMessage } from './errors.ts';
import type { Expected } from './expected.ts';
import { type ExpectedLogout, type LogoutMessage, readLogoutMessage } from './logout-message.ts';
import { type IdentityProvider, readProviderMetadata } from './metadata.ts';
import { readResponse, type SignedIdentity } from './response.ts';

export type ReadTask =
  | { kind: 'response'; encoded: string; expected: Expected }
  | { kind: 'logout'; rawQuery: string; expected: ExpectedLogout }
  | { kind: 'metadata'; source: string };

export type ReadOutcome =
  | { identity: SignedIdentity }
  | { logout: LogoutMessage }
  | { metadata: ReturnType<typeof readProviderMetadata> }
  | { refused: RefusalReason };

export type ReadMetadata = IdentityProvider | { problem: string };

/** Reads one document. A rejected message is an outcome, because errors lose their class between threads. */
export async function performTask(task: ReadTask): Promise<ReadOutcome> {
  try {
    if (task.kind === 'response') return { identity: await readResponse(task.encoded, task.expected) };
    if (task.kind === 'logout') return { logout: readLogoutMessage(task.rawQuery, task.expected) };
    return { metadata: readProviderMetadata(task.source) };
  } catch (error) {
    if (error instanceof RefusedMessage) return { refused: error.reason };
    throw error;
  }
}
