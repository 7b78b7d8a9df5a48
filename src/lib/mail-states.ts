// The states of an email in the outbox. A server that sends no email keeps them.
export const mailStates = ['pending', 'kept', 'sent', 'failed'] as const;

export type MailState = (typeof mailStates)[number];
