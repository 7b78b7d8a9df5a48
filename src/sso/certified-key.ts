// Key pairs with a self-signed certificate. Identity providers only use the key in it.
import { type MadeCertificate, makeSelfSigned } from '../certificates/x509.ts';
import { DAY } from '../lib/clock.ts';

const CERTIFICATE_YEARS = 20;

/** Creates an RSA key with its certificate, valid from a day before `now`. */
export function makeCertifiedKey(now: Date): Promise<MadeCertificate> {
  return makeSelfSigned('Taxiway', {
    notBefore: new Date(now.getTime() - DAY),
    notAfter: new Date(Date.UTC(now.getUTCFullYear() + CERTIFICATE_YEARS, 0, 1)),
  });
}
