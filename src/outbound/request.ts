// Sends requests to URLs entered by users. The address is checked when connecting, redirects aren't followed, and neither
// connections nor proxies are reused.
import type { IncomingMessage, RequestOptions } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { hostnameOf } from '../lib/url-host.ts';
import { type AddressPolicy, isPublicAddress, refusalOf, refusalOfUrl } from './addresses.ts';
import { type OutboundReason, writeReason } from './reasons.ts';
import type { Resolve } from './resolve.ts';

export interface OutboundRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  policy: AddressPolicy;
  resolve: Resolve;
}

/**
 * Most informational responses such as 103 before the final one. Reading them without a limit would use up the
 * processor.
 */
const MAX_INTERIM_ANSWERS = 100;
/** Most bytes before the headers of the final response have arrived. The parser skips empty lines before it without a limit. */
const MAX_BYTES_BEFORE_ANSWER = 256 * 1024;
/** Addresses of each family that are tried for one request, so that a name can't be used for scanning a network. */
const MAX_ADDRESSES = 4;
const MAX_CODE_LENGTH = 100;

/** A rejection whose text can be shown to users. */
export class Refusal extends Error {}
/** A rejection that follows from the URL alone, without using the network. */
class PlainRefusal extends Refusal {}

/** Facts about the target of a request. */
export interface Target {
  /** Whether all its addresses are public; false until known. */
  isPublic: boolean;
}

/**
 * Connects and sends. Resolves with the status line and headers of the response. Each request uses its own connection.
 * `known` receives what was found out about the target.
 */
export async function sendRequest(
  { method, url, headers, body, policy, resolve }: OutboundRequest,
  known: Target,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const target = new URL(url);
  // IP addresses don't need the name lookup that checks addresses below.
  const refusal = refusalOfUrl(target, policy);
  if (refusal !== undefined) throw new PlainRefusal(refusal);
  known.isPublic = isPublicAddress(hostnameOf(target));
  const isSecure = target.protocol === 'https:';
  const { request } = isSecure ? await import('node:https') : await import('node:http');
  const options: RequestOptions & { rejectUnauthorized: true } = {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-length': body.length },
    // Connections aren't kept alive, because a kept one would go to the earlier address of the name. Proxies from the
    // environment aren't used either.
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
      if (interim > MAX_INTERIM_ANSWERS) sent.destroy(new Refusal(writeReason('too_many_interim')));
    });
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES_BEFORE_ANSWER)
        sent.destroy(new Refusal(writeReason(interim > 0 ? 'too_many_interim' : 'not_http')));
    };
    sent.on('socket', (socket) => socket.on('data', count));
    sent.on('response', (answer) => {
      answer.socket.off('data', count);
      answered(answer);
    });
    sent.on('error', fail);
    sent.on('close', () => fail(new Refusal(writeReason('closed'))));
    sent.end(body);
  });
}

/** The lookup used by the socket itself, so that the checked address is also the connected one. */
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

/** Returns the addresses to try, in order, until one accepts. Throws Refusal if none is allowed. */
function admit(addresses: readonly string[], policy: AddressPolicy): { address: string; family: number }[] {
  const [admitted, refusals] = [[] as { address: string; family: number }[], [] as string[]];
  for (const address of addresses) {
    const refusal = refusalOf(address, policy);
    if (refusal === undefined) admitted.push({ address, family: isIP(address) });
    else refusals.push(refusal);
  }
  if (admitted.length === 0) throw new Refusal(refusals[0] ?? writeReason('no_address'));
  const first = (wanted: number) => admitted.filter(({ family }) => family === wanted).slice(0, MAX_ADDRESSES);
  return [...first(4), ...first(6)];
}

/**
 * Returns the text about an error for the person who entered the URL, which may reveal less than describeError: if
 * requests may be sent to the server's own network, detailed errors would let an organization explore its names, hosts,
 * ports and protocols.
 */
export function describeForUser(cause: unknown, target: Target, policy: AddressPolicy): string {
  const { allow_private_networks: isPrivateAllowed, allow_loopback: isLoopbackAllowed } = policy;
  const mayShow = target.isPublic || cause instanceof PlainRefusal || !(isPrivateAllowed || isLoopbackAllowed);
  return mayShow ? describeError(cause) : writeReason('not_reached');
}

const reasonOfCode: Record<string, OutboundReason> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  EHOSTUNREACH: 'host_unreachable',
  ENETUNREACH: 'network_unreachable',
  ETIMEDOUT: 'timed_out',
  ENOTFOUND: 'no_address',
  EAI_AGAIN: 'no_name_server',
  ESERVFAIL: 'no_name_server',
  EPROTO: 'tls_failed',
  HPE_HEADER_OVERFLOW: 'too_many_headers',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  CERT_HAS_EXPIRED: 'certificate_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other_name',
};

/** Describes an error. System messages contain addresses and paths, so only their codes are used. */
export function describeError(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const known = Object.hasOwn(reasonOfCode, code) ? reasonOfCode[code] : undefined;
  if (known !== undefined) return writeReason(known);
  if (code.startsWith('HPE_')) return writeReason('not_http');
  if (code.startsWith('ERR_SSL_')) return writeReason('tls_failed');
  return writeReason('failed', { code: code.slice(0, MAX_CODE_LENGTH) });
}
