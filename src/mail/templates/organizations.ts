// Emails about organizations and their rules, and the test email of the server.
import type { LocalizedMail } from '../../core/context.ts';
import { localizedMail } from '../localized.ts';
import type { ContainerFacts, MemberInvitation, SsoChange, TokenOwnerNotice } from '../texts/texts.ts';

/** Sends the link that accepts an invitation to an organization or project. */
export function memberInvitationMail(url: string, about: MemberInvitation): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ organizations }) => organizations.memberInvitation(about), { organizationName, url });
}

/** Tells an admin that the single sign-on of the organization changed. */
export function ssoChangedMail(baseUrl: string, about: { change: SsoChange; organizationName: string }): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ organizations }) => organizations.ssoChanged(baseUrl, about), { organizationName });
}

/** Tells an admin that the container of the organization can't be used. */
export function storageUnreachableMail(baseUrl: string, about: ContainerFacts & { reason: string }): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ organizations }) => organizations.storageUnreachable(baseUrl, about), { organizationName });
}

/** Tells an admin that the container of the organization can be used again. */
export function storageReachableMail(baseUrl: string, about: ContainerFacts): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ organizations }) => organizations.storageReachable(baseUrl, about), { organizationName });
}

/** Reminds a member that an organization will require two-factor authentication. */
export function mfaReminderMail(
  baseUrl: string,
  about: { organizationName: string; graceEndsAt: number; passkeySatisfies: boolean },
): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ organizations }) => organizations.mfaReminder(baseUrl, about), {
    organizationName,
    url: `${baseUrl}/me`,
  });
}

/** Announces that the oldest events of an organization's audit trail will be deleted. */
export function auditRetentionMail(
  baseUrl: string,
  notice: { organizationName: string; days: number; removedFrom: number },
): LocalizedMail {
  const { organizationName } = notice;
  return localizedMail(({ organizations }) => organizations.auditRetention(baseUrl, notice), { organizationName });
}

/**
 * Lists the project access tokens that stopped working or lost permissions because of their owner, and how to restore
 * them.
 */
export function tokenOwnerMail(baseUrl: string, notice: TokenOwnerNotice): LocalizedMail {
  const { organizationName, projectId } = notice;
  return localizedMail(({ organizations }) => organizations.tokenOwner(notice), {
    organizationName,
    url: `${baseUrl}/projects/${projectId}/tokens`,
  });
}

/** Shows the operator that the server sends email. */
export function testMail(baseUrl: string): LocalizedMail {
  return localizedMail(({ organizations }) => organizations.test(baseUrl));
}
