// The account that runs the program.
import { userInfo } from 'node:os';

/** Returns the name of the account that runs the program; undefined if it has none, as in many containers. */
export function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
