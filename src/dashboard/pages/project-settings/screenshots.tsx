// Adds, orders and deletes the screenshots of the project's app.

import { ActionIcon, Text } from '@mantine/core';
import { IconArrowLeft, IconArrowRight, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { imageTypes } from '../../../images/limits.ts';
import { formatByteLimit } from '../../../lib/formats.ts';
import { MAX_SCREENSHOT_BYTES, MAX_SCREENSHOTS } from '../../../projects/screenshot-limits.ts';
import type { Screenshot, Screenshots as ScreenshotList } from '../../../projects/screenshot-schema.ts';
import { invalidate, useChange, useRead } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { FileButton } from '../../components/file-button.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { useLocale } from '../../texts/locale.ts';

export function Screenshots({ path: projectPath }: { path: string }) {
  const { language, texts } = useLocale();
  const t = texts.projects.screenshots;
  const path = `${projectPath}/screenshots`;
  const read = useRead<ScreenshotList>(path);
  const queries = useQueryClient();
  const [left, setLeft] = useState<readonly File[]>([]);
  const add = useChange(
    async (api, files: readonly File[]) => {
      for (const [index, file] of files.entries()) {
        setLeft(files.slice(index));
        const body = new FormData();
        body.set('file', file);
        try {
          await api.send('POST', path, { body });
        } catch (error) {
          // Those before it were added.
          await invalidate(queries, path);
          throw error;
        }
      }
    },
    [path],
  );
  const order = useChange(
    (api, ids: readonly string[]) => api.send('PUT', path, { body: { screenshot_ids: ids } }),
    [path],
  );
  const remove = useChange((api, id: string) => api.send('DELETE', `${path}/${id}`), [path]);
  const [removed, setRemoved] = useState<{ id: string; number: number }>();
  const [isRemoving, setRemoving] = useState(false);
  const isBusy = order.isPending || remove.isPending;
  const error = add.error ?? order.error;
  const count = read.data?.items.length ?? 0;
  return (
    <Section title={t.title} hint={t.hint}>
      <QueryContent read={read} loading={<RowsSkeleton rows={1} picture={0} />}>
        {({ items }) =>
          items.length > 0 && (
            <ol className="tw-shots">
              {items.map((one, index) => (
                <Shot
                  key={one.identifier}
                  screenshot={one}
                  number={index + 1}
                  count={items.length}
                  isBusy={isBusy}
                  onMove={(by) => order.mutate(moved(items, index, by))}
                  onRemove={() => {
                    setRemoved({ id: one.identifier, number: index + 1 });
                    setRemoving(true);
                  }}
                />
              ))}
            </ol>
          )
        }
      </QueryContent>
      <div className="tw-row tw-wrap">
        <FileButton
          label={t.add}
          accept={imageTypes.join(',')}
          multiple
          variant="default"
          size="xs"
          loading={add.isPending}
          disabled={count >= MAX_SCREENSHOTS}
          onFiles={(files) => files.length > 0 && add.mutate(files)}
        />
        <span className="tw-small">{t.limits(MAX_SCREENSHOTS, formatByteLimit(MAX_SCREENSHOT_BYTES, language))}</span>
      </div>
      {add.error !== null && <Text size="sm">{t.notAdded(left.map(({ name }) => name).join(', '))}</Text>}
      {error !== null && <ErrorAlert error={error} />}
      <ConfirmDialog
        isOpen={isRemoving}
        title={t.confirmTitle(removed?.number ?? 0)}
        action={t.delete}
        onConfirm={async () => {
          if (removed !== undefined) await remove.mutateAsync(removed.id);
        }}
        onClose={() => setRemoving(false)}
      >
        {t.confirm}
      </ConfirmDialog>
    </Section>
  );
}

/** Returns the ids with one of them moved by a number of places. */
function moved(items: readonly Screenshot[], index: number, by: number): string[] {
  const ids = items.map(({ identifier }) => identifier);
  ids.splice(index + by, 0, ...ids.splice(index, 1));
  return ids;
}

interface ShotProps {
  screenshot: Screenshot;
  /** From 1. */
  number: number;
  count: number;
  isBusy: boolean;
  onMove(by: -1 | 1): void;
  onRemove(): void;
}

function Shot({ screenshot, number, count, isBusy, onMove, onRemove }: ShotProps) {
  const { texts } = useLocale();
  const t = texts.projects.screenshots;
  return (
    <li>
      <img src={screenshot.url} width={screenshot.width} height={screenshot.height} alt={t.named(number, count)} />
      <div className="tw-shot-actions">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t.moveLeft(number)}
          disabled={isBusy || number === 1}
          onClick={() => onMove(-1)}
        >
          <IconArrowLeft size={16} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t.moveRight(number)}
          disabled={isBusy || number === count}
          onClick={() => onMove(1)}
        >
          <IconArrowRight size={16} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label={t.remove(number)} disabled={isBusy} onClick={onRemove}>
          <IconTrash size={16} />
        </ActionIcon>
      </div>
    </li>
  );
}
