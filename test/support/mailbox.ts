// What tests read in mails: who got which, and the token of a link.

import { eq } from 'drizzle-orm';
import { outboxMails } from '../../src/data/tables/tables.ts';
import { type Passwords, passwordsOf } from '../../src/developers/password.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import type { FixtureMessage } from '../../src/testing/types.ts';

/** The kinds of the mails to an address, oldest first. */
export function mailKinds({ app }: Fixture, address: string): string[] {
  return app.db
    .select()
    .from(outboxMails)
    .where(eq(outboxMails.recipient, address))
    .orderBy(outboxMails.id)
    .all()
    .map((row) => row.kind);
}

/** The mails to an address, oldest first. */
export function mailsTo(fixture: Fixture, address: string): FixtureMessage[] {
  return fixture.mail.messages.filter((message) => message.to === address);
}

/** The address of the link in the newest mail to somebody. */
export function newestLink(fixture: Fixture, address: string, subject = /(?:)/): URL {
  const message = mailsTo(fixture, address).findLast((candidate) => subject.test(candidate.subject));
  const link = /https?:\/\/\S+\?token=\S+/.exec(message?.text ?? '')?.[0];
  if (link === undefined) throw new Error(`No link in the mail to ${address}`);
  return new URL(link);
}

/** The token of the link in the newest mail to somebody. */
export function newestToken(fixture: Fixture, address: string, subject?: RegExp): string {
  return newestLink(fixture, address, subject).searchParams.get('token') ?? '';
}

/** Counts the password hashes that some work costs: the measure that does not depend on the machine. */
export async function countHashes({ app }: Fixture, work: () => Promise<unknown>): Promise<number> {
  const passwords = passwordsOf(app);
  let count = 0;
  app.parts.set(passwordsOf, {
    ...passwords,
    hash(password, like) {
      count += 1;
      return passwords.hash(password, like);
    },
    verify(password, stored) {
      count += 1;
      return passwords.verify(password, stored);
    },
  } satisfies Passwords);
  try {
    await work();
  } finally {
    app.parts.set(passwordsOf, passwords);
  }
  return count;
}

/** Does some work, and something else after each password that the work hashes or verifies, before the work goes on. */
export async function interruptHash<Result>(
  { app }: Pick<Fixture, 'app'>,
  kind: 'hash' | 'verify',
  meanwhile: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const passwords = passwordsOf(app);
  const interrupt = async <Value>(of: 'hash' | 'verify', hashing: Promise<Value>): Promise<Value> => {
    const value = await hashing;
    if (of === kind) meanwhile();
    return value;
  };
  app.parts.set(passwordsOf, {
    ...passwords,
    hash: (password, like) => interrupt('hash', passwords.hash(password, like)),
    verify: (password, stored) => interrupt('verify', passwords.verify(password, stored)),
  } satisfies Passwords);
  try {
    return await work();
  } finally {
    app.parts.set(passwordsOf, passwords);
  }
}
