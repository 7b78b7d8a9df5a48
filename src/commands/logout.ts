// taxiway logout: ends the stored session on its server and deletes it here.
import { Command } from 'commander';
import { describeFailure } from '../lib/failure.ts';
import * as z from '../lib/zod.ts';
import { connectSession } from './client/connection.ts';
import { clearSession, readSession, type StoredSession } from './client/credentials.ts';
import type { CommandHost } from './host.ts';

const EXAMPLE = `
Example:
  taxiway logout
`;

export function buildLogoutCommand(host: CommandHost): Command {
  return new Command('logout')
    .description('Ends the session of "taxiway login" and deletes its credentials.')
    .addHelpText('after', EXAMPLE)
    .action(() => logout(host));
}

async function logout(host: CommandHost): Promise<void> {
  const session = readStoredSession(host);
  if (session === 'damaged') return;
  if (session === undefined) {
    host.say('Not signed in.\n');
    return;
  }
  try {
    await connectSession(host, session).send(
      { method: 'POST', path: '/login/logout', isRepeatable: true },
      z.unknown(),
    );
  } catch (error) {
    // Deleted here in any case, so that nothing is left on this machine after signing out.
    host.say(`Couldn't end the session on the server: ${describeFailure(error)}\n`);
  }
  clearSession(host);
  host.say(`Signed out of ${session.url}.\n`);
}

/** Deletes a session that can't be read, because the file may still contain tokens. */
function readStoredSession(host: CommandHost): StoredSession | 'damaged' | undefined {
  try {
    return readSession(host);
  } catch (error) {
    clearSession(host);
    host.say(`Deleted the stored session, but couldn't end it on the server: ${describeFailure(error)}\n`);
    return 'damaged';
  }
}
