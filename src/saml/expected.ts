// The expected recipient and signers of a response.

export interface Expected {
  entityId: string;
  certificates: readonly string[];
  audience: string;
  acsUrl: string;
  /** Milliseconds since the epoch. */
  now: number;
}
