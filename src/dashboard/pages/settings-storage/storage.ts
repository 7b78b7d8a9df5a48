// The storage of the selected organization and its request for an own container.
import { useQuery } from '@tanstack/react-query';
import type { FailureStage, OnboardingRequest, OrganizationStorage } from '../../../byosa/schema.ts';
import { ApiError } from '../../api/errors.ts';
import { useApi, useRead } from '../../api/hooks.ts';
import { useOrganization } from '../../shell/current-user.ts';

export function useStoragePath(): string {
  return `/organizations/${useOrganization().identifier}/storage`;
}

export function useByosaPath(): string {
  return `/organizations/${useOrganization().identifier}/byosa`;
}

export function useStorage() {
  return useRead<OrganizationStorage>(useStoragePath());
}

const VALIDATING_MS = 2_000;
const DECIDING_MS = 30_000;

/** Reads the request; null if there is none. Refetches while someone else has to act. */
export function useRequest() {
  const api = useApi();
  const path = `${useByosaPath()}/onboarding-request`;
  return useQuery<OnboardingRequest | null>({
    queryKey: [path],
    queryFn: ({ signal }) =>
      api.send<OnboardingRequest>('GET', path, { signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }),
    refetchInterval: ({ state: { data } }) => {
      if (data?.status === 'validating') return VALIDATING_MS;
      return data?.status === 'awaiting_approval' ? DECIDING_MS : false;
    },
  });
}

/** The steps of the checklist, in order. */
export const checkSteps = [
  'token_exchange',
  'container_check',
  'put_marker',
  'delete_marker',
  'list_container',
  'soft_delete_residue',
] as const;
export type CheckStep = (typeof checkSteps)[number];

/** Returns the step of a failure. A missing container is found while it's checked. */
export function stepOf(stage: FailureStage): CheckStep {
  return stage === 'container_not_found' ? 'container_check' : stage;
}
