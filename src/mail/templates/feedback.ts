// Emails about feedback.
import { composeMail, type MailContent } from '../letter.ts';
import { quoteName } from './names.ts';

/** Sends a reply to a tester. `feedback` is what they wrote, for an address that is known to be theirs. */
export function feedbackReplyMail({
  projectName,
  organizationName,
  authorName,
  reply,
  feedback,
}: {
  projectName: string;
  organizationName: string;
  authorName: string | null;
  reply: string;
  feedback: string | null;
}): MailContent {
  const who = authorName === null ? 'The team' : quoteName(authorName);
  return composeMail({
    subject: `Reply to your feedback on ${quoteName(projectName)}`,
    organizationName,
    paragraphs: [`${who} replied to your feedback on ${quoteName(projectName)}:`],
    quoted: feedback === null ? reply : `${reply}\n\n–\n\n${feedback}`,
    closing: 'To answer, send feedback again where you sent it. Replies to this email may not be read.',
  });
}
