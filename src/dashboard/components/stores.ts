// Store connections of the organization, their used places for devices, and errors of the stores in words.
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Connection, DeviceQuota, FailureCode } from '../../stores/schema.ts';
import { ApiError, ExplainedError } from '../api/errors.ts';
import { invalidate, useRead, useReadAll } from '../api/hooks.ts';
import { mayInOrganization, useOrganization } from '../shell/current-user.ts';
import type { Texts } from '../texts/en.ts';
import { pollingInterval, pollingSchedules } from './polling.ts';

export const connectionsPath = '/store-connections';

/** Reads the store connections of the organization; nothing for people who may not list them. */
export function useStoreConnections() {
  const organization = useOrganization();
  return useReadAll<Connection>(connectionsPath, {
    query: { organization_id: organization.identifier },
    isEnabled: mayInOrganization(organization, 'store_connection.read'),
  });
}

/** Reads the connections to App Store Connect, through which devices are registered with Apple; none for other people. */
export function useAppleConnections(): readonly Connection[] {
  const connections = useStoreConnections();
  return connections.data?.filter(({ provider }) => provider === 'app_store_connect') ?? [];
}

/** Reads devices after the connections: once none is pending, the devices are complete. */
async function readAgain(queries: QueryClient): Promise<void> {
  await invalidate(queries, `${connectionsPath}?`);
  await invalidate(queries, '/devices?');
}

/** Reads the connections and devices again while devices are being registered through a connection in the background. */
export function usePendingRegistrations(connection: Connection | undefined): void {
  const queries = useQueryClient();
  const startedAt = useRef<number>(undefined);
  const pending = connection?.pending_registrations ?? 0;
  useEffect(() => {
    if (pending === 0) {
      startedAt.current = undefined;
      return;
    }
    startedAt.current ??= Date.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const plan = (): void => {
      const pause = pollingInterval(Date.now() - (startedAt.current ?? 0), pollingSchedules.deliveries);
      if (pause === undefined || isOver) return;
      timer = setTimeout(() => void readAgain(queries).finally(plan), pause);
    };
    plan();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [pending, queries]);
}

/** Reads the used places for devices of a connection to App Store Connect. */
export function useDeviceQuota(connectionId: string | undefined) {
  return useRead<DeviceQuota>(`${connectionsPath}/${connectionId}/device-quota`, {
    isEnabled: connectionId !== undefined,
    isRetried: false,
  });
}

type DeviceClass = DeviceQuota['classes'][number];

/** From this number of used places on, people are warned; of other limits than 100, the same share. */
export function isNearlyFull({ used, limit }: DeviceClass): boolean {
  return used >= limit * 0.9;
}

/** Returns the code of a store within our sentence about its rejection, which ends with it in parentheses. */
function providerCodeOf(message: string | null): string | undefined {
  return /\(([A-Za-z0-9._]{1,80})\)$/.exec(message ?? '')?.[1];
}

/** Returns the texts for a rejection by a store, with the store's own code. */
export function describeFailure(code: FailureCode, message: string | null, texts: Texts) {
  const { title, text } = texts.stores.failures[code];
  const providerCode = providerCodeOf(message);
  return {
    title,
    text: providerCode === undefined ? text : `${text} ${texts.stores.providerCode(providerCode)}.`,
  };
}

/** Adds texts to the errors that only stores cause. Returns other errors unchanged. */
export function explainStoreError(error: unknown, texts: Texts): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, details } = error;
  const t = texts.stores;
  if (code === 'store_connection_unavailable') return new ExplainedError(error, t.unavailable);
  if (code === 'quota_exceeded' && typeof details.device_class === 'string') {
    return new ExplainedError(error, t.classFull(details.device_class, Number(details.limit)));
  }
  if (typeof details.code !== 'string' || !(details.code in t.failures)) return error;
  return new ExplainedError(error, describeFailure(details.code as FailureCode, error.message, texts));
}

/** The same for a registration, where an error without a code is about the identifier of the device. */
export function explainRegistrationError(error: unknown, texts: Texts): unknown {
  const explained = explainStoreError(error, texts);
  const isIdentifier = explained === error && error instanceof ApiError && error.code === 'invalid_input';
  return isIdentifier ? new ExplainedError(error, texts.stores.identifierRefused) : explained;
}
