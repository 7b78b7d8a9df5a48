// Health checks of email: transport, connection to the mail server, and sender.

import { sendsEmail } from '../config/sends-email.ts';
import type { Config } from '../config.ts';
import { describeSmtpError, greetMailServer } from '../mail/smtp.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Connects to the mail server without sending an email. */
export async function checkMail({ mail }: Config): Promise<Finding[]> {
  if (!sendsEmail({ mail })) return [ok('mail', "emails aren't sent; they stay in the database", 'mail_outbox')];
  const { host, port, security, username } = mail.smtp;
  const place = `${host}:${port}`;
  const findings: Finding[] = [];
  try {
    await greetMailServer(mail);
    const account = username === '' ? 'without an account' : `as ${username}`;
    findings.push(
      ok('mail', `${place} accepts connections ${account}; emails are sent from ${mail.from}`, 'mail_reached', {
        place,
        from: mail.from,
      }),
    );
  } catch (error) {
    findings.push(
      fail('mail', `${place} (${security}): ${describeSmtpError(error)}`, 'mail_refused', {
        place,
        security,
        reason: describeSmtpError(error),
      }),
    );
  }
  if (security === 'none' && username !== '') {
    findings.push(
      warn(
        'mail',
        'the password of the mail account is sent unencrypted: mail.smtp.security is "none"',
        'mail_unencrypted',
      ),
    );
  }
  if (/@localhost>?$/.test(mail.from)) {
    findings.push(
      warn(
        'mail',
        `nobody can reply to ${mail.from}, and receivers may reject emails from it: set mail.from`,
        'mail_no_answer',
        {
          from: mail.from,
        },
      ),
    );
  }
  return findings;
}
