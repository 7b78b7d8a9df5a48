// The limits of feedback (docs/specification/feedback.md#limits).
export const MAX_TEXT = 4_000;
export const MAX_PICTURES = 5;
export const MAX_PICTURE_BYTES = 5 * 1024 * 1024;
/** What one person or one install may send in an hour. */
export const MAX_PER_HOUR = 20;
export const MAX_PER_PROJECT = 5_000;
export const MAX_BYTES_PER_PROJECT = 1024 ** 3;
export const MAX_REPLIES = 50;
