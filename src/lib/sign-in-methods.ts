// The ways in which a sign-in begins. After `password` and `email`, a two-factor method may follow.
export const signInMethods = ['password', 'passkey', 'sso', 'email'] as const;

export type SignInMethod = (typeof signInMethods)[number];
