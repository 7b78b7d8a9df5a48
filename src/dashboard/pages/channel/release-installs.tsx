// Who took a release: people by name, public links, and apps that updated themselves, with what those reported.
import { Badge, Modal, Text } from '@mantine/core';
import type { z } from 'zod';
import type { Release, releaseInstallPage } from '../../../releases/schema.ts';
import { useReadPages } from '../../api/api-context.ts';
import { nameBuild } from '../../parts/build-name.ts';
import { LoadMore } from '../../parts/load-more.tsx';
import { Loading, Shown } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/languages.ts';

type Taker = z.output<typeof releaseInstallPage>['items'][number];

const PAGE = 50;
const colors = { downloaded: 'gray', installed: 'green', launched: 'green', failed: 'red' } as const;

interface TakersDialogProps {
  release: Release;
  isOpen: boolean;
  onClose(): void;
}

export function ReleaseInstallsDialog({ release, isOpen, onClose }: TakersDialogProps) {
  const t = useTexts().takers;
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.title(nameBuild(release.build))} centered size="lg">
      {isOpen && <Takers release={release} />}
    </Modal>
  );
}

function Takers({ release }: { release: Release }) {
  const t = useTexts().takers;
  const list = useReadPages<Taker>(`/releases/${release.identifier}/installs`, { query: { limit: PAGE } });
  return (
    <>
      <Text size="sm" c="dimmed">
        {t.hint}
      </Text>
      <Shown read={{ ...list, data: list.rows }} loading={<Loading rows={3} height={44} />}>
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
      </Shown>
      <LoadMore list={list} />
    </>
  );
}

function Row({ taker }: { taker: Taker }) {
  const t = useTexts().takers;
  const { display_name: name, install_id: installId, device_model: model, state, error } = taker;
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">{name ?? (installId === null ? t.publicLink : t.app)}</div>
        <div className="tw-small">
          {model !== null && `${model} · `}
          <Time at={taker.created_at} />
        </div>
        {error !== null && <div className="tw-small">{error}</div>}
      </div>
      <Badge variant="light" color={colors[state]}>
        {t.states[state]}
      </Badge>
    </li>
  );
}
