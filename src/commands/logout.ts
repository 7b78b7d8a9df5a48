// taxiway logout: ends the kept session at the server that gave it, and forgets it here.
import { Command } from 'commander';
import * as z from 'zod';
import { describeFailure } from '../lib/failure.ts';
import { connectSession } from './client/connection.ts';
import { clearSession, readSession, type StoredSession } from './client/credentials.ts';
import type { CommandHost } from './host.ts';

const EXAMPLE = `
Example:
  taxiway logout
`;

export function buildLogoutCommand(host: CommandHost): Command {
  return new Command('logout')
    .description('Ends the session of "taxiway login" and forgets it.')
    .addHelpText('after', EXAMPLE)
    .action(() => logout(host));
}

async function logout(host: CommandHost): Promise<void> {
  const session = readWhatIsKept(host);
  if (session === 'damaged') return;
  if (session === undefined) {
    host.say('No session is kept.\n');
    return;
  }
  try {
    await connectSession(host, session).send(
      { method: 'POST', path: '/login/logout', isRepeatable: true },
      z.unknown(),
    );
  } catch (error) {
    // Forgotten here all the same: whoever signs out wants nothing left on this machine.
    host.say(`The server could not be told: ${describeFailure(error)}\n`);
  }
  clearSession(host);
  host.say(`Signed out of ${session.url}.\n`);
}

/** Removes one that cannot be read: its tokens may still be in there. */
function readWhatIsKept(host: CommandHost): StoredSession | 'damaged' | undefined {
  try {
    return readSession(host);
  } catch (error) {
    clearSession(host);
    host.say(`It is removed, and its server could not be told: ${describeFailure(error)}\n`);
    return 'damaged';
  }
}
