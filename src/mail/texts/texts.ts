// All texts of the emails. Each language is a value of this type, so a missing text is a type error. Names and versions were chosen by
// users: the texts quote them.
import type { Platform } from '../../platforms.ts';

/** The words of one email. */
export interface Wording {
  subject: string;
  /** One string per paragraph. */
  paragraphs: readonly string[];
  /** The label of the button. */
  button?: string;
  /** Small print after the button. */
  closing?: string;
}

export interface MailTexts {
  accounts: AccountMails;
  builds: BuildMails;
  organizations: OrganizationMails;
  signIn: SignInMails;
  testers: TesterMails;
  /** The link that ends the emails about a channel. */
  unsubscribe: string;
}

/** Times are in milliseconds since the epoch. */
export interface AccountMails {
  verifyEmail: Wording;
  accountExists(baseUrl: string): Wording;
  passwordReset: Wording;
  passwordChanged(baseUrl: string): Wording;
  changeEmail: Wording;
  emailChanged(baseUrl: string): Wording;
  exportReady(baseUrl: string, expiresAt: number): Wording;
  deletionRequested(dueAt: number): Wording;
}

/** A build and the channel on which it was released. */
export interface ReleasedBuild {
  projectName: string;
  organizationName: string;
  channelName: string;
  versionName: string;
  /** As shown to people. */
  buildNumber: string;
}

/** Builds that retention will delete, for the maintainers of their projects. */
export interface RetentionNotice {
  organizationName: string;
  /** How long the plan keeps builds; null if only the rules of channels end them. */
  days: number | null;
  /** Earliest time at which one of them can be deleted. */
  deletedFrom: number;
  /** Number of builds affected, including those that aren't listed. */
  total: number;
  projects: readonly { projectId: string; name: string; versions: readonly string[]; more: number }[];
  /** Number of projects that aren't listed. */
  moreProjects: number;
}

/** A profile or certificate that will expire, and the current releases that stop working then. */
export interface ExpiryWarning {
  kind: 'profile' | 'certificate';
  name: string | null;
  platform: Platform;
  organizationName: string;
  expiresAt: number;
  places: readonly Omit<ReleasedBuild, 'organizationName'>[];
}

export interface BuildMails {
  release(about: ReleasedBuild & { isMandatory: boolean }): Wording;
  deviceReady(about: ReleasedBuild & { deviceNames: readonly string[] }): Wording;
  retention(baseUrl: string, notice: RetentionNotice): Wording;
  /** `days` are the whole days until then. `more` is the number of places that aren't listed. */
  expiry(baseUrl: string, warning: ExpiryWarning & { days: number; more: number }): Wording;
}

/** An invitation to an organization or project. */
export interface MemberInvitation {
  organizationName: string;
  projectName: string | null;
  /** Of an invitation to the organization. */
  projectNames: readonly string[];
  inviterName: string | null;
  role: string;
  expiresAt: number;
}

/** The changes to single sign-on that admins are told about. */
export const ssoChanges = ['created', 'replaced', 'enabled', 'domain_verified'] as const;
export type SsoChange = (typeof ssoChanges)[number];

/** A container of an organization. */
export interface ContainerFacts {
  organizationName: string;
  account: string;
  container: string;
}

/** Project access tokens affected by the role change of their owner, for the admins of their project. */
export interface TokenOwnerNotice {
  projectId: string;
  projectName: string;
  organizationName: string;
  /** The owner's name. */
  owner: string;
  /** Whether the owner of the email address took the account over. */
  wasTakenOver?: boolean;
  /** Some of the tokens. `acting` is the remaining role, or null if the token no longer works. */
  tokens: readonly { name: string; role: string; acting: string | null }[];
  total: number;
}

export interface OrganizationMails {
  memberInvitation(about: MemberInvitation): Wording;
  ssoChanged(baseUrl: string, about: { change: SsoChange; organizationName: string }): Wording;
  storageUnreachable(baseUrl: string, about: ContainerFacts & { reason: string }): Wording;
  storageReachable(baseUrl: string, about: ContainerFacts): Wording;
  mfaReminder(
    baseUrl: string,
    about: { organizationName: string; graceEndsAt: number; passkeySatisfies: boolean },
  ): Wording;
  auditRetention(baseUrl: string, about: { organizationName: string; days: number; removedFrom: number }): Wording;
  tokenOwner(notice: TokenOwnerNotice): Wording;
  test(baseUrl: string): Wording;
}

export type SecurityChange =
  | 'mfa_enabled'
  | 'mfa_disabled'
  | 'recovery_codes_regenerated'
  | 'recovery_codes_removed'
  | 'passkey_registered'
  | 'passkey_removed'
  | 'factors_removed'
  | 'personal_token_created'
  | 'personal_token_rotated';

export interface SignInMails {
  code(code: string): Wording;
  elsewhere: Wording;
  confirmationCode(code: string): Wording;
  security(
    baseUrl: string,
    about: { change: SecurityChange; name: string | undefined; ipAddress: string | null; at: number },
  ): Wording;
}

/** An organization, one of its projects, or a channel of that. Names below the narrowest one are null. */
export interface TestedPlace {
  organizationName: string;
  projectName: string | null;
  channelName: string | null;
}

/** How a person with a new grant gets in: with an account, by the first emailed code, by signing up, or by asking the operator for an account. */
export type WayIn = 'account' | 'email_code' | 'sign_up' | 'operator';

export interface TesterMails {
  grant(about: TestedPlace & { inviterName: string | null; wayIn: WayIn }): Wording;
  accessRequests(
    about: TestedPlace & { people: readonly { email: string; displayName: string }[]; hasMore: boolean },
  ): Wording;
  accessGranted(place: TestedPlace): Wording;
  channelInvitation(about: TestedPlace & { inviterName: string | null; expiresAt: number }): Wording;
  feedbackReply(about: { projectName: string; authorName: string | null }): Wording;
}
