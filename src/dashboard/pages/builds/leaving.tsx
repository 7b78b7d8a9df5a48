// The builds that retention deletes within a week, above the list of builds; nothing without any.
import { Alert, Anchor, Button } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { LeavingBuild } from '../../../builds/schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { formatDay } from '../../components/times.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useLocale } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

export function LeavingBuilds() {
  const { texts } = useLocale();
  const t = texts.builds.leaving;
  const project = useProject();
  const [isOpen, setOpen] = useState(false);
  const list = useReadPages<LeavingBuild>('/builds/leaving', { query: inProject(project) });
  const { rows } = list;
  if (rows === undefined || rows.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconClock size={18} />} title={t.title(rows.length, list.hasNextPage)} mb="sm">
      <p className="tw-bare">{t.text}</p>
      {isOpen ? (
        <>
          <ul className="tw-leaving">
            {rows.map((item) => (
              <LeavingRow key={item.build.identifier} item={item} mayPin={mayInProject(project, 'build.pin')} />
            ))}
          </ul>
          <LoadMore list={list} />
        </>
      ) : (
        <Button variant="subtle" color="gray" size="compact-sm" ml={-10} onClick={() => setOpen(true)}>
          {t.show}
        </Button>
      )}
    </Alert>
  );
}

function LeavingRow({ item, mayPin }: { item: LeavingBuild; mayPin: boolean }) {
  const { language, texts } = useLocale();
  const t = texts.builds;
  const { build } = item;
  const pin = useChange((api) => api.send('POST', `/builds/${build.identifier}/pin`), ['/builds']);
  const day = formatDay(Date.parse(item.deleted_from), language);
  return (
    <li>
      <Anchor
        component={Link}
        to="/projects/$projectId/builds/$buildId"
        params={{ projectId: build.project_id, buildId: build.identifier } as never}
      >
        {formatBuild(build)}
      </Anchor>{' '}
      <span className="tw-small">{t.leaving.from(day, item.reason)}</span>{' '}
      {mayPin && (
        <Button
          variant="subtle"
          size="compact-xs"
          loading={pin.isPending}
          aria-label={t.pinNamed(formatBuild(build))}
          onClick={() => pin.mutate(undefined)}
        >
          {t.pin}
        </Button>
      )}
      {pin.error !== null && <ErrorAlert error={pin.error} />}
    </li>
  );
}
