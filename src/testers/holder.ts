// Whose an address is when access is given to it.
import { isGivenUp } from '../accounts/deletion.ts';
import { type DeveloperRow, findDeveloperByEmail } from '../accounts/store.ts';
import type { App } from '../core/context.ts';

/**
 * The account that holds an address, verified or not (docs/specification/testers.md#tester-grants). One that waits to
 * be deleted and never proved the address holds nothing: access given now is for whoever proves it.
 */
export function findHolder(app: Pick<App, 'db'>, email: string): DeveloperRow | undefined {
  const developer = findDeveloperByEmail(app, email);
  return developer === undefined || isGivenUp(developer) ? undefined : developer;
}
