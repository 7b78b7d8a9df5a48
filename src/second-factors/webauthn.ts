// WebAuthn: options for the browser, and the verification of its responses. The only file that uses the library.
import type { App } from '../core/context.ts';
import { ALGORITHMS, isUsableKey } from './credential-keys.ts';
import type { PasskeyAssertion, PasskeyAttestation } from './schema.ts';
import type { PasskeyRow } from './store.ts';

const loadLibrary = () => import('@simplewebauthn/server');
const loadHelpers = () => import('@simplewebauthn/server/helpers');

const POLLING_TIMEOUT_MS = 300_000;
/** Longest credential id in bytes (WebAuthn Level 3, 7.1 step 25). */
const MAX_CREDENTIAL_ID_BYTES = 1023;

interface RelyingParty {
  id: string;
  origin: string;
}

export interface NewCredential {
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: string[];
  isBackedUp: boolean;
}

export interface ProvenUse {
  counter: number;
  isBackedUp: boolean;
}

/** Returns the relying party: host and origin of the base URL. */
function relyingParty({ config }: Pick<App, 'config'>): RelyingParty {
  const { hostname, origin } = new URL(config.server.base_url);
  return { id: hostname, origin };
}

/** Returns a new challenge of 256 bits in base64url. */
export function newChallenge({ secrets }: Pick<App, 'secrets'>): string {
  return secrets.token();
}

/** Returns options for `navigator.credentials.create`: a discoverable credential with user verification. */
export async function creationOptions(
  app: App,
  wanted: { challenge: string; handle: string; email: string; displayName: string; existing: readonly PasskeyRow[] },
): Promise<Record<string, unknown>> {
  const { generateRegistrationOptions } = await loadLibrary();
  const options = await generateRegistrationOptions({
    rpName: 'Taxiway',
    rpID: relyingParty(app).id,
    userName: wanted.email,
    userDisplayName: wanted.displayName,
    userID: Uint8Array.from(Buffer.from(wanted.handle, 'base64url')),
    challenge: Uint8Array.from(Buffer.from(wanted.challenge, 'base64url')),
    timeout: POLLING_TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: wanted.existing.map(toDescriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return { ...options };
}

/** Returns options for `navigator.credentials.get`. Without passkeys the browser offers all it has for this host. */
export async function requestOptions(
  app: App,
  wanted: { challenge: string; passkeys?: readonly PasskeyRow[] },
): Promise<Record<string, unknown>> {
  const { generateAuthenticationOptions } = await loadLibrary();
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(app).id,
    challenge: Uint8Array.from(Buffer.from(wanted.challenge, 'base64url')),
    timeout: POLLING_TIMEOUT_MS,
    userVerification: 'required',
    ...(wanted.passkeys === undefined ? {} : { allowCredentials: wanted.passkeys.map(toDescriptor) }),
  });
  return { ...options };
}

function toDescriptor(row: PasskeyRow): { id: string; transports: string[] } {
  return { id: row.credentialId, transports: JSON.parse(row.transports) };
}

/**
 * Verifies an attestation for this challenge, host and origin. Returns the new credential, or undefined if it is
 * invalid.
 */
export async function verifyAttestation(
  app: App,
  attestation: PasskeyAttestation,
  challenge: string,
): Promise<NewCredential | undefined> {
  const { response } = attestation;
  const transports = response.transports ?? [];
  try {
    if (!(await isPlainAttestation(response.attestationObject)) || isFramed(response.clientDataJSON)) return undefined;
    const { verifyRegistrationResponse } = await loadLibrary();
    const party = relyingParty(app);
    const result = await verifyRegistrationResponse({
      response: {
        id: attestation.id,
        rawId: attestation.rawId,
        type: attestation.type,
        response: { clientDataJSON: response.clientDataJSON, attestationObject: response.attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!result.verified) return undefined;
    const { credential, credentialBackedUp } = result.registrationInfo;
    // The outer id isn't signed, so it must equal the signed one.
    if (credential.id !== attestation.id) return undefined;
    if (Buffer.byteLength(credential.id, 'base64url') > MAX_CREDENTIAL_ID_BYTES) return undefined;
    const { decodeCredentialPublicKey } = await loadHelpers();
    if (!isUsableKey(decodeCredentialPublicKey(credential.publicKey))) return undefined;
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports,
      isBackedUp: credentialBackedUp,
    };
  } catch {
    // The library throws for all invalid values, with messages that contain values of the request.
    return undefined;
  }
}

/**
 * Returns whether an attestation has no certificates. They weren't requested, and malicious ones could contain URLs for
 * checking revocations. An attestation of the format `none` states nothing.
 */
async function isPlainAttestation(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await loadHelpers();
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  const statement = decoded.get('attStmt');
  return format === 'none' ? statement.size === 0 : format === 'packed' && statement.get('x5c') === undefined;
}

/**
 * Returns whether the ceremony ran in a page of another origin, named or not (WebAuthn Level 3, 7.1 steps 11 and 12). The
 * library checks only some of the forms.
 */
function isFramed(clientDataJson: string): boolean {
  const data: unknown = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
  if (typeof data !== 'object' || data === null) return true;
  return ('crossOrigin' in data && data.crossOrigin !== false) || 'topOrigin' in data;
}

/**
 * Verifies an assertion of this passkey for this challenge, host and origin. Returns the use, or undefined if it is
 * invalid.
 */
export async function verifyAssertion(
  app: App,
  assertion: PasskeyAssertion,
  challenge: string,
  passkey: PasskeyRow,
): Promise<ProvenUse | undefined> {
  const { response } = assertion;
  try {
    if (isFramed(response.clientDataJSON)) return undefined;
    const { verifyAuthenticationResponse } = await loadLibrary();
    const party = relyingParty(app);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id: assertion.id,
        rawId: assertion.rawId,
        type: assertion.type,
        response: {
          clientDataJSON: response.clientDataJSON,
          authenticatorData: response.authenticatorData,
          signature: response.signature,
        },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      // The counter is compared in the database with one conditional update, after the signature was verified.
      credential: {
        id: passkey.credentialId,
        publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url')),
        counter: 0,
      },
    });
    if (!verified) return undefined;
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp };
  } catch {
    return undefined;
  }
}
