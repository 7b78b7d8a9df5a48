// Emails in the language of their recipient: the texts of a language, with the links and the names around them.
import type { LocalizedMail } from '../core/context.ts';
import { once } from '../lib/formats.ts';
import { composeMail, type Letter } from './letter.ts';
import { mailTexts } from './texts/catalog.ts';
import type { MailTexts, Wording } from './texts/texts.ts';

/** What an email has in every language. */
interface Frame extends Pick<Letter, 'organizationName' | 'notes' | 'quoted'> {
  /** Where the button leads, for texts with a button. */
  url?: string;
  /** Ends the emails about the channel. */
  muteUrl?: string | null;
}

/**
 * Returns an email with the texts that `select` takes from the catalog of a language. It is composed once per language, because that
 * takes about a millisecond and some emails have hundreds of recipients.
 */
export function localizedMail(
  select: (texts: MailTexts) => Wording,
  { url, muteUrl, ...frame }: Frame = {},
): LocalizedMail {
  return once((language) => {
    const texts = mailTexts[language];
    const { button: label, ...wording } = select(texts);
    return composeMail({
      language,
      ...wording,
      ...frame,
      ...(label === undefined || url === undefined ? {} : { button: { label, url } }),
      ...(muteUrl ? { unsubscribe: { label: texts.unsubscribe, url: muteUrl } } : {}),
    });
  });
}
