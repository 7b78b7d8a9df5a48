// Certificates from an ACME authority: ordered if there is none or renewal is due.

import { createHash, createPrivateKey, type X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { App } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { hostnameOf } from '../lib/url-host.ts';
import {
  type AcmeAccount,
  loadAcmeAccount,
  noteAttempt,
  noteFailure,
  noteSuccess,
  setAccountUrl,
} from './acme-accounts.ts';
import { type Acme, AcmeError, type Challenge, describeProblem, openAcme } from './acme-client.ts';
import { normalizeName } from './names.ts';
import { readCertificates } from './pem.ts';
import { findCertificate, findCertificateFor, insertCertificate, type KeptCertificate } from './store.ts';
import { type MadeCertificate, makeChallengeCertificate, makeRequest } from './x509.ts';

/** Publishes responses to an authority's challenges. Each method returns a function that removes the response. */
export interface ChallengeAnswers {
  /** Supported kinds, in order of preference. */
  kinds: readonly ChallengeKind[];
  answerHttp(token: string, keyAuthorization: string): () => void;
  answerAlpn(name: string, certificate: MadeCertificate): () => void;
}

type ChallengeKind = 'http-01' | 'tls-alpn-01';

/** Certificates are renewed after two thirds of their lifetime. */
const RENEW_AT = 2 / 3;
/** Clients reject long chains, OpenSSL those of 100 KiB. Usual chains have two or three certificates. */
const MAX_CHAIN = 10;

/** Returns the newest certificate of the configured authority for the configured names, expired or not. */
export function findAcmeCertificate(app: App): KeptCertificate | undefined {
  return findCertificate(app, 'acme', app.config.server.tls.acme_directory, acmeNames(app));
}

/** Returns a valid certificate for the host of base_url from before the authority or the names were changed. */
export function findFormerCertificate(app: App): KeptCertificate | undefined {
  return findCertificateFor(app, 'acme', hostnameOf(app.config.server.base_url));
}

function acmeNames({ config }: App): string[] {
  return [...new Set(config.server.tls.acme_domains.map(normalizeName))].sort();
}

/** Whether two thirds of a certificate's lifetime have passed. */
function isDueForRenewal({ createdAt, expiresAt }: KeptCertificate, now: number): boolean {
  return now >= createdAt + (expiresAt - createdAt) * RENEW_AT;
}

/**
 * Orders a certificate if one is due and the backoff has ended. Returns the new one, or undefined if none was due or the order
 * failed. A failure is stored and logged; the previous certificate stays active.
 */
export async function renewAcmeCertificate(
  app: App,
  answers: ChallengeAnswers,
  signal: AbortSignal,
): Promise<KeptCertificate | undefined> {
  const { acme_directory: directory } = app.config.server.tls;
  const now = app.clock.time();
  const kept = findAcmeCertificate(app);
  if (kept !== undefined && !isDueForRenewal(kept, now)) return undefined;
  const account = loadAcmeAccount(app, directory);
  // Future times are left over after the clock was set back.
  if (now < account.nextAttemptAt && (account.attemptedAt ?? 0) <= now) return undefined;
  noteAttempt(app, account);
  try {
    const certificate = await orderCertificate(app, account, answers, signal);
    insertCertificate(app, certificate);
    noteSuccess(app, account);
    const { names, expiresAt } = certificate;
    app.log.info({ directory, names, expires_at: new Date(expiresAt).toISOString() }, 'certificate received');
    return certificate;
  } catch (error) {
    if (signal.aborted) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    const next = noteFailure(app, account, reason, error instanceof AcmeError ? error.retryAfterMs : undefined);
    const words = 'certificate order failed';
    // Other errors are bugs of this program, so their stack is logged.
    const fault = error instanceof AcmeError ? {} : { err: error };
    app.log.error({ directory, reason, next_attempt_at: new Date(next).toISOString(), ...fault }, words);
    return undefined;
  }
}

async function orderCertificate(
  app: App,
  account: AcmeAccount,
  answers: ChallengeAnswers,
  signal: AbortSignal,
): Promise<KeptCertificate> {
  const { directory } = account;
  const names = acmeNames(app);
  const acme = await openAcme({ directory, key: account.key, fetch: app.fetch, signal });
  const order = await startOrder(app, acme, account, names);
  // If one kind of challenge fails, another may work, so each attempt starts with the next kind.
  const kinds = answers.kinds.map((_, index) => answers.kinds[(index + account.failures) % answers.kinds.length]);
  for (const url of order.authorizations) await authorize(app, acme, url, kinds, answers);
  const ready = await acme.waitForOrder(order.url, ['ready', 'valid']);
  if (ready.status === 'invalid')
    throw new AcmeError(ready.error ? describeProblem(ready.error) : 'The order is invalid');
  const { request, privateKey } = await makeRequest(names);
  await acme.finalize(order.finalize, request);
  const { certificate: url, error } = await acme.waitForOrder(order.url, ['valid']);
  if (url === undefined) throw new AcmeError(error ? describeProblem(error) : 'The authority issued no certificate');
  return checkReceived(app, { names, chain: await acme.download(url), privateKey });
}

async function startOrder(app: App, acme: Acme, account: AcmeAccount, names: readonly string[]) {
  const { directory } = account;
  const register = async () => {
    const { termsOfService } = acme;
    app.log.info({ directory, terms: termsOfService }, 'terms of the certificate authority accepted');
    setAccountUrl(app, directory, await acme.register(app.config.server.tls.acme_email));
  };
  if (account.accountUrl === null) await register();
  else acme.actAs(account.accountUrl);
  try {
    return await acme.createOrder(names);
  } catch (error) {
    // An authority may delete accounts; the key creates the account again.
    if (!(error instanceof AcmeError) || !error.type.endsWith(':accountDoesNotExist')) throw error;
    await register();
    return acme.createOrder(names);
  }
}

async function authorize(
  app: App,
  acme: Acme,
  url: string,
  kinds: readonly (ChallengeKind | undefined)[],
  answers: ChallengeAnswers,
): Promise<void> {
  const authorization = await acme.readAuthorization(url);
  if (authorization.status === 'valid') return;
  const offered = (kind: string | undefined) => authorization.challenges.find(({ type }) => type === kind);
  const challenge = kinds.map(offered).find((candidate) => candidate !== undefined);
  const name = authorization.identifier.value;
  if (challenge?.token === undefined) throw new AcmeError(`The authority offers no supported challenge for ${name}`);
  const withdraw = await publish(app, acme, name, { ...challenge, token: challenge.token }, answers);
  try {
    await acme.tryChallenge(challenge.url);
    const settled = await acme.waitForAuthorization(url);
    if (settled.status === 'valid') return;
    const reason = settled.challenges.find(({ error }) => error !== undefined)?.error;
    const words = reason === undefined ? settled.status : describeProblem(reason);
    throw new AcmeError(`${challenge.type} validation of ${name} failed: ${words}`);
  } finally {
    withdraw();
  }
}

async function publish(
  app: App,
  acme: Acme,
  name: string,
  { type, token }: Challenge & { token: string },
  answers: ChallengeAnswers,
): Promise<() => void> {
  const keyAuthorization = acme.keyAuthorization(token);
  if (type === 'http-01') return answers.answerHttp(token, keyAuthorization);
  const digest = createHash('sha256').update(keyAuthorization).digest();
  const now = app.clock.time();
  const validity = { notBefore: new Date(now - DAY), notAfter: new Date(now + DAY) };
  return answers.answerAlpn(name, await makeChallengeCertificate(name, digest, validity));
}

/** Checks that a certificate works: for our key and names, not expired, accepted by OpenSSL. */
function checkReceived(
  app: App,
  { names, chain, privateKey }: { names: string[]; chain: string; privateKey: string },
): KeptCertificate {
  const certificates: X509Certificate[] = attempt(() => readCertificates(chain));
  const [leaf] = certificates;
  if (leaf === undefined) throw new AcmeError('The authority sent no certificate');
  if (certificates.length > MAX_CHAIN) throw new AcmeError(`The authority sent more than ${MAX_CHAIN} certificates`);
  if (!leaf.checkPrivateKey(createPrivateKey(privateKey))) throw new AcmeError('The certificate has another key');
  const missing = names.find((name) => leaf.checkHost(name) === undefined);
  if (missing !== undefined) throw new AcmeError(`The certificate doesn't include ${missing}`);
  const now = app.clock.time();
  const expiresAt = leaf.validToDate.getTime();
  if (expiresAt <= now) throw new AcmeError('The certificate has already expired');
  const sent = certificates.map(String).join('');
  // OpenSSL rejects chains with weak keys. If such a certificate were stored, the server couldn't start with it.
  attempt(() => createSecureContext({ cert: sent, key: privateKey }));
  return {
    id: app.ids.next(),
    purpose: 'acme',
    issuer: app.config.server.tls.acme_directory,
    names,
    chain: sent,
    privateKey,
    createdAt: now,
    expiresAt,
  };
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    // OpenSSL's messages are error:CODE:library:function:reason.
    const reason = error instanceof Error ? error.message.replace(/^error:.*:/, '') : String(error);
    throw new AcmeError(`The certificate can't be used: ${reason}`);
  }
}
