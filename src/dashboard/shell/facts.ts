// What the document says of the server that sent it.
import { createContext, useContext } from 'react';

export interface Facts {
  /** Path before every address of the server, '' mostly. */
  base: string;
  /** Where the server is set up to be. */
  origin: string;
  /** Fewest characters of a password. */
  passwordMinimum: number;
  /** Mails are sent, and do not wait in the outbox for somebody who reads them there. */
  sendsMail: boolean;
  /** How the program is called on the machine that serves, such as `scripts/taxiway`. */
  program: string;
  /** The browser sent the cookie of a session with the request for the document. */
  hasSession: boolean;
  /** Address of the worker that computes fingerprints. */
  hashWorker: string;
}

/** Reads them from the document's head. */
export function readFacts(): Facts {
  const read = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="taxiway-${name}"]`)?.content ?? '';
  return {
    base: read('base'),
    origin: read('origin'),
    passwordMinimum: Number(read('password-minimum')),
    sendsMail: read('mail') === 'yes',
    program: read('program') || 'taxiway',
    hasSession: read('session') === 'yes',
    hashWorker: read('hash-worker'),
  };
}

/** The address of the server as this browser reached it, for command lines. */
export function readServerAddress(): string {
  return `${location.origin}${readFacts().base}`;
}

const FactsContext = createContext<Facts>({
  base: '',
  origin: '',
  passwordMinimum: 0,
  sendsMail: true,
  program: 'taxiway',
  hasSession: false,
  hashWorker: '',
});
export const FactsProvider = FactsContext.Provider;

/** What is known of the server. */
export function useFacts(): Facts {
  return useContext(FactsContext);
}
