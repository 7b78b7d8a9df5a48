// The reasons why a request to a URL of a user failed. Each is a sentence on the wire and in the database, from which the web
// app reads it back to show it in the user's language.

/** The sentences. Names in braces are replaced by values. */
export const outboundReasons = {
  not_reached: 'not reached',
  closed: 'the connection was closed without a response',
  refused: 'the connection was refused',
  host_unreachable: 'the host is unreachable',
  network_unreachable: 'the network is unreachable',
  timed_out: 'the connection timed out',
  no_address: 'the name has no address',
  no_name_server: "the name servers didn't respond",
  tls_failed: 'TLS handshake failed',
  self_signed: 'the certificate is self-signed',
  untrusted: "the certificate isn't from a trusted authority",
  certificate_expired: 'the certificate has expired',
  other_name: 'the certificate is for another name',
  not_http: "the response isn't HTTP",
  too_many_headers: 'the response has too many headers',
  too_many_interim: 'too many informational responses',
  no_response: 'no response within {seconds} s',
  no_complete_response: 'no complete response within {seconds} s',
  too_large: 'the response is larger than {kibibytes} KiB',
  redirected: "responded with {status}; redirects aren't followed",
  responded: 'responded with {status}',
  not_prepared: "the server couldn't prepare the request",
  address_forbidden: "{what} can't be sent to {kind} addresses",
  address_not_allowed:
    "{what} can't be sent to {kind} addresses, unless {setting} is true in the server's configuration",
  socket_forbidden: "{what} can't be sent to sockets of this machine",
  port_zero: "port 0 isn't valid",
  port_reserved: 'port {port} is reserved for another protocol',
  failed: 'failed: {code}',
} as const;

export type OutboundReason = keyof typeof outboundReasons;
type Values = Record<string, string | number>;

export interface ReadReason {
  reason: OutboundReason;
  values: Record<string, string>;
}

/** Returns the sentence of a reason. */
export function writeReason(reason: OutboundReason, values: Values = {}): string {
  return outboundReasons[reason].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Returns the reason of a sentence, or undefined for any other text, such as that of a newer server. */
export function readReason(text: string): ReadReason | undefined {
  for (const [reason, pattern] of patterns) {
    const match = pattern.exec(text);
    if (match !== null) return { reason, values: { ...match.groups } };
  }
  return undefined;
}

const patterns = Object.entries(outboundReasons).map(
  ([reason, sentence]) =>
    [reason as OutboundReason, new RegExp(`^${sentence.replace(/\{(\w+)\}/g, '(?<$1>.+)')}$`, 's')] as const,
);
