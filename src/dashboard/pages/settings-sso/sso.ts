// The state of single sign-on in the selected organization.
import { useQuery } from '@tanstack/react-query';
import type { SsoConfiguration, SsoDomain } from '../../../sso/schema.ts';
import { ApiError } from '../../api/errors.ts';
import { useApi, useReadAll } from '../../api/hooks.ts';
import { useOrganization } from '../../shell/current-user.ts';
import type { Texts } from '../../texts/en.ts';

export type SsoKind = SsoConfiguration['kind'];
export const ssoKinds = ['saml', 'oidc'] as const satisfies readonly SsoKind[];

export type SsoState = 'absent' | 'disabled' | 'enabled' | 'required';

/** Returns the path of single sign-on in the API. */
export function useSsoPath(): string {
  return `/organizations/${useOrganization().identifier}/sso`;
}

/** Reads the connection. A 404 means that there is none. `state` is undefined until it is loaded. */
export function useSso() {
  const api = useApi();
  const path = useSsoPath();
  const read = useQuery<SsoConfiguration | null>({
    queryKey: [path, 'connection'],
    queryFn: ({ signal }) =>
      api.send<SsoConfiguration>('GET', path, { signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }),
  });
  const { data, error, refetch } = read;
  return { connection: data ?? undefined, state: data === undefined ? undefined : stateOf(data), error, refetch };
}

function stateOf(connection: SsoConfiguration | null): SsoState {
  if (connection === null) return 'absent';
  if (!connection.enabled) return 'disabled';
  return connection.required ? 'required' : 'enabled';
}

/** Reads the claimed domains, newest first. */
export function useDomains() {
  return useReadAll<SsoDomain>(`${useSsoPath()}/domains`);
}

/** Translates an error about the plan; returns other errors unchanged. */
export function explainPlan(error: unknown, texts: Texts): unknown {
  if (!(error instanceof ApiError) || error.code !== 'operation_not_allowed') return error;
  const tier = error.details.tier;
  if (tier !== 'team' && tier !== 'business') return error;
  const message = texts.sso.planRefusal(texts.settings.plans[tier]);
  const headers = new Headers(error.requestId === null ? {} : { 'x-request-id': error.requestId });
  return new ApiError(error.status, { error: error.code, message, details: {} }, headers);
}
