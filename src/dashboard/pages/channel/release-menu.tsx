// The actions of a release in the history: show installs, edit notes, disable and delete.
import { ActionIcon, Menu, Modal } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Release } from '../../../releases/schema.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { notesOf } from '../../components/notes.ts';
import { NotesField } from '../../components/release-notes.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import type { Before } from './current-release.tsx';
import { ReleaseInstallsDialog } from './release-installs.tsx';

const touched = ['/releases', '/channels', '/projects'];

function listsReleases(path: string): boolean {
  return ['/releases', '/releases/current'].includes(path) || /^\/(?:channels|projects)/.test(path);
}

interface ReleaseMenuProps {
  release: Release;
  /** The release that becomes current if this one is current and deleted. */
  before: Before;
  /** Undefined if the channel can't be rolled back to this release. */
  onRollBack: (() => void) | undefined;
  /** Undefined unless the release is disabled. */
  onEnable: (() => void) | undefined;
}

export function ReleaseMenu({ release, before, onRollBack, onEnable }: ReleaseMenuProps) {
  const texts = useTexts();
  const t = texts.releaseInstalls;
  const project = useProject();
  const [dialog, setDialog] = useState<'installs' | 'notes' | 'disable' | 'delete'>();
  const close = () => setDialog(undefined);
  const mayManage = mayInProject(project, 'release.manage');
  const path = `/releases/${release.identifier}`;
  const name = formatBuild(release.build);
  const disable = useChange((api) => api.send('POST', `${path}/disable`), touched);
  const enable = useChange((api) => api.send('POST', `${path}/enable`), touched);
  const api = useApi();
  const queries = useQueryClient();
  async function remove(): Promise<void> {
    await api.send('DELETE', path);
    // Not `invalidate`, because queries of the deleted release itself would fail.
    await queries.invalidateQueries({ predicate: ({ queryKey: [read] }) => listsReleases(String(read)) });
    showSuccess(t.deleted(name));
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`${texts.common.more}: ${name}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {onRollBack !== undefined && <Menu.Item onClick={onRollBack}>{texts.channels.rollBackToThis}</Menu.Item>}
          {onEnable !== undefined && <Menu.Item onClick={onEnable}>{texts.channels.enable}</Menu.Item>}
          <Menu.Item onClick={() => setDialog('installs')}>{t.show}</Menu.Item>
          {mayManage && (
            <>
              <Menu.Item onClick={() => setDialog('notes')}>{t.editNotes}</Menu.Item>
              {release.state === 'active' && !release.is_current && (
                <Menu.Item onClick={() => setDialog('disable')}>{texts.channels.disable}</Menu.Item>
              )}
              <Menu.Item color="red" onClick={() => setDialog('delete')}>
                {t.delete}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <ReleaseInstallsDialog release={release} isOpen={dialog === 'installs'} onClose={close} />
      <Modal opened={dialog === 'notes'} onClose={close} title={t.editNotes} centered>
        {dialog === 'notes' && <NotesForm release={release} onDone={close} />}
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'disable'}
        title={texts.channels.disableTitle(name)}
        action={texts.channels.disable}
        onClose={close}
        onConfirm={async () => {
          await disable.mutateAsync(undefined);
          showSuccess(texts.channels.disabled(name), () => enable.mutateAsync(undefined));
        }}
      >
        {t.disableEarlierEffect}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        title={t.deleteTitle(name)}
        action={t.delete}
        onClose={close}
        onConfirm={remove}
      >
        {t.deleteEffect}
        {release.is_current &&
          ` ${before === 'unknown' ? t.deleteUnknownEffect : before === undefined ? t.deleteOnlyEffect : t.deleteCurrentEffect(formatBuild(before.build))}`}
      </ConfirmDialog>
    </>
  );
}

function NotesForm({ release, onDone }: { release: Release; onDone(): void }) {
  const texts = useTexts();
  const save = useChange(
    (api, body: object) => api.send('PATCH', `/releases/${release.identifier}`, { body }),
    ['/releases'],
  );
  const form = useForm({
    values: { release_notes: notesOf(release) },
    async submit({ release_notes: notes }) {
      // Without notes of its own, it has those of its build.
      await save.mutateAsync({ release_notes: notes === (release.build.release_notes ?? '') ? null : notes });
      showSuccess(texts.releaseInstalls.notesSaved, () => save.mutateAsync({ release_notes: release.release_notes }));
    },
    onDone,
  });
  return (
    <FormBody form={form} submit={texts.common.save}>
      <NotesField
        label={texts.channels.releaseNotes}
        description={texts.channels.releaseNotesHint}
        minRows={4}
        maxRows={14}
        data-autofocus
        {...form.text('release_notes')}
      />
    </FormBody>
  );
}
