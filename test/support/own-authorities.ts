// Tests only connect to this machine, and add the authority of what they connect to: reading the hundred usual ones takes longer than
// a connection, and happens anew after each addition.
import { setDefaultCACertificates } from 'node:tls';

const marked = globalThis as { areAuthoritiesOwn?: true };
if (marked.areAuthoritiesOwn === undefined) {
  marked.areAuthoritiesOwn = true;
  setDefaultCACertificates([]);
}
