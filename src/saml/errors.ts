// Reasons why an identity provider's message was rejected. They only appear in the audit trail, not in responses.

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
  | 'configuration_changed';

export class RefusedMessage extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(reason);
    this.reason = reason;
  }
}
