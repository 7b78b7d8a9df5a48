// Explains why a request got no response, and what to do about it.
import { describeFailure } from '../../lib/failure.ts';

/** Error codes of OpenSSL and Node.js for untrusted certificates. Retrying doesn't help. */
const DISTRUST =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/;
/** The ones that mean an unknown certificate authority. */
const UNKNOWN_AUTHORITY = /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_UNTRUSTED)$/;
/** OpenSSL's codes for bytes that aren't TLS, such as the response of a server without https. Retrying doesn't help. */
const NOT_TLS = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/;
/** The server closed the connection instead of responding, as servers with https do for a request without it. */
const CLOSED = /^(UND_ERR_SOCKET|ECONNRESET)$/;
/** The text of fetch for ports of other protocols, which browsers refuse too. */
const BLOCKED_PORT = 'bad port';
/** The text of fetch for the status of a proxy that opens no connection to the server. */
const REFUSED_BY_PROXY = /^Proxy response \((\d{3})\)/;
const NOTHING_WAS_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export interface ConnectionFailure {
  message: string;
  /** What to do about it; undefined if nothing is known that would help. */
  hint?: string | undefined;
  /** Whether another attempt would fail too. */
  isFinal: boolean;
  /** Whether the server may have received the request. */
  wasSent: boolean;
  /** Whether the client tried to connect. */
  wasTried: boolean;
}

/** Explains the error of a `fetch` to `url` that was given `timeoutMs`. */
export function explainConnectionFailure(error: unknown, url: string, timeoutMs: number): ConnectionFailure {
  const { code, text } = describe(error, timeoutMs);
  const failure = (reason: string, facts: Partial<ConnectionFailure> = {}): ConnectionFailure => ({
    message: `cannot reach ${url}: ${reason}`,
    isFinal: false,
    wasSent: !NOTHING_WAS_SENT.has(code),
    wasTried: true,
    ...facts,
  });
  const proxyStatus = REFUSED_BY_PROXY.exec(text)?.[1];
  if (proxyStatus !== undefined) {
    const isFinal = proxyStatus.startsWith('4');
    const hint = isFinal ? hintAtRefusalByProxy(url, proxyStatus) : undefined;
    return failure(`the proxy returned ${proxyStatus} instead of a connection`, { isFinal, hint, wasSent: false });
  }
  if (text === BLOCKED_PORT) {
    const reason = `browsers and this client don't connect to port ${new URL(url).port}, which belongs to another protocol`;
    return failure(reason, { isFinal: true, wasTried: false });
  }
  if (DISTRUST.test(code)) {
    return failure(text, { isFinal: true, hint: UNKNOWN_AUTHORITY.test(code) ? hintAtAuthority(url) : undefined });
  }
  if (NOT_TLS.test(code)) {
    const hint = `If the server doesn't use https, use ${url.replace('https:', 'http:')}`;
    return failure("the response isn't TLS", { isFinal: true, hint });
  }
  if (CLOSED.test(code) && url.startsWith('http:')) {
    return failure(text, { hint: `If the server uses https, use ${url.replace('http:', 'https:')}` });
  }
  return failure(text);
}

/** Returns the system's error code and a description for a failed request. fetch hides both in the error's innermost cause. */
function describe(error: unknown, timeoutMs: number): { code: string; text: string } {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return { code, text: isTimeout ? `no response within ${timeoutMs / 1000} s` : describeFailure(inner).trim() };
}

/** Explains how to trust the certificate authority of a server, which is usually its own. */
function hintAtAuthority(url: string): string {
  return (
    `If the server uses its own certificate authority, save ${url}/trust/taxiway.pem, compare its SHA-256 fingerprint with ` +
    'the output of "taxiway check" on the server, and set NODE_EXTRA_CA_CERTS to the file.'
  );
}

/** A proxy may want a password, or only pass on requests without https, which this client doesn't use. */
function hintAtRefusalByProxy(url: string, status: string): string {
  return status === '407'
    ? 'Add user name and password to the address of the proxy: http://USER:PASSWORD@proxy.example.com:3128'
    : `If the server can be reached without the proxy, add ${new URL(url).hostname} to NO_PROXY. The shell uploader also works with proxies that don't allow CONNECT.`;
}
