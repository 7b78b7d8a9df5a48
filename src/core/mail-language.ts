// The language of emails: the one that the reader chose for their account, otherwise that of the server.
import { prepared } from '../data/database.ts';
import { type Language, languageOfTag } from '../languages.ts';
import type { Context } from './context.ts';

const localeOfAddress = prepared((db) =>
  db.$client.prepare<[string], string | null>('SELECT locale FROM developers WHERE email = ?').pluck(),
);
const localeOfAccount = prepared((db) =>
  db.$client.prepare<[string], string | null>('SELECT locale FROM developers WHERE id = ?').pluck(),
);

type App = Pick<Context, 'config' | 'db'>;

/** Returns the language of emails to an address. */
export function languageOfAddress(app: App, address: string): Language {
  return languageFor(app, localeOfAddress(app).get(address));
}

/** Returns the language of emails to the owner of an account. */
export function languageOfAccount(app: App, developerId: string): Language {
  return languageFor(app, localeOfAccount(app).get(developerId));
}

/** Returns the language of emails for the language tag of an account. Default: the server's. */
export function languageFor({ config }: Pick<Context, 'config'>, locale: string | null | undefined): Language {
  return (locale ? languageOfTag(locale) : undefined) ?? config.mail.language;
}
