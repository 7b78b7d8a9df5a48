// The limits of labels, which the web app names too.
export const MAX_LABELS = 20;
export const MAX_LABEL_LENGTH = 50;
