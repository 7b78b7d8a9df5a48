// What can be done with several builds together. They are changed one after the other, and what failed stays selected.
import { Button, Checkbox, Group, Modal, NativeSelect, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import type { Project } from '../../../projects/schema.ts';
import type { Client } from '../../api/client.ts';
import { invalidate, useApi } from '../../api/hooks.ts';
import { formatBuild, isUninstallable } from '../../components/build-name.ts';
import { describeError, ErrorAlert } from '../../components/errors.tsx';
import { addLabels, listLabels, readLabels, removeLabels } from '../../components/labels.ts';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useChannelOverviews } from '../build/actions.tsx';
import { inProject, useProject } from '../project/project-context.ts';

/** How many builds can be selected: each is a request. */
export const MAX_SELECTED = 100;
/** How many builds a confirmation names. */
const NAMED = 5;

const actions = ['release', 'label', 'revoke', 'delete'] as const;
export type BulkAction = (typeof actions)[number];

const permissions = {
  release: 'release.manage',
  label: 'build.upload',
  revoke: 'build.revoke',
  delete: 'build.delete',
} as const;

/** Returns the actions that the user may choose. */
export function bulkActions(project: Project): BulkAction[] {
  return actions.filter((action) => mayInProject(project, permissions[action]));
}

interface BarProps {
  count: number;
  onAction(action: BulkAction): void;
  onClear(): void;
}

/** The bar that is shown while builds are selected. */
export function SelectionBar({ count, onAction, onClear }: BarProps) {
  const t = useTexts().builds.bulk;
  const project = useProject();
  return (
    <div className="tw-bulk-bar" role="toolbar" aria-label={t.title}>
      <span role="status">{t.selected(count, MAX_SELECTED)}</span>
      <div>
        {bulkActions(project).map((action) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            {...(action === 'delete' || action === 'revoke' ? { c: 'var(--bad)' } : {})}
            onClick={() => onAction(action)}
          >
            {t.actions[action]}
          </Button>
        ))}
        <Button size="xs" variant="subtle" color="gray" onClick={onClear}>
          {t.clear}
        </Button>
      </div>
    </div>
  );
}

interface DialogProps {
  /** Undefined while the dialog is closed. */
  action: BulkAction | undefined;
  builds: readonly Build[];
  onClose(): void;
  /** Called with the builds that were changed. */
  onDone(changed: readonly Build[], action: BulkAction): void;
}

export function BulkDialog({ action, builds, onClose, onDone }: DialogProps) {
  const t = useTexts().builds.bulk;
  const [isBusy, setBusy] = useState(false);
  return (
    <Modal
      opened={action !== undefined}
      onClose={() => !isBusy && onClose()}
      title={action === undefined ? '' : builds.length === 0 ? t.title : t.titles[action](builds.length)}
      centered
    >
      {action !== undefined && (
        <BulkForm action={action} builds={builds} onClose={onClose} onDone={onDone} onBusy={setBusy} />
      )}
    </Modal>
  );
}

interface Failure {
  build: Build;
  error: unknown;
}

type Work = (api: Client, build: Build) => Promise<unknown>;

/** Changes builds one after the other. Stops when the dialog is closed by leaving the page. */
function useWork(onBusy: (isBusy: boolean) => void) {
  const api = useApi();
  const queries = useQueryClient();
  const [finished, setFinished] = useState<number>();
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const [changedCount, setChangedCount] = useState(0);
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  async function run(builds: readonly Build[], work: Work, isDeletion: boolean): Promise<Build[]> {
    onBusy(true);
    setFailures([]);
    const changed: Build[] = [];
    const failed: Failure[] = [];
    for (const build of builds) {
      if (isLeft.current) break;
      setFinished(changed.length + failed.length);
      try {
        await work(api, build);
        changed.push(build);
      } catch (error) {
        failed.push({ build, error });
      }
    }
    // Queries of a deleted build would fail.
    await invalidate(queries, isDeletion ? '/builds?' : '/builds', '/releases', '/channels', '/projects');
    setFinished(undefined);
    setFailures(failed);
    setChangedCount(changed.length);
    onBusy(false);
    return changed;
  }
  return { run, finished, failures, changedCount };
}

