// Links in emails to testers that work without signing in: signed values with a person and a release or channel. Nothing
// is stored.
import type { App } from '../core/context.ts';
import { uuidAt } from '../runtime/ids.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

/** The purpose of a link: opening a release or muting a channel. */
export type LinkPurpose = 'tester release' | 'tester mute';

export interface LinkSubject {
  developerId: string;
  /** Id of the release or the channel. */
  subjectId: string;
  /** Milliseconds since the epoch; 0 if the link never expires. */
  expiresAt: number;
}

type Signer = Pick<App, 'clock' | 'secrets'>;

const UUID_BYTES = 16;
const EXPIRY_BYTES = 6;
const PAYLOAD_BYTES = EXPIRY_BYTES + 2 * UUID_BYTES;
const MAX_CHARACTERS = 256;

const fieldsOf = ({ developerId, subjectId, expiresAt }: LinkSubject) => [developerId, subjectId, String(expiresAt)];

/** Creates a signed link token, safe as a path segment. */
export function signLink({ secrets }: Pick<App, 'secrets'>, purpose: LinkPurpose, subject: LinkSubject): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUIntBE(subject.expiresAt, 0, EXPIRY_BYTES);
  for (const [index, id] of [subject.developerId, subject.subjectId].entries()) {
    payload.write(id.replaceAll('-', ''), EXPIRY_BYTES + index * UUID_BYTES, 'hex');
  }
  return `${payload.toString('base64url')}.${signFields(secrets.keyring, purpose, fieldsOf(subject))}`;
}

/** Returns the subject of a link, or undefined if it is malformed, altered, signed for another purpose or expired. */
export function readLink({ clock, secrets }: Signer, purpose: LinkPurpose, token: string): LinkSubject | undefined {
  const end = token.indexOf('.');
  if (token.length > MAX_CHARACTERS || end < 0) return undefined;
  const text = token.slice(0, end);
  const payload = Buffer.from(text, 'base64url');
  // Several strings decode to the same bytes. Only the canonical one is valid.
  if (payload.length !== PAYLOAD_BYTES || payload.toString('base64url') !== text) return undefined;
  const subject = {
    developerId: uuidAt(payload, EXPIRY_BYTES),
    subjectId: uuidAt(payload, EXPIRY_BYTES + UUID_BYTES),
    expiresAt: payload.readUIntBE(0, EXPIRY_BYTES),
  };
  if (!verifyFields(secrets.keyring, purpose, fieldsOf(subject), token.slice(end + 1))) return undefined;
  const isOver = subject.expiresAt !== 0 && clock.time() >= subject.expiresAt;
  return isOver ? undefined : subject;
}
