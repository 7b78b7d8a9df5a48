// Information about the server, from meta elements of the document.
import { createContext, useContext } from 'react';

export interface ServerInfo {
  /** The base path of the server, usually ''. */
  base: string;
  /** The configured origin of the server. */
  origin: string;
  /** The minimum length of passwords in characters. */
  passwordMinimum: number;
  /** Whether the server sends email. Otherwise messages stay in the outbox, where the operator reads them. */
  sendsMail: boolean;
  /** Whether organizations pay for what they use. */
  hasBilling: boolean;
  /** Whether organizations can pay online. Otherwise they arrange payments with the operator. */
  hasOnlinePayments: boolean;
  /** Whether organizations can order the Business plan themselves. */
  offersBusiness: boolean;
  /** The least and the most that a payment can add to the balance, in the smallest unit of the currency. */
  topUpCents: readonly [least: number, most: number];
  /** The name of the program on the server, such as `scripts/taxiway`. */
  program: string;
  /** Whether the request for the document had a session cookie. */
  hasSession: boolean;
  /** The URL of the worker that computes SHA-256 checksums. */
  hashWorker: string;
  /** The URL of the worker that uploads to the containers of organizations. */
  uploadWorker: string;
  /** Other origins that the page itself uploads to. */
  uploadOrigins: readonly string[];
}

/** Reads the information from the document's head. */
export function readServerInfo(): ServerInfo {
  const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="taxiway-${name}"]`)?.content ?? '';
  const [least = 0, most = Number.POSITIVE_INFINITY] = read('top-up').split(' ').map(Number);
  return {
    base: read('base'),
    origin: read('origin'),
    passwordMinimum: Number(read('password-minimum')),
    sendsMail: read('mail') === 'yes',
    hasBilling: read('billing') === 'yes',
    hasOnlinePayments: read('payments') === 'yes',
    offersBusiness: read('business') === 'yes',
    topUpCents: [least, most],
    program: read('program') || 'taxiway',
    hasSession: read('session') === 'yes',
    hashWorker: read('hash-worker'),
    uploadWorker: read('upload-worker'),
    uploadOrigins: read('upload-origins').split(' '),
  };
}

/** Returns the URL of the server as this browser reached it, for command lines. */
export function readServerAddress(): string {
  return `${location.origin}${readServerInfo().base}`;
}

const ServerInfoContext = createContext<ServerInfo>({
  base: '',
  origin: '',
  passwordMinimum: 0,
  sendsMail: true,
  hasBilling: false,
  hasOnlinePayments: false,
  offersBusiness: false,
  topUpCents: [0, Number.POSITIVE_INFINITY],
  program: 'taxiway',
  hasSession: false,
  hashWorker: '',
  uploadWorker: '',
  uploadOrigins: [],
});
export const ServerInfoProvider = ServerInfoContext.Provider;

/** Returns the information about the server. */
export function useServerInfo(): ServerInfo {
  return useContext(ServerInfoContext);
}