function BulkForm({
  action,
  builds: all,
  onClose,
  onDone,
  onBusy,
}: DialogProps & { action: BulkAction; onBusy(isBusy: boolean): void }) {
  const texts = useTexts();
  const t = texts.builds.bulk;
  const project = useProject();
  const overviews = useChannelOverviews();
  const channels = overviews.data ?? [];
  const { run, finished, failures, changedCount } = useWork(onBusy);
  const [channelId, setChannelId] = useState('');
  const [added, setAdded] = useState('');
  const [removed, setRemoved] = useState<string[]>([]);
  const [typed, setTyped] = useState('');
  // Builds that failed are still selected. Those that the action can't change are left out.
  const builds = all.filter((build) => isPossible(action, build));
  const leftOut = all.length - builds.length;
  const channel = channels.find(({ channel: { identifier } }) => identifier === channelId)?.channel;
  const live = overviews.data
    ?.filter(({ current_release: release }) =>
      builds.some(({ identifier }) => identifier === release?.build.identifier),
    )
    .map(({ channel: { name } }) => name);
  const isReady = {
    release: channel !== undefined,
    label: readLabels(added).length > 0 || removed.length > 0,
    revoke: true,
    delete: typed === String(builds.length),
  }[action];

  const work: Work = (api, build) => {
    const path = `/builds/${build.identifier}`;
    if (action === 'revoke') return api.send('POST', `${path}/revoke`);
    if (action === 'delete') return api.send('DELETE', path);
    if (action === 'label') {
      const labels = removeLabels(addLabels(build.labels, readLabels(added)), removed);
      return api.send('PATCH', path, { body: { labels } });
    }
    const notes = build.release_notes === null ? {} : { release_notes: build.release_notes };
    const query = { ...inProject(project), channel_id: channelId };
    return api.send('POST', '/releases', { query, body: { build_id: build.identifier, mandatory: false, ...notes } });
  };

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!isReady || finished !== undefined || builds.length === 0) return;
    // The oldest first, so that the newest is current at the end.
    const ordered = builds.toSorted((one, other) => (one.identifier < other.identifier ? -1 : 1));
    const changed = await run(ordered, work, action === 'delete');
    onDone(changed, action);
    if (changed.length > 0) showSuccess(t.done[action](changed.length));
    if (changed.length === ordered.length) onClose();
  }

  if (builds.length === 0) {
    return (
      <Stack>
        {failures.length > 0 && <Failures failures={failures} changedCount={changedCount} />}
        {leftOut > 0 && <Text size="sm">{t.leftOut[action === 'release' ? 'release' : 'revoke'](leftOut)}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {texts.common.close}
          </Button>
        </Group>
      </Stack>
    );
  }
  const present = listLabels(builds);
  const newest = builds.reduce<Build | undefined>(
    (last, build) => (last === undefined || build.identifier > last.identifier ? build : last),
    undefined,
  );
  return (
    <Stack component="form" onSubmit={(event: FormEvent) => void submit(event)}>
      {failures.length > 0 && <Failures failures={failures} changedCount={changedCount} />}
      <Names builds={builds} />
      {leftOut > 0 && (
        <Text size="sm" c="dimmed">
          {t.leftOut[action === 'release' ? 'release' : 'revoke'](leftOut)}
        </Text>
      )}
      {action === 'release' && overviews.error !== null && overviews.data === undefined && (
        <ErrorAlert error={overviews.error} onRetry={() => void overviews.refetch()} />
      )}
      {action === 'release' && (
        <>
          <NativeSelect
            label={texts.channels.channelField}
            data-autofocus
            value={channelId}
            data={[
              { value: '', label: texts.releasing.pickChannel, disabled: true },
              ...channels.map(({ channel: { identifier: value, name: label } }) => ({ value, label })),
            ]}
            onChange={(event) => setChannelId(event.currentTarget.value)}
          />
          {newest !== undefined && channel !== undefined && (
            <Text size="sm">{t.releaseEffect(builds.length, formatBuild(newest), channel.name)}</Text>
          )}
        </>
      )}
      {action === 'label' && (
        <>
          <TextInput
            label={t.addLabels}
            description={t.addLabelsHint}
            data-autofocus
            value={added}
            autoComplete="off"
            onChange={(event) => setAdded(event.currentTarget.value)}
          />
          {present.length > 0 && (
            <Checkbox.Group label={t.removeLabels} value={removed} onChange={setRemoved}>
              <Group gap="xs" mt={4}>
                {present.map((label) => (
                  <Checkbox key={label} value={label} label={label} />
                ))}
              </Group>
            </Checkbox.Group>
          )}
        </>
      )}
      {action === 'revoke' && <Text>{t.revokeEffect(builds.length, live)}</Text>}
      {action === 'delete' && (
        <>
          <Text>{t.deleteEffect(builds.length, live)}</Text>
          <TextInput
            label={texts.common.typeToConfirm(String(builds.length))}
            value={typed}
            autoComplete="off"
            inputMode="numeric"
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </>
      )}
      {finished !== undefined && (
        <Progress value={(100 * finished) / builds.length} aria-label={t.progress(finished, builds.length)} />
      )}
      <Group justify="flex-end">
        <Button variant="default" disabled={finished !== undefined} onClick={onClose}>
          {texts.common.cancel}
        </Button>
        <Button
          type="submit"
          {...(action === 'delete' || action === 'revoke' ? { color: 'red' } : {})}
          loading={finished !== undefined}
          disabled={!isReady}
        >
          {failures.length > 0 ? texts.errors.tryAgain : t.buttons[action](builds.length)}
        </Button>
      </Group>
    </Stack>
  );
}

function isPossible(action: BulkAction, build: Build): boolean {
  if (action === 'release') return build.revoked_at === null && !isUninstallable(build);
  return action !== 'revoke' || build.revoked_at === null;
}

/** The names of the first builds, and how many more there are. */
function Names({ builds }: { builds: readonly Build[] }) {
  const t = useTexts().builds.bulk;
  const more = builds.length - NAMED;
  const names = builds.slice(0, NAMED).map(formatBuild).join(', ');
  return <Text size="sm">{more > 0 ? t.andMore(names, more) : names}</Text>;
}

/** What failed, each with its reason. */
function Failures({ failures, changedCount }: { failures: readonly Failure[]; changedCount: number }) {
  const texts = useTexts();
  return (
    <div role="alert" className="tw-bulk-failures">
      <p className="tw-bad-text">{texts.builds.bulk.failed(failures.length, changedCount)}</p>
      <ul>
        {failures.map(({ build, error }) => {
          const { title, message } = describeError(error, texts);
          return (
            <li key={build.identifier}>
              <b>{formatBuild(build)}</b>: {message ?? title}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
