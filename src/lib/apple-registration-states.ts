// The states of a device in an Apple developer account, those that allow the most first.
export const appleRegistrationStates = ['registered', 'processing', 'disabled', 'refused'] as const;

export type AppleRegistrationState = (typeof appleRegistrationStates)[number];
