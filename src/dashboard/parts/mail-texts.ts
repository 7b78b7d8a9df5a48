// Texts about mail come in two forms, because a server without a mail server sends none.
import { useFacts } from '../shell/facts.ts';

/** A text where mail is sent, and where messages stay in the outbox. */
export interface MailTexts<Words> {
  mailed: Words;
  unmailed: Words;
}

/** Returns what picks the form that is true on this server. */
export function useMailTexts(): <Words>(words: MailTexts<Words>) => Words {
  const { sendsMail } = useFacts();
  return ({ mailed, unmailed }) => (sendsMail ? mailed : unmailed);
}
