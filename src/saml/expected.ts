// What a response has to be addressed to and signed with.

export interface Expected {
  entityId: string;
  certificates: readonly string[];
  audience: string;
  acsUrl: string;
  /** Milliseconds since the epoch. */
  now: number;
}
