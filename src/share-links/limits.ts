// The limits of share links, which the web app enforces too.
export const MAX_INSTALLS = 1_000_000;
export const MAX_NOTE_LENGTH = 100;
export const MIN_PASSWORD_LENGTH = 8;
