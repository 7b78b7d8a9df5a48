// Links in mails to testers, which work without signing in: signed texts about one person and one thing. Nothing is stored.
import type { App } from '../core/context.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

/** What a link is good for: opening a release, or muting a channel. */
export type LinkPurpose = 'tester release' | 'tester mute';

export interface LinkSubject {
  developerId: string;
  /** Id of the release or the channel. */
  subjectId: string;
  /** Milliseconds since the epoch; 0 for a link without an end. */
  expiresAt: number;
}

type Signer = Pick<App, 'clock' | 'secrets'>;

const UUID_BYTES = 16;
const EXPIRY_BYTES = 6;
const PAYLOAD_BYTES = EXPIRY_BYTES + 2 * UUID_BYTES;
const MOST_CHARACTERS = 256;

const fieldsOf = ({ developerId, subjectId, expiresAt }: LinkSubject) => [developerId, subjectId, String(expiresAt)];

/** ClosedKeys a link; safe as one segment of a path. */
export function sealLink({ secrets }: Pick<App, 'secrets'>, purpose: LinkPurpose, subject: LinkSubject): string {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUIntBE(subject.expiresAt, 0, EXPIRY_BYTES);
  for (const [index, id] of [subject.developerId, subject.subjectId].entries()) {
    payload.write(id.replaceAll('-', ''), EXPIRY_BYTES + index * UUID_BYTES, 'hex');
  }
  return `${payload.toString('base64url')}.${signFields(secrets.keyring, purpose, fieldsOf(subject))}`;
}

/** Whom and what a link is about; undefined when it is malformed, altered, sealed for something else or over. */
export function openLink({ clock, secrets }: Signer, purpose: LinkPurpose, token: string): LinkSubject | undefined {
  const end = token.indexOf('.');
  if (token.length > MOST_CHARACTERS || end < 0) return undefined;
  const text = token.slice(0, end);
  const payload = Buffer.from(text, 'base64url');
  // Several texts decode to the same bytes; only the one that was written is taken.
  if (payload.length !== PAYLOAD_BYTES || payload.toString('base64url') !== text) return undefined;
  const subject = {
    developerId: uuidAt(payload, EXPIRY_BYTES),
    subjectId: uuidAt(payload, EXPIRY_BYTES + UUID_BYTES),
    expiresAt: payload.readUIntBE(0, EXPIRY_BYTES),
  };
  if (!verifyFields(secrets.keyring, purpose, fieldsOf(subject), token.slice(end + 1))) return undefined;
  const isOver = subject.expiresAt !== 0 && clock.now().getTime() >= subject.expiresAt;
  return isOver ? undefined : subject;
}

function uuidAt(bytes: Buffer, offset: number): string {
  const hex = bytes.toString('hex', offset, offset + UUID_BYTES);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
