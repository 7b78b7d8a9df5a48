// Addresses of an enrollment. All are absolute, from the configured base_url.

/** The page to open on the phone. */
export function enrollmentUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/public/v1/enroll/${token}`;
}

/** The profile that asks the device who it is. */
export function profileUrl(baseUrl: string, token: string): string {
  return `${enrollmentUrl(baseUrl, token)}/profile`;
}

/** Where the device sends its answer. */
export function callbackUrl(baseUrl: string, token: string): string {
  return `${enrollmentUrl(baseUrl, token)}/callback`;
}

/** Where the phone's browser learns what became of it. */
export function resultUrl(baseUrl: string, token: string, proof: string): string {
  return `${enrollmentUrl(baseUrl, token)}/result/${proof}`;
}
