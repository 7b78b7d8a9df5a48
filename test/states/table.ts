// The specification's table of states and transitions (part 3), row by row in its own words.

/** Thing, state, moved by, condition, next state, what also happens. */
export type Row = readonly [string, string, string, string, string, string];

export const TABLE: readonly Row[] = [
  [
    'Upload',
    'none',
    'POST builds/initiate',
    'identity free, fewer than 25 in flight, billing allows',
    'pending upload',
    'signed URL and pending_upload_id issued',
  ],
  [
    'Upload',
    'pending',
    'PUT bytes then POST complete',
    'stored object size within 500 MiB',
    'build (active)',
    'sha256 recorded; billing gate applies',
  ],
  [
    'Upload',
    'pending',
    'time',
    '1 hour passes without complete',
    'expired, then swept',
    'identity released after the sweep; not billed',
  ],
  [
    'Build',
    'active (revoked_at null)',
    'revoke operation',
    'caller allowed',
    'revoked (revoked_at set)',
    'build is soft-deleted',
  ],
  ['Build', 'active or revoked', 'delete operation', 'caller allowed', 'permanently deleted', ''],
  [
    'Channel invitation',
    'pending',
    'accept with invite token',
    'caller signed in as invited address, within 10 minutes',
    'accepted (accepted_at, accepted_by_developer_id set)',
    'channel grant attached',
  ],
  ['Channel invitation', 'pending', 'time', '10 minutes', 'lapsed', ''],
  ['Member invitation (org or project)', 'pending', 'accept', 'within 14 days', 'accepted', 'membership created'],
  ['Member invitation', 'pending', 'time', '14 days', 'lapsed and swept; answers 404 on resend', ''],
  [
    'Org or project tester grant',
    'pending',
    'verified account with that address appears',
    '',
    'attached (active)',
    'no expiry while pending',
  ],
  [
    'Org or project tester grant',
    'none',
    'add tester',
    'an account already holds the address, verified or not',
    'attached (active) immediately',
    '',
  ],
  ['Refresh token', 'valid', 'exchange', 'used once', 'consumed; new pair issued', ''],
  ['Refresh token', 'consumed', 'presented again', '', 'whole session family revoked', 'client must sign in again'],
  [
    'Session',
    'active',
    'revoke one / revoke all / sign out',
    '',
    'revoked',
    'revoke-all also invalidates outstanding access tokens',
  ],
  ['Account', 'active', 'request deletion', '', 'locked out, deletion scheduled', 'cancellation email sent'],
  [
    'Account',
    'pending deletion',
    'POST developers/cancel_deletion with token',
    'token valid',
    'active',
    'token consumed',
  ],
  [
    'Organization billing',
    'unlocked',
    'payment problems unresolved after provider retries end',
    '',
    'suspended (lock_reason suspended)',
    'new builds refused; downloads of existing builds continue for a configured period',
  ],
  ['Organization billing', 'unlocked', 'plan committed, no payment method', '', 'awaiting_payment', 'writes refused'],
  [
    'Organization billing',
    'unlocked',
    'no-card trial runs out',
    '',
    'grace (code trial_ended)',
    'uploads, downloads and org writes refused until a payment method is added',
  ],
  [
    'Organization tier',
    'Team or Business',
    'POST tier',
    'Admin with ALL scope; Business upgrade needs a card',
    'other tier',
    'without a card answers checkout_required and tier is unchanged',
  ],
  ['Publish job', 'created', 'publish attempt', 'always', 'failed', 'no artifact reaches a store'],
  ['Card on file', 'false', 'provider transaction-completed webhook verified', '', 'true', ''],
];

/** What names a row: thing, state, and what moves it. */
export const nameOf = ([thing, state, movedBy]: Row): string => `${thing}: ${state}, ${movedBy}`;

/** Rows that this version does not serve yet, each with an operation that would serve it. */
export const NOT_SERVED: Readonly<Record<string, string>> = {
  'Organization billing: unlocked, payment problems unresolved after provider retries end':
    'GET /api/v1/organizations/{organization_id}/billing',
  'Organization billing: unlocked, plan committed, no payment method':
    'GET /api/v1/organizations/{organization_id}/billing',
  'Organization billing: unlocked, no-card trial runs out': 'GET /api/v1/organizations/{organization_id}/billing',
  'Organization tier: Team or Business, POST tier': 'POST /api/v1/organizations/{organization_id}/tier',
  'Publish job: created, publish attempt': 'POST /api/v1/publish',
  'Card on file: false, provider transaction-completed webhook verified':
    'POST /api/v1/organizations/{organization_id}/billing/card-capture',
};
