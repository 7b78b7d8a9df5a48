// Sends one message by SMTP. The library is loaded at first use.
import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport';
import type { Config } from '../config.ts';
import { SECOND } from '../lib/clock.ts';

/** A message as it stands in the outbox. */
export interface OutgoingMail {
  id: string;
  recipient: string;
  subject: string;
  text: string;
  html: string;
  /** JSON of header lines of its own. */
  headers: string;
  createdAt: number;
}

export type Delivery = { outcome: 'sent' } | { outcome: 'refused' | 'unreachable'; error: string };

/** One attempt as a whole ends before the lease of its job does. */
const SEND_TIMEOUT_MS = 45 * SECOND;
const CONNECT_TIMEOUT_MS = 10 * SECOND;
const SILENCE_TIMEOUT_MS = 20 * SECOND;
const LONGEST_ERROR = 300;

function transportOptions({ smtp }: Config['mail']): SMTPTransportOptions {
  return {
    host: smtp.host,
    port: smtp.port,
    secure: smtp.security === 'tls',
    // Encryption that was asked for is never done without: a server that offers none is not sent to.
    requireTLS: smtp.security === 'starttls',
    ignoreTLS: smtp.security === 'none',
    ...(smtp.username === '' ? {} : { auth: { user: smtp.username, pass: smtp.password } }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Nothing in a message may make the library read a file or fetch an address.
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
 * Tries once. `refused` is the mail server's final no to this message (5xx to its recipient or its content); whatever
 * else goes wrong is `unreachable` and worth another try. The Message-ID is the same at every try, so that a receiver
 * can drop the copy when an answer was lost on the way.
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

/** Connects, encrypts and signs in as sending would. Throws what goes wrong. */
export async function greetMailServer(mail: Config['mail']): Promise<void> {
  const transport = await openTransport(mail);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/**
 * Only what the server says about recipient or content is final; a wrong password, certificate or sender is for the
 * operator to mend, and the mails wait for that.
 */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  const status = 'responseCode' in error ? Number(error.responseCode) : 0;
  const command = 'command' in error ? error.command : undefined;
  const isAboutMessage = code === 'EMESSAGE' || (code === 'EENVELOPE' && command === 'RCPT TO');
  return isAboutMessage && status >= 500 && status < 600 && status !== 503;
}

/** What went wrong in one line, for the operator. */
export function describeSmtpError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_ERROR);
}
