// A tester group. When expanded, it shows people, access and settings.
import { Badge, Button, Modal, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { TesterGroup } from '../../../testers/groups/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { SavedSwitch } from '../../components/saved-switch.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
import { GroupAccess } from './group-access.tsx';
import { GroupPeople } from './group-people.tsx';
import { groupsPath } from './groups-path.ts';

interface GroupCardProps {
  group: TesterGroup;
  isOpen: boolean;
  onToggle(): void;
  onDeleted(): void;
}

export function GroupCard({ group, isOpen, onToggle, onDeleted }: GroupCardProps) {
  const t = useTexts().groups;
  const content = useId();
  return (
    <section className="tw-group" aria-label={group.name}>
      <h2 className="tw-heading-plain">
        <UnstyledButton className="tw-disclosure" aria-expanded={isOpen} aria-controls={content} onClick={onToggle}>
          <IconChevronRight size={16} stroke={1.75} aria-hidden />
          <span className="tw-grow">
            <span className="tw-strong">{group.name}</span>
            <br />
            <span className="tw-small">{t.counts(group.member_count, group.grant_count)}</span>
          </span>
          {!group.notify_on_release && <Badge color="gray">{t.emailsOff}</Badge>}
        </UnstyledButton>
      </h2>
      <div id={content} hidden={!isOpen} className="tw-group-content">
        {isOpen && <GroupContent group={group} onDeleted={onDeleted} />}
      </div>
    </section>
  );
}

function GroupContent({ group, onDeleted }: Pick<GroupCardProps, 'group' | 'onDeleted'>) {
  const texts = useTexts();
  const t = texts.groups;
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const close = () => setDialog(undefined);
  const all = groupsPath(group);
  const own = `${all}/${group.identifier}`;
  const edit = useChange((api, body: object) => api.send('PATCH', own, { body }), [all]);
  // Invalidates nothing, because queries of the deleted group would fail.
  const remove = useChange((api) => api.send('DELETE', own), []);
  return (
    <div className="tw-form">
      <div className="tw-part">
        <GroupPeople group={group} />
      </div>
      <div className="tw-part">
        <GroupAccess group={group} />
      </div>
      <div className="tw-part">
        <SavedSwitch
          label={t.releaseEmails}
          description={t.releaseEmailsHint}
          isOn={group.notify_on_release}
          save={async (isOn) => {
            await edit.mutateAsync({ notify_on_release: isOn });
            showSuccess(texts.common.saved, () => edit.mutateAsync({ notify_on_release: !isOn }));
          }}
        />
        <div className="tw-row tw-wrap">
          <Button variant="default" size="compact-md" onClick={() => setDialog('rename')}>
            {t.rename}
          </Button>
          <Button variant="subtle" color="red" size="compact-md" onClick={() => setDialog('delete')}>
            {t.delete}
          </Button>
        </div>
      </div>
      <Modal opened={dialog === 'rename'} onClose={close} title={t.rename} centered>
        {dialog === 'rename' && <RenameForm group={group} onDone={close} />}
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        title={t.deleteTitle(group.name)}
        action={t.delete}
        onClose={close}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.deleted(group.name));
          onDeleted();
        }}
      >
        {t.deleteEffect(group.member_count)}
      </ConfirmDialog>
    </div>
  );
}

function RenameForm({ group, onDone }: { group: TesterGroup; onDone(): void }) {
  const texts = useTexts();
  const all = groupsPath(group);
  const edit = useChange((api, body: object) => api.send('PATCH', `${all}/${group.identifier}`, { body }), [all]);
  const form = useForm({
    values: { name: group.name },
    async submit(body) {
      await edit.mutateAsync(body);
    },
    onDone,
    fieldOfCode: { already_exists: 'name' },
  });
  return (
    <FormBody form={form} submit={texts.common.save}>
      <TextInput label={texts.groups.name} autoComplete="off" data-autofocus {...form.text('name')} />
    </FormBody>
  );
}
