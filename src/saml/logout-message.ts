// Reads an identity provider's logout message of the redirect binding, authenticated by the signature of its query.

import { RefusedMessage } from './errors.ts';
import { readRedirectMessage } from './messages.ts';
import { ASSERTION, PROTOCOL } from './names.ts';
import { REQUEST_LIFETIME_MS } from './request-id.ts';
import { CLOCK_SKEW_MS, parseMessage } from './response.ts';
import { attributeOf, childrenOf, onlyChildOf, type XmlElement } from './xml.ts';

const MAX_INDEXES = 100;

/** The expected values of a logout message. */
export interface ExpectedLogout {
  entityId: string;
  certificates: readonly string[];
  sloUrl: string;
  /** Milliseconds since the epoch. */
  now: number;
}

export type LogoutMessage =
  | { kind: 'request'; id: string; nameId: string; sessionIndexes: string[]; relayState: string | undefined }
  | { kind: 'response'; inResponseTo: string };

/** Reads the message of a raw query. Throws RefusedMessage unless it's from this identity provider, for us, and recent. */
export function readLogoutMessage(rawQuery: string, expected: ExpectedLogout): LogoutMessage {
  const message = readRedirectMessage(rawQuery, expected.certificates);
  if (message === undefined) throw new RefusedMessage('signature');
  const root = parseMessage(message.xml);
  const isRequest = message.parameter === 'SAMLRequest';
  checkEnvelope(root, isRequest ? 'LogoutRequest' : 'LogoutResponse', expected);
  if (!isRequest) return { kind: 'response', inResponseTo: attributeOf(root, 'InResponseTo') ?? '' };
  const id = attributeOf(root, 'ID') ?? '';
  const nameId = onlyChildOf(root, ASSERTION, 'NameID');
  if (id === '' || nameId === undefined || nameId.children.length > 0) throw new RefusedMessage('subject');
  const sessionIndexes = childrenOf(root, PROTOCOL, 'SessionIndex').map((one) => one.text);
  if (sessionIndexes.length > MAX_INDEXES) throw new RefusedMessage('unreadable');
  return { kind: 'request', id, nameId: nameId.text, sessionIndexes, relayState: message.relayState };
}

function checkEnvelope(root: XmlElement, name: string, { entityId, sloUrl, now }: ExpectedLogout): void {
  if (root.namespace !== PROTOCOL || root.name !== name) throw new RefusedMessage('unreadable');
  if (onlyChildOf(root, ASSERTION, 'Issuer')?.text !== entityId) throw new RefusedMessage('issuer');
  if (attributeOf(root, 'Destination') !== sloUrl) throw new RefusedMessage('destination');
  const issuedAt = Date.parse(attributeOf(root, 'IssueInstant') ?? '');
  const until = Date.parse(attributeOf(root, 'NotOnOrAfter') ?? '9999-01-01T00:00:00Z');
  if (!(issuedAt - CLOCK_SKEW_MS <= now)) throw new RefusedMessage('not_yet_valid');
  if (!(now < issuedAt + REQUEST_LIFETIME_MS && now < until + CLOCK_SKEW_MS)) throw new RefusedMessage('expired');
}
