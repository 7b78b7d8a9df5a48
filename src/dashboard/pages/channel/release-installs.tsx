// The installs of a release: by testers, public links, and apps with in-app updates.
import { Modal, Text } from '@mantine/core';
import type * as z from '../../../lib/zod.ts';
import type { Release, releaseInstallPage } from '../../../releases/schema.ts';
import { useReadPages } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { LoadMore } from '../../components/load-more.tsx';
import { Loading, QueryContent } from '../../components/page.tsx';
import { ReportBadge } from '../../components/report-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useTexts } from '../../texts/locale.ts';

type Install = z.output<typeof releaseInstallPage>['items'][number];

const PAGE = 50;

interface InstallsDialogProps {
  release: Release;
  isOpen: boolean;
  onClose(): void;
}

export function ReleaseInstallsDialog({ release, isOpen, onClose }: InstallsDialogProps) {
  const t = useTexts().releaseInstalls;
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.title(formatBuild(release.build))} centered size="lg">
      {isOpen && <InstallList release={release} />}
    </Modal>
  );
}

function InstallList({ release }: { release: Release }) {
  const t = useTexts().releaseInstalls;
  const list = useReadPages<Install>(`/releases/${release.identifier}/installs`, { query: { limit: PAGE } });
  return (
    <>
      <Text size="sm" c="dimmed">
        {t.hint}
      </Text>
      <QueryContent read={{ ...list, data: list.rows }} loading={<Loading rows={3} height={44} />}>
        {(rows) =>
          rows.length === 0 ? (
            <Text mt="md">{t.none}</Text>
          ) : (
            <ul className="tw-list">
              {rows.map((taker) => (
                <Row key={taker.identifier} taker={taker} />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <LoadMore list={list} />
    </>
  );
}

function Row({ taker }: { taker: Install }) {
  const t = useTexts().releaseInstalls;
  const { display_name: name, install_id: installId, device_model: model, state, error } = taker;
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">{name ?? (installId === null ? t.publicLink : t.app)}</div>
        <div className="tw-small">
          {model !== null && `${model} · `}
          <RelativeTime at={taker.created_at} />
        </div>
        {error !== null && <div className="tw-small">{error}</div>}
      </div>
      <ReportBadge state={state} />
    </li>
  );
}
