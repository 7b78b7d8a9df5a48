// The states of share links. Without imports, because the web app's texts use them.

/** `build_revoked` and `creator_lacks_role` can become active again. */
export const shareLinkStates = [
  'active',
  'used_up',
  'expired',
  'revoked',
  'build_revoked',
  'creator_lacks_role',
] as const;
export type ShareLinkState = (typeof shareLinkStates)[number];
