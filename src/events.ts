// All domain events, each with its audit event and type (docs/audit.md#every-event) and the webhook that it triggers.
import type { SubscribableEvent } from './webhook-events.ts';

/** Kinds of actors in audit rows. */
export const actorKinds = [
  'developer',
  'personal_access_token',
  'project_access_token',
  'system',
  'anonymous',
] as const;

export type ActorKind = (typeof actorKinds)[number];

/** The actor of an event, as in audit rows. */
export interface Author {
  actorKind: ActorKind;
  actorId: string | null;
  actorName: string | null;
  /** The developer behind the actor, if any. */
  developerId: string | null;
  ipAddress: string | null;
}

interface EventDefinition {
  audit: { event: string; type: string };
  /** The event changes sign-in methods: a signed-in developer must have stepped up. */
  requiresStepUp?: true;
  webhook?: SubscribableEvent;
  /** A second webhook, if the facts of the event have `also`. */
  also?: SubscribableEvent;
}

export const events = {
  'developer.created': { audit: { event: 'created', type: 'developer' } },
  'developer.edited': { audit: { event: 'edited', type: 'developer' } },
  'developer.redundant': { audit: { event: 'redundant_action', type: 'developer' } },
  'developer.email_verified': { audit: { event: 'email_verified', type: 'developer' } },
  'developer.password_changed': { audit: { event: 'password_changed', type: 'developer' }, requiresStepUp: true },
  'login.succeeded': { audit: { event: 'login_succeeded', type: 'developer' } },
  'login.failed': { audit: { event: 'login_failed', type: 'developer' } },
  'login.mfa_succeeded': { audit: { event: 'mfa_login_succeeded', type: 'developer' } },
  'login.passkey_succeeded': { audit: { event: 'passkey_login_succeeded', type: 'developer' } },
  'login.logged_out': { audit: { event: 'logged_out', type: 'developer' } },
  'account_deletion.requested': {
    audit: { event: 'account_deletion_requested', type: 'developer' },
    requiresStepUp: true,
  },
  'account_deletion.cancelled': { audit: { event: 'account_deletion_cancelled', type: 'developer' } },
  'developer.deleted': { audit: { event: 'deleted', type: 'developer' } },
  'data_export.requested': { audit: { event: 'data_export_requested', type: 'data_export' } },
  'data_export.completed': { audit: { event: 'data_export_completed', type: 'data_export' } },
  'data_export.failed': { audit: { event: 'data_export_failed', type: 'data_export' } },
  'data_export.downloaded': { audit: { event: 'data_export_downloaded', type: 'data_export' } },
  'session.refreshed': { audit: { event: 'session_refreshed', type: 'developer' } },
  'session.revoked': { audit: { event: 'session_revoked', type: 'developer' } },
  'session.all_revoked': { audit: { event: 'all_sessions_revoked', type: 'developer' } },
  'session.reuse_detected': { audit: { event: 'refresh_token_reuse_detected', type: 'developer' } },
  'mfa.enabled': { audit: { event: 'mfa_enabled', type: 'developer' }, requiresStepUp: true },
  'mfa.disabled': { audit: { event: 'mfa_disabled', type: 'developer' }, requiresStepUp: true },
  'mfa.recovery_codes_regenerated': {
    audit: { event: 'mfa_recovery_codes_regenerated', type: 'developer' },
    requiresStepUp: true,
  },
  'passkey.registered': { audit: { event: 'passkey_registered', type: 'developer' }, requiresStepUp: true },
  'passkey.edited': { audit: { event: 'edited', type: 'developer' }, requiresStepUp: true },
  'passkey.removed': { audit: { event: 'passkey_removed', type: 'developer' }, requiresStepUp: true },
  'organization.created': { audit: { event: 'created', type: 'organization' } },
  'organization.edited': { audit: { event: 'edited', type: 'organization' } },
  'organization.deleted': { audit: { event: 'deleted', type: 'organization' } },
  'organization.mfa_policy_changed': { audit: { event: 'org_mfa_policy_changed', type: 'org_mfa_policy' } },
  'storage_backend.unreachable': { audit: { event: 'storage_unreachable', type: 'storage_backend' } },
  'storage_backend.left': { audit: { event: 'storage_left', type: 'storage_backend' } },
  'storage_backend.abandoned': { audit: { event: 'storage_abandoned', type: 'storage_backend' } },
  'storage_backend.reachable': { audit: { event: 'storage_reachable', type: 'storage_backend' } },
  'secret_key.rotated': { audit: { event: 'secret_key_rotated', type: 'server' } },
  'storage.moved': { audit: { event: 'storage_moved', type: 'storage' } },
  'storage_request.created': {
    audit: { event: 'storage_onboarding_requested', type: 'storage_onboarding_request' },
  },
  'storage_request.approved': { audit: { event: 'accepted', type: 'storage_onboarding_request' } },
  'storage_request.rejected': {
    audit: { event: 'storage_onboarding_rejected', type: 'storage_onboarding_request' },
  },
  'storage_request.withdrawn': {
    audit: { event: 'storage_onboarding_withdrawn', type: 'storage_onboarding_request' },
  },
  'credit.credited': { audit: { event: 'credited', type: 'credit' } },
  'credit.refunded': { audit: { event: 'refunded', type: 'credit' } },
  'credit.forfeited': { audit: { event: 'credit_forfeited', type: 'credit' } },
  'organization.spend_cap_changed': { audit: { event: 'org_spend_cap_changed', type: 'org_spend_cap' } },
  'prepaid.enabled': { audit: { event: 'prepaid_enabled', type: 'prepaid' } },
  'organization.card_on_file': { audit: { event: 'org_card_on_file', type: 'org_card_on_file' } },
  'organization.subscription_created': { audit: { event: 'org_subscription_created', type: 'org_subscription' } },
  'organization.payment_state_changed': { audit: { event: 'org_payment_state_changed', type: 'org_payment_state' } },
  'organization.lifecycle_changed': { audit: { event: 'org_lifecycle_changed', type: 'org_lifecycle' } },
  'organization.tier_changed': { audit: { event: 'org_tier_changed', type: 'org_tier' } },
  'feature_flag.edited': { audit: { event: 'edited', type: 'feature_flag' } },
  'organization_membership.created': { audit: { event: 'created', type: 'org_membership' } },
  'organization_membership.edited': { audit: { event: 'edited', type: 'org_membership' } },
  'organization_membership.deleted': { audit: { event: 'deleted', type: 'org_membership' } },
  'sso.config_changed': { audit: { event: 'org_sso_config_changed', type: 'org_sso' } },
  'sso.login_succeeded': { audit: { event: 'sso_login_succeeded', type: 'org_sso' } },
  'sso.login_failed': { audit: { event: 'login_failed', type: 'org_sso' } },
  'sso.logout_failed': { audit: { event: 'logout_failed', type: 'org_sso' } },
  'sso_domain.created': { audit: { event: 'created', type: 'org_sso_domain' } },
  'sso_domain.verification_changed': {
    audit: { event: 'org_sso_domain_verification_changed', type: 'org_sso_domain' },
  },
  'sso_domain.deleted': { audit: { event: 'deleted', type: 'org_sso_domain' } },
  'organization_invitation.created': { audit: { event: 'created', type: 'org_invite' } },
  'organization_invitation.resent': { audit: { event: 'reinvited', type: 'org_invite' } },
  'organization_invitation.edited': { audit: { event: 'edited', type: 'org_invite' } },
  'organization_invitation.accepted': { audit: { event: 'accepted', type: 'org_invite' } },
  'organization_invitation.revoked': { audit: { event: 'revoked', type: 'org_invite' } },
  'project_invitation.created': { audit: { event: 'created', type: 'project_invite' } },
  'project_invitation.resent': { audit: { event: 'reinvited', type: 'project_invite' } },
  'project_invitation.accepted': { audit: { event: 'accepted', type: 'project_invite' } },
  'project_invitation.revoked': { audit: { event: 'revoked', type: 'project_invite' } },
  'organization_tester_grant.created': { audit: { event: 'created', type: 'org_tester_grant' } },
  'organization_tester_grant.attached': { audit: { event: 'accepted', type: 'org_tester_grant' } },
  'organization_tester_grant.notified': { audit: { event: 'reinvited', type: 'org_tester_grant' } },
  'organization_tester_grant.deleted': { audit: { event: 'deleted', type: 'org_tester_grant' } },
  'project_tester_grant.created': { audit: { event: 'created', type: 'project_tester_grant' } },
  'project_tester_grant.attached': { audit: { event: 'accepted', type: 'project_tester_grant' } },
  'project_tester_grant.notified': { audit: { event: 'reinvited', type: 'project_tester_grant' } },
  'project_tester_grant.deleted': { audit: { event: 'deleted', type: 'project_tester_grant' } },
  'channel_tester_grant.created': { audit: { event: 'created', type: 'channel_tester_grant' } },
  'channel_tester_grant.deleted': { audit: { event: 'deleted', type: 'channel_tester_grant' } },
  'channel_tester_invite.created': { audit: { event: 'created', type: 'channel_tester_invite' } },
  'channel_tester_invite.accepted': { audit: { event: 'accepted', type: 'channel_tester_invite' } },
  'channel_tester_invite.revoked': { audit: { event: 'revoked', type: 'channel_tester_invite' } },
  'join_link.created': { audit: { event: 'created', type: 'join_link' } },
  'join_link.accepted': { audit: { event: 'accepted', type: 'join_link' } },
  'join_link.revoked': { audit: { event: 'revoked', type: 'join_link' } },
  'access_request.created': { audit: { event: 'created', type: 'access_request' } },
  'access_request.granted': { audit: { event: 'accepted', type: 'access_request' } },
  'access_request.declined': { audit: { event: 'revoked', type: 'access_request' } },
  'tester_group.created': { audit: { event: 'created', type: 'tester_group' } },
  'tester_group.edited': { audit: { event: 'edited', type: 'tester_group' } },
  'tester_group.deleted': { audit: { event: 'deleted', type: 'tester_group' } },
  'tester_group_member.created': { audit: { event: 'created', type: 'tester_group_member' } },
  'tester_group_member.attached': { audit: { event: 'accepted', type: 'tester_group_member' } },
  'tester_group_member.deleted': { audit: { event: 'deleted', type: 'tester_group_member' } },
  'tester_group_grant.created': { audit: { event: 'created', type: 'tester_group_grant' } },
  'tester_group_grant.deleted': { audit: { event: 'deleted', type: 'tester_group_grant' } },
  'notification_preference.edited': { audit: { event: 'edited', type: 'developer' } },
  'project.created': { audit: { event: 'created', type: 'project' } },
  'project.edited': { audit: { event: 'edited', type: 'project' } },
  'project.deleted': { audit: { event: 'deleted', type: 'project' } },
  'project.linked': { audit: { event: 'linked', type: 'project' } },
  'project.unlinked': { audit: { event: 'unlinked', type: 'project' } },
  'project_membership.created': { audit: { event: 'created', type: 'project_membership' } },
  'project_membership.edited': { audit: { event: 'edited', type: 'project_membership' } },
  'project_membership.deleted': { audit: { event: 'deleted', type: 'project_membership' } },
  'project_access_token.created': { audit: { event: 'project_access_token_created', type: 'project_access_token' } },
  'project_access_token.rotated': { audit: { event: 'project_access_token_rotated', type: 'project_access_token' } },
  'project_access_token.revoked': { audit: { event: 'project_access_token_revoked', type: 'project_access_token' } },
  'project_access_token.taken_over': { audit: { event: 'edited', type: 'project_access_token' } },
  'project_access_token.deleted': { audit: { event: 'project_access_token_deleted', type: 'project_access_token' } },
  'personal_access_token.created': { audit: { event: 'created', type: 'pat' } },
  'personal_access_token.rotated': { audit: { event: 'edited', type: 'pat' } },
  'personal_access_token.revoked': { audit: { event: 'revoked', type: 'pat' } },
  'personal_access_token.deleted': { audit: { event: 'deleted', type: 'pat' } },
  'build.uploaded': {
    audit: { event: 'created', type: 'build' },
    webhook: 'build.uploaded',
    also: 'build.inspected',
  },
  'build.edited': { audit: { event: 'edited', type: 'build' } },
  'build.revoked': { audit: { event: 'revoked', type: 'build' } },
  'build.pinned': { audit: { event: 'pinned', type: 'build' } },
  'build.unpinned': { audit: { event: 'unpinned', type: 'build' } },
  'build.redundant': { audit: { event: 'redundant_action', type: 'build' } },
  'build.deleted': { audit: { event: 'deleted', type: 'build' }, webhook: 'build.deleted' },
  'build.retention_expired': { audit: { event: 'build_retention_expired', type: 'build' }, webhook: 'build.deleted' },
  'channel.created': { audit: { event: 'created', type: 'channel' } },
  'channel.edited': { audit: { event: 'edited', type: 'channel' } },
  'channel.deleted': { audit: { event: 'deleted', type: 'channel' } },
  'preview.opened': { audit: { event: 'opened', type: 'preview' } },
  'preview.ended': { audit: { event: 'ended', type: 'preview' }, webhook: 'preview.ended' },
  'share_link.created': { audit: { event: 'created', type: 'share_link' } },
  'share_link.revoked': { audit: { event: 'revoked', type: 'share_link' } },
  'feed_token.created': { audit: { event: 'created', type: 'feed_token' } },
  'feed_token.revoked': { audit: { event: 'revoked', type: 'feed_token' } },
  'sdk_app.created': { audit: { event: 'created', type: 'sdk_app' } },
  'sdk_app.edited': { audit: { event: 'edited', type: 'sdk_app' } },
  'sdk_app.redundant': { audit: { event: 'redundant_action', type: 'sdk_app' } },
  'sdk_app.revoked': { audit: { event: 'revoked', type: 'sdk_app' } },
  'sdk_app.deleted': { audit: { event: 'deleted', type: 'sdk_app' } },
  'device_enrollment.created': { audit: { event: 'created', type: 'device_enrollment' } },
  'device.registered': { audit: { event: 'device_registered', type: 'device' } },
  'device.enrolled_again': { audit: { event: 'device_registered', type: 'device' } },
  'device.registered_with_apple': {
    audit: { event: 'device_registered', type: 'device' },
    webhook: 'device.registered',
  },
  'device.edited': { audit: { event: 'edited', type: 'device' } },
  'device.deleted': { audit: { event: 'deleted', type: 'device' } },
  'store_connection.created': { audit: { event: 'created', type: 'store_connection' } },
  'store_connection.edited': { audit: { event: 'edited', type: 'store_connection' } },
  'store_connection.deleted': { audit: { event: 'deleted', type: 'store_connection' } },
  'publish.requested': { audit: { event: 'store_publish_requested', type: 'store_publish' } },
  'publish.failed': { audit: { event: 'store_publish_failed', type: 'store_publish' } },
  'waiting_device.created': { audit: { event: 'created', type: 'waiting_device' } },
  'waiting_device.deleted': { audit: { event: 'deleted', type: 'waiting_device' } },
  'release.created': { audit: { event: 'created', type: 'release' }, webhook: 'release.created' },
  'release.edited': { audit: { event: 'edited', type: 'release' } },
  'release.redundant': { audit: { event: 'redundant_action', type: 'release' } },
  'release.rolled_back': { audit: { event: 'rolled_back', type: 'release' }, webhook: 'release.rolled_back' },
  'release.deleted': { audit: { event: 'deleted', type: 'release' }, webhook: 'release.deleted' },
  'feedback.created': { audit: { event: 'created', type: 'feedback' }, webhook: 'feedback.received' },
  'feedback.edited': { audit: { event: 'edited', type: 'feedback' } },
  'feedback.replied': { audit: { event: 'replied', type: 'feedback' } },
  'feedback.deleted': { audit: { event: 'deleted', type: 'feedback' } },
  'webhook.created': { audit: { event: 'created', type: 'webhook_subscription' } },
  'webhook.edited': { audit: { event: 'edited', type: 'webhook_subscription' } },
  'webhook.deleted': { audit: { event: 'deleted', type: 'webhook_subscription' } },
} as const satisfies Record<string, EventDefinition>;

export type EventName = keyof typeof events;

/** Type and event of an audit row, such as `release.created`. Several events can have the same. */
export type AuditKey = {
  [Name in EventName]: `${(typeof events)[Name]['audit']['type']}.${(typeof events)[Name]['audit']['event']}`;
}[EventName];

/** The event and the type of an audit row, each as one word, such as `created` and `release`. */
export type AuditWord = (typeof events)[EventName]['audit']['event' | 'type'];

/** The facts of an event: the arguments of `tx.record`. */
export interface EventFacts {
  /** Id of the affected resource. */
  identifier: string;
  /** The organization whose audit trail gets the event; null for personal events. */
  organizationId: string | null;
  projectId?: string | null;
  /** The developer whose personal audit trail gets the event; by default the acting developer. */
  developerId?: string | null;
  /** Event-specific facts for the audit row. Must not contain secrets. */
  details?: Record<string, unknown>;
  /** The original actor if it differs from the current one, such as for a deletion that is finished later. */
  author?: Author | undefined;
  /** Ids of the changed resources for the webhook: build_id, channel_id and release_id, where applicable. */
  data?: Record<string, string>;
  /** The data of the second webhook that the same change triggers. */
  also?: { data: Record<string, string>; details: Record<string, unknown> };
}
