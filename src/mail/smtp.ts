// Sends one message by SMTP. The library is loaded when it is first used.
import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport';
import type { Config } from '../config.ts';
import { SECOND } from '../lib/clock.ts';
import { startDeadline } from '../lib/deadline.ts';

/** A message of the outbox. */
export interface OutgoingMail {
  id: string;
  recipient: string;
  subject: string;
  text: string;
  html: string;
  /** Additional headers as JSON. */
  headers: string;
  createdAt: number;
}

export type Delivery = { outcome: 'sent' } | { outcome: 'refused' | 'unreachable'; error: string };

/** A whole attempt ends before the lease of its job expires. */
const SEND_TIMEOUT_MS = 45 * SECOND;
const CONNECT_TIMEOUT_MS = 10 * SECOND;
const SILENCE_TIMEOUT_MS = 20 * SECOND;
const MAX_ERROR_LENGTH = 300;

function transportOptions({ smtp }: Config['mail']): SMTPTransportOptions {
  return {
    host: smtp.host,
    port: smtp.port,
    secure: smtp.security === 'tls',
    // If encryption is required and the server offers none, nothing is sent.
    requireTLS: smtp.security === 'starttls',
    ignoreTLS: smtp.security === 'none',
    ...(smtp.username === '' ? {} : { auth: { user: smtp.username, pass: smtp.password } }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // A message must never make the library read a file or fetch a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function openTransport(mail: Config['mail']) {
  const { createTransport } = await import('nodemailer');
  return createTransport(transportOptions(mail));
}

function senderDomain(from: string): string {
  return /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}

/**
 * Makes one attempt. `refused` means that the mail server rejected this message permanently (5xx for its recipient or
 * content). All other errors are `unreachable` and can be retried. The Message-ID is the same in each attempt, so that
 * the receiver can drop a duplicate if a response was lost.
 */
export async function deliverMail(
  mail: Config['mail'],
  message: OutgoingMail,
  stopping: AbortSignal,
): Promise<Delivery> {
  const transport = await openTransport(mail);
  try {
    await transport.sendMail({
      from: mail.from,
      to: { name: '', address: message.recipient },
      subject: message.subject,
      text: message.text,
      html: message.html,
      date: new Date(message.createdAt),
      messageId: `<${message.id}@${senderDomain(mail.from)}>`,
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
        ...JSON.parse(message.headers),
      },
      signal: AbortSignal.any([stopping, AbortSignal.timeout(SEND_TIMEOUT_MS)]),
    });
    return { outcome: 'sent' };
  } catch (error) {
    return { outcome: isFinal(error) ? 'refused' : 'unreachable', error: describeSmtpError(error) };
  } finally {
    transport.close();
  }
}

/**
 * Connects, starts encryption and signs in, without sending anything. Throws the first error. Takes no longer than an attempt: a
 * server that sends a little again and again is never silent.
 */
export async function greetMailServer(mail: Config['mail'], timeoutMs = SEND_TIMEOUT_MS): Promise<void> {
  const { default: loaded } = await import('nodemailer/lib/smtp-connection');
  // The default of a package that is an ES module is the whole module in the bundle.
  const SmtpConnection = 'default' in loaded ? (loaded.default as typeof loaded) : loaded;
  const { username: user, password: pass } = mail.smtp;
  const connection = new SmtpConnection(transportOptions(mail));
  const { promise: greeted, resolve, reject } = Promise.withResolvers<void>();
  const settle = (error?: Error | null): void => (error ? reject(error) : resolve());
  const deadline = startDeadline(timeoutMs, () =>
    reject(new Error(`No complete response for ${timeoutMs / SECOND} s`)),
  );
  connection.on('error', settle);
  connection.once('end', () => reject(new Error('Connection closed')));
  connection.connect((error) => {
    if (error || user === '' || !connection.allowsAuth) settle(error);
    else connection.login({ credentials: { user, pass } }, settle);
  });
  try {
    await greeted;
    connection.quit();
  } finally {
    clearTimeout(deadline);
    connection.close();
  }
}

/** Commands out of order, and a missing sign-in (RFC 4954), which a server may notice only at the recipient. */
const OPERATOR_STATUSES: ReadonlySet<number> = new Set([503, 530]);

/**
 * Only errors about the recipient or the content are final. A wrong password, certificate or sender must be fixed by
 * the operator, and the emails wait for that.
 */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  const status = 'responseCode' in error ? Number(error.responseCode) : 0;
  const command = 'command' in error ? error.command : undefined;
  const isAboutMessage = code === 'EMESSAGE' || (code === 'EENVELOPE' && command === 'RCPT TO');
  return isAboutMessage && status >= 500 && status < 600 && !OPERATOR_STATUSES.has(status);
}

/** Returns the error in one line, for the operator. */
export function describeSmtpError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_ERROR_LENGTH);
}
