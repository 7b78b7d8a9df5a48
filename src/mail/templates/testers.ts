// Emails about the access of testers, and replies to their feedback.
import type { LocalizedMail } from '../../core/context.ts';
import { localizedMail } from '../localized.ts';
import type { TestedPlace, WayIn } from '../texts/texts.ts';

/** Tells a person that they can test a channel, project or organization. The only link is to the server. */
export function testerGrantMail(
  baseUrl: string,
  about: TestedPlace & { inviterName: string | null; wayIn: WayIn },
): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ testers }) => testers.grant(about), { organizationName, url: baseUrl });
}

/** Tells a team that people ask for access to a channel. Their names and addresses were chosen by them. */
export function accessRequestsMail(
  url: string,
  about: TestedPlace & { people: readonly { email: string; displayName: string }[]; hasMore: boolean },
): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ testers }) => testers.accessRequests(about), { organizationName, url });
}

/** Tells a person that they got the access they asked for. */
export function accessGrantedMail(url: string, place: TestedPlace): LocalizedMail {
  const { organizationName } = place;
  return localizedMail(({ testers }) => testers.accessGranted(place), { organizationName, url });
}

/** Sends the link that accepts an invitation to a channel. */
export function channelInvitationMail(
  url: string,
  about: TestedPlace & { inviterName: string | null; expiresAt: number },
): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ testers }) => testers.channelInvitation(about), { organizationName, url });
}

/** Sends a reply to a tester. `feedback` is what they wrote, for an address that is known to be theirs. */
export function feedbackReplyMail({
  organizationName,
  reply,
  feedback,
  ...about
}: {
  projectName: string;
  organizationName: string;
  authorName: string | null;
  reply: string;
  feedback: string | null;
}): LocalizedMail {
  const quoted = feedback === null ? reply : `${reply}\n\n–\n\n${feedback}`;
  return localizedMail(({ testers }) => testers.feedbackReply(about), { organizationName, quoted });
}
