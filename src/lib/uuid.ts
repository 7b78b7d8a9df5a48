// The canonical form of UUIDs.

/** Matches a UUID in lower case, as ids are stored. A part of larger patterns, without groups to capture. */
export const UUID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
