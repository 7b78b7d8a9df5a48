// Texts about email have two variants, because a server without a mail server sends none.
import { useServerInfo } from '../shell/server-info.ts';

/** A text for servers that send email, and for those that don't. */
export interface EmailTexts<Words> {
  mailed: Words;
  unmailed: Words;
}

/** Returns a function that selects the variant for this server. */
export function useEmailText(): <Words>(words: EmailTexts<Words>) => Words {
  const { sendsMail } = useServerInfo();
  return ({ mailed, unmailed }) => (sendsMail ? mailed : unmailed);
}
