// Reasons why an identity provider's message was rejected, with SAML or OpenID Connect. They only appear in the audit trail, not
// in responses.

export type RefusalReason =
  | 'unreadable'
  | 'status'
  | 'unsigned'
  | 'wrapped'
  | 'algorithm'
  | 'signature'
  | 'issuer'
  | 'destination'
  | 'audience'
  | 'recipient'
  | 'expired'
  | 'not_yet_valid'
  | 'request'
  | 'browser'
  | 'replayed'
  | 'subject'
  | 'email'
  | 'domain'
  | 'account_locked'
  | 'organization_locked'
  | 'configuration_changed'
  // Only with OpenID Connect.
  | 'nonce'
  | 'code'
  | 'unreachable'
  | 'email_unverified'
  | 'hosted_domain';

export class RefusedMessage extends Error {
  readonly reason: RefusalReason;
  /** More for the audit trail, such as the error code that the provider returned. */
  readonly details: Readonly<Record<string, string>>;

  constructor(reason: RefusalReason, details: Readonly<Record<string, string>> = {}) {
    super(reason);
    this.reason = reason;
    this.details = details;
  }
}
