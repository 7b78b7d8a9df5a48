// A client of the in-app update API for use in an app. It requires fetch, Web Crypto and a place to store three values.

/** The data stored between starts, protected from other apps and not in backups (Keychain, SharedPreferences). */
export interface Kept {
  installId: string;
  updateToken: string;
  /** Milliseconds since the epoch, by the phone's clock. */
  expiresAt: number;
}

export interface UpdateClientOptions {
  baseUrl: string;
  /** Public; ships inside the app. */
  appKey: string;
  /** Also ships inside the app, because it only allows installs to enroll. Rotate it to stop old versions from enrolling. */
  appSecret: string;
  running: { versionName: string; buildNumber: number };
  device?: { bundleIdentifier?: string; model?: string; osVersion?: string };
  keeper: { load(): Promise<Kept | undefined>; save(kept: Kept): Promise<void> };
  /** Replaced in tests. */
  fetch?: typeof fetch;
  now?: () => number;
  wait?: (milliseconds: number) => Promise<void>;
}

export interface Release {
  identifier: string;
  version_name: string;
  build_number: number;
  release_notes: string | null;
  mandatory: boolean;
  size_bytes: number;
  sha256: string;
}

export interface Latest {
  update_available: boolean;
  /** The user must update before continuing, because this release or any other since the running build is mandatory. */
  mandatory: boolean;
  release: Release | null;
}

export interface Package {
  download_url: string;
  sha256: string;
  size_bytes: number;
  /** iOS only: open this URL to install. */
  itms_url?: string;
}

export interface UpdateClient {
  /** Checks for an update. Call it when the app starts and when it returns to the foreground. */
  check(): Promise<Latest>;
  /** Returns the URL of a release's package, valid for 15 minutes. */
  locate(releaseId: string): Promise<Package>;
  /** Downloads the package and verifies its checksum. On iOS, open `itms_url` from `locate` instead. */
  download(releaseId: string): Promise<Uint8Array>;
  /** Reports the result. Doesn't wait and never fails. */
  report(releaseId: string, state: 'downloaded' | 'installed' | 'launched' | 'failed', error?: string): Promise<void>;
}

/** The secret was rotated or the SDK app was revoked, so this version of the app no longer gets updates. Don't retry. */
export class UpdatesEndedError extends Error {}

/** The server rejected the request. Don't retry. */
export class UpdateRefusedError extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(`the server refused: ${status} ${code}`);
    this.status = status;
  }
}

const DAY_MS = 24 * 3_600_000;
const TOKEN_LIFETIME_MS = 30 * DAY_MS;
/** The token is exchanged in the last third of its 30 days, when the app is used. */
const EXCHANGE_BEFORE_END_MS = 10 * DAY_MS;
const ATTEMPTS = 5;

