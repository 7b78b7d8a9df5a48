// Passkeys: converts between the API's JSON and the browser's WebAuthn objects (WebAuthn Level 3, 5.1), also for
// browsers without built-in conversion.

import { PasskeyExistsError } from './errors.ts';

type Json = Record<string, unknown>;

/** Returns whether passkeys are available. They require a secure context, and a host with a name instead of an IP address. */
export function hasPasskeys(): boolean {
  const isAddress = /^\[|^[\d.]+$/.test(location.hostname);
  return !isAddress && typeof PublicKeyCredential !== 'undefined' && navigator.credentials !== undefined;
}

/** Returns whether the device itself creates passkeys and verifies its owner, for example by fingerprint. */
export async function createsPasskeys(): Promise<boolean> {
  if (!hasPasskeys()) return false;
  return PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable().catch(() => false);
}

/** Returns whether the browser offers passkeys in the autofill of the email field. */
export async function supportsAutofill(): Promise<boolean> {
  return hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;
}

/** Requests a passkey assertion. Returns undefined if the user chose no passkey. */
export async function requestPasskey(
  options: Json,
  { signal, isAutofill = false }: { signal?: AbortSignal; isAutofill?: boolean } = {},
): Promise<Json | undefined> {
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    ...(Array.isArray(options.allowCredentials)
      ? { allowCredentials: options.allowCredentials.map(toDescriptor) }
      : {}),
  } as unknown as PublicKeyCredentialRequestOptions;
  const credential = await navigator.credentials
    .get({
      publicKey,
      ...(signal === undefined ? {} : { signal }),
      ...(isAutofill ? { mediation: 'conditional' as const } : {}),
    })
    .catch(ignoreCancellation);
  if (!(credential instanceof PublicKeyCredential)) return undefined;
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    ...head(credential),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      userHandle: response.userHandle === null ? null : toText(response.userHandle),
    },
  };
}

/** Creates a passkey. Returns undefined if the user canceled. Throws PasskeyExistsError if the device already has one of the account. */
export async function createPasskey(options: Json): Promise<Json | undefined> {
  const user = options.user as Json;
  const excluded = Array.isArray(options.excludeCredentials) ? options.excludeCredentials.map(toDescriptor) : [];
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: excluded,
  } as unknown as PublicKeyCredentialCreationOptions;
  const credential = await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    if (isNamed(error, 'InvalidStateError')) throw new PasskeyExistsError('The device has a passkey', { cause: error });
    return ignoreCancellation(error);
  });
  if (!(credential instanceof PublicKeyCredential)) return undefined;
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    ...head(credential),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  };
}

function head(credential: PublicKeyCredential): Json {
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

/** The browser reports a dialog that the user closed as not allowed, and a request that the page ended as aborted. */
function ignoreCancellation(error: unknown): null {
  if (isNamed(error, 'NotAllowedError', 'AbortError')) return null;
  throw error;
}

function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof DOMException && names.includes(error.name);
}

function toDescriptor(descriptor: unknown): Json {
  const { id, ...rest } = descriptor as Json;
  return { ...rest, id: toBytes(id) };
}

function toBytes(text: unknown): Uint8Array<ArrayBuffer> {
  const plain = atob(String(text).replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

function toText(bytes: ArrayBuffer): string {
  const plain = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(plain).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
