// Why a message of an identity provider was refused: for the audit trail only, who sent it learns nothing.

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