export function createUpdateClient(options: UpdateClientOptions): UpdateClient {
  const { appKey, running } = options;
  const send = options.fetch ?? fetch;
  const now = options.now ?? Date.now;
  const wait = options.wait ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
  const base = `${options.baseUrl.replace(/\/$/, '')}/sdk/v1`;
  let held: Promise<Kept> | undefined;
  let known: { etag: string; latest: Latest } | undefined;

  /** Sends a request. Retries after a delay if the server is busy (429, 503) or can't be reached. */
  async function request(path: string, init: { method?: string; token?: string; body?: unknown; etag?: string } = {}) {
    const headers: Record<string, string> = { 'X-Svc-App-Key': appKey };
    if (init.token !== undefined) headers.Authorization = `Bearer ${init.token}`;
    if (init.etag !== undefined) headers['If-None-Match'] = init.etag;
    if (init.body !== undefined) headers['Content-Type'] = 'application/json';
    const body = init.body === undefined ? {} : { body: JSON.stringify(init.body) };
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(base + path, { method: init.method ?? 'GET', headers, ...body }).catch((error) => {
        if (attempt >= ATTEMPTS) throw error;
      });
      if (response !== undefined && response.status !== 429 && response.status !== 503) return response;
      if (response !== undefined && attempt >= ATTEMPTS) return response;
      const asked = askedPause(response?.headers.get('retry-after') ?? '');
      const pause = Math.min(60_000, 1000 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
      await wait(asked > 0 ? asked : pause);
    }
  }

  /** Returns the delay of a Retry-After header in milliseconds, from seconds or a date; NaN without one. */
  function askedPause(text: string): number {
    return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now();
  }

  async function refuse(response: Response): Promise<never> {
    const { error = 'unknown' } = (await response.json().catch(() => ({}))) as { error?: string };
    throw new UpdateRefusedError(response.status, error);
  }

  async function enroll(installId: string | undefined): Promise<Kept> {
    const { bundleIdentifier, model, osVersion } = options.device ?? {};
    const response = await request('/enroll', {
      method: 'POST',
      body: {
        app_secret: options.appSecret,
        install_id: installId,
        bundle_identifier: bundleIdentifier,
        device_model: model,
        os_version: osVersion,
        version_name: running.versionName,
        build_number: running.buildNumber,
      },
    });
    if (response.status === 401) throw new UpdatesEndedError('this version of the app no longer gets updates');
    if (!response.ok) return refuse(response);
    const answer = (await response.json()) as { install_id: string; update_token: string };
    // Use the id of the response, which may differ from the one that was sent.
    return keep(answer.install_id, answer.update_token);
  }

  async function exchange(kept: Kept): Promise<Kept> {
    const response = await request('/token/rotate', { method: 'POST', token: kept.updateToken });
    // The token may have been exchanged before, with the response lost. Enrolling again always works.
    if (response.status === 401) return enroll(kept.installId);
    // The token is still valid for days, and the next start tries again.
    if (!response.ok) return kept;
    const answer = (await response.json()) as { update_token: string };
    return keep(kept.installId, answer.update_token);
  }

  async function keep(installId: string, updateToken: string): Promise<Kept> {
    // By the phone's own clock, which may be wrong by more than a token's lifetime.
    const kept = { installId, updateToken, expiresAt: now() + TOKEN_LIFETIME_MS };
    await options.keeper.save(kept);
    return kept;
  }

  async function start(): Promise<Kept> {
    const kept = await options.keeper.load();
    if (kept === undefined || kept.expiresAt <= now()) return enroll(kept?.installId);
    return kept.expiresAt - now() < EXCHANGE_BEFORE_END_MS ? exchange(kept) : kept;
  }

  /** Concurrent calls share one enrollment or exchange. */
  function renew(work: () => Promise<Kept>): Promise<Kept> {
    const renewing = work();
    held = renewing;
    renewing.catch(() => {
      if (held === renewing) held = undefined;
    });
    return renewing;
  }

  async function token(): Promise<Kept> {
    if (held === undefined) return renew(start);
    const seen = held;
    const kept = await seen;
    if (kept.expiresAt - now() >= EXCHANGE_BEFORE_END_MS) return kept;
    // The first call that finds the token old renews it, and the others wait for it.
    return held === seen || held === undefined ? renew(start) : held;
  }

  /** Sends a request of the install. After a 401, enrolls again and retries once. */
  async function ask(path: string, init: { method?: string; body?: unknown; etag?: string } = {}): Promise<Response> {
    const kept = await token();
    const used = held;
    const response = await request(path, { ...init, token: kept.updateToken });
    if (response.status !== 401) return response;
    // The first rejected request enrolls and the others wait for it, so nothing may run between this comparison and the
    // enrollment.
    const fresh = await (held === used ? renew(() => enroll(kept.installId)) : token());
    return request(path, { ...init, token: fresh.updateToken });
  }

  async function locate(releaseId: string): Promise<Package> {
    const response = await ask(`/releases/${releaseId}/download`);
    return response.ok ? ((await response.json()) as Package) : refuse(response);
  }

  return {
    async check() {
      const query = new URLSearchParams({
        build_number: String(running.buildNumber),
        version_name: running.versionName,
      });
      const response = await ask(`/releases/latest?${query}`, known === undefined ? {} : { etag: known.etag });
      if (response.status === 304 && known !== undefined) return known.latest;
      if (!response.ok) return refuse(response);
      const latest = (await response.json()) as Latest;
      known = { etag: response.headers.get('etag') ?? '', latest };
      return latest;
    },
    locate,
    async download(releaseId) {
      const { download_url, sha256 } = await locate(releaseId);
      // The link contains its own signature, so no credentials are sent to the storage.
      const response = await send(download_url);
      if (!response.ok) throw new UpdateRefusedError(response.status, 'download');
      const bytes = new Uint8Array(await response.arrayBuffer());
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
      const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
      if (hex !== sha256.toLowerCase()) throw new Error('the package is not what was uploaded');
      return bytes;
    },
    async report(releaseId, state, error) {
      const body = { release_id: releaseId, state, ...(error === undefined ? {} : { error: error.slice(0, 1000) }) };
      await ask('/installs/report', { method: 'POST', body }).catch(() => undefined);
    },
  };
}
