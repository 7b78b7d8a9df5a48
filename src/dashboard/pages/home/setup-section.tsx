// The place of the setup checklist on the home page. The checklist itself is loaded when there is something to do.
import { UnstyledButton } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef } from 'react';
import type { SetupChange, SetupState } from '../../../overviews/setup-schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';

const SetupChecklist = lazy(async () => ({ default: (await import('./setup-checklist.tsx')).SetupChecklist }));

interface SetupSectionProps {
  /** The newest release. */
  recent: Pick<Release, 'project_id' | 'channel_id'> | undefined;
}

/** For people who can create projects. A complete checklist hides itself, and stays hidden. */
export function SetupSection({ recent }: SetupSectionProps) {
  const t = useTexts().setup;
  const organization = useOrganization();
  const queries = useQueryClient();
  const path = `/organizations/${organization.identifier}/setup`;
  const { data: state } = useRead<SetupState>(path);
  const change = useChange(async (api, body: SetupChange) => {
    const changed = await api.send<SetupState>('PATCH', path, { body });
    queries.setQueryData([path, {}], changed);
  }, []);
  const { mutate } = change;
  const isToHide = state?.is_complete === true && !state.is_dismissed;
  const wasHidden = useRef(false);
  useEffect(() => {
    if (!isToHide || wasHidden.current) return;
    wasHidden.current = true;
    mutate({ is_dismissed: true });
  }, [isToHide, mutate]);
  if (state === undefined || state.is_complete) return null;
  const failure = change.error !== null && <ErrorAlert error={change.error} />;
  if (state.is_dismissed) {
    return (
      <>
        <UnstyledButton className="tw-link tw-show-all" onClick={() => mutate({ is_dismissed: false })}>
          {t.show}
        </UnstyledButton>
        {failure}
      </>
    );
  }
  return (
    <Suspense>
      <SetupChecklist
        state={state}
        recent={recent}
        onHide={() =>
          mutate(
            { is_dismissed: true },
            { onSuccess: () => showSuccess(t.hidden, () => change.mutateAsync({ is_dismissed: false })) },
          )
        }
        onBackup={() =>
          mutate(
            { has_backup: true },
            { onSuccess: () => showSuccess(t.backupConfirmed, () => change.mutateAsync({ has_backup: false })) },
          )
        }
      />
      {failure}
    </Suspense>
  );
}
