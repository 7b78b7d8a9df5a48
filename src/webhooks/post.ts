// Sends one request to an address that somebody typed in: where it goes is judged when it connects, how long it takes and
// how much it answers is bounded, and nothing it answers leads anywhere else.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { hostnameOf } from '../lib/url-host.ts';
import { type AddressPolicy, isPublicAddress, refusalOf, refusalOfUrl } from './addresses.ts';
import type { Resolve } from './resolve.ts';

export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  policy: AddressPolicy;
  resolve: Resolve;
  /** For everything together: names, connection, request and the status of the answer. */
  timeoutMs: number;
  /** Breaks it off. */
  signal: AbortSignal;
}

export interface PostOutcome {
  /** Null when nothing was answered. */
  statusCode: number | null;
  /** What went wrong, for whoever manages the subscription; null after a status of 200 to 299. Never the address. */
  error: string | null;
  /** The same for the operator, who may know more. */
  reason: string | null;
}

/** An answer is read to its end within these, so that a receiver can finish it; only its status counts. */
const MOST_ANSWER_BYTES = 64 * 1024;
const ANSWER_PATIENCE_MS = 1_000;
/** Answers such as 103 before the one that counts. Each is small, and reading them without end takes the whole processor. */
const MOST_INTERIM_ANSWERS = 100;
/** Addresses of each family that are tried for one request, so that a name cannot turn it into a scan of a network. */
const MOST_ADDRESSES = 4;
const LONGEST_CODE = 100;

/** A refusal in words that may be shown. */
class Refusal extends Error {}
/** A refusal that the address itself shows, without a look at the network. */
class PlainRefusal extends Refusal {}

/** What is known of where a request goes. */
interface Target {
  /** Whether every address of it is public; false until that is known. */
  isPublic: boolean;
}

/**
 * Where webhooks may go to the network of the server, an organization could learn what is in it from how requests fail: which
 * names, hosts and ports there are and what they speak.
 */
const NOT_REACHED = 'not reached';

/** Sends a POST and tells what came of it; never throws. Each request has a connection of its own. */
export async function post(request: PostRequest): Promise<PostOutcome> {
  const { timeoutMs } = request;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Refusal(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
  const signal = AbortSignal.any([request.signal, deadline.signal]);
  const target: Target = { isPublic: false };
  try {
    const answer = await begin(request, target, signal);
    await discard(answer, signal);
    const statusCode = answer.statusCode ?? 0;
    const error = describeStatus(statusCode);
    return { statusCode, error, reason: error };
  } catch (error) {
    const cause = signal.aborted ? signal.reason : error;
    const reason = describeError(cause);
    const { allow_private_networks: isPrivateAllowed, allow_loopback: isLoopbackAllowed } = request.policy;
    const mayShow = target.isPublic || cause instanceof PlainRefusal || !(isPrivateAllowed || isLoopbackAllowed);
    return { statusCode: null, error: mayShow ? reason : NOT_REACHED, reason };
  } finally {
    clearTimeout(timer);
  }
}

/** Connects and sends; resolves with the status line and headers of the answer. */
async function begin({ url, headers, body, policy, resolve }: PostRequest, known: Target, signal: AbortSignal) {
  const target = new URL(url);
  // An address is connected to as it is, without the look-up of a name that judges it below.
  const refusal = refusalOfUrl(target, policy);
  if (refusal !== undefined) throw new PlainRefusal(refusal);
  known.isPublic = isPublicAddress(hostnameOf(target));
  const isSecure = target.protocol === 'https:';
  const { request } = isSecure ? await import('node:https') : await import('node:http');
  const options: RequestOptions & { rejectUnauthorized: true } = {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length },
    // No connection is kept: a kept one would go to wherever the name led before. No proxy of the environment either.
    agent: false,
    lookup: judgedLookup(resolve, policy, known, signal),
    signal,
    rejectUnauthorized: true,
  };
  return new Promise<IncomingMessage>((answered, fail) => {
    const sent = request(target, options);
    let interim = 0;
    sent.on('information', () => {
      interim += 1;
      if (interim > MOST_INTERIM_ANSWERS) sent.destroy(new Refusal('the answer does not come to its point'));
    });
    sent.on('response', answered);
    sent.on('error', fail);
    sent.on('close', () => fail(new Refusal('the connection was closed without an answer')));
    sent.end(body);
  });
}

/** The look-up that a socket does itself, so that what was judged is what it connects to, whatever the name says next. */
function judgedLookup(resolve: Resolve, policy: AddressPolicy, known: Target, signal: AbortSignal): LookupFunction {
  return (host, options, found) => {
    resolve(host, signal)
      .then((addresses) => {
        known.isPublic = addresses.length > 0 && addresses.every(isPublicAddress);
        return admit(addresses, policy);
      })
      .then(
        (addresses) => {
          if (options.all === true) found(null, addresses);
          else found(null, addresses[0]?.address ?? '', addresses[0]?.family);
        },
        (error: unknown) => found(error instanceof Error ? error : new Error(String(error)), ''),
      );
  };
}

/** The addresses that are connected to, one after another until one accepts. Throws Refusal when none may. */
function admit(addresses: readonly string[], policy: AddressPolicy): { address: string; family: number }[] {
  const [admitted, refusals] = [[] as { address: string; family: number }[], [] as string[]];
  for (const address of addresses) {
    const refusal = refusalOf(address, policy);
    if (refusal === undefined) admitted.push({ address, family: isIP(address) });
    else refusals.push(refusal);
  }
  if (admitted.length === 0) throw new Refusal(refusals[0] ?? 'the name has no address');
  const first = (wanted: number) => admitted.filter(({ family }) => family === wanted).slice(0, MOST_ADDRESSES);
  return [...first(4), ...first(6)];
}

/** Reads the rest of an answer within its bounds, and then drops the connection. */
function discard(answer: IncomingMessage, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const { socket } = answer;
    const begunAt = socket.bytesRead;
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      answer.destroy();
      done();
    };
    const timer = setTimeout(finish, ANSWER_PATIENCE_MS);
    signal.addEventListener('abort', finish, { once: true });
    answer.on('data', () => {
      // As they came: the framing of a body may be far larger than the body.
      if (socket.bytesRead - begunAt > MOST_ANSWER_BYTES) finish();
    });
    answer.on('error', finish);
    answer.on('close', finish);
  });
}

function describeStatus(status: number): string | null {
  if (status >= 200 && status <= 299) return null;
  return status >= 300 && status <= 399 ? `answered ${status}; redirects are not followed` : `answered ${status}`;
}

const known: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name servers did not answer',
  ESERVFAIL: 'the name servers did not answer',
  EPROTO: 'the endpoint does not speak TLS as it should',
  HPE_HEADER_OVERFLOW: 'the answer has too many headers',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate comes from an authority that is not trusted',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

/** Words for what went wrong. Messages of the system name addresses and paths, so only their codes are kept. */
function describeError(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code.startsWith('HPE_')) return known[code] ?? 'the answer is not HTTP';
  if (code.startsWith('ERR_SSL_')) return 'the endpoint does not speak TLS as it should';
  return known[code] ?? `failed: ${code.slice(0, LONGEST_CODE)}`;
}
