// The tester groups of the organization.
import { Button, Modal, Switch, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { TesterGroup } from '../../../testers/groups/schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { EmptyState, PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { requestCommand } from '../../components/request-command.ts';
import { RoleErrorPage } from '../../components/role-error.tsx';
import { mayInOrganization, organizationsPath, useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { GroupCard } from './group-card.tsx';

export function Page() {
  const organization = useOrganization();
  const { identifier } = organization;
  if (!mayInOrganization(organization, 'tester_group.manage')) return <RoleErrorPage />;
  return <Groups key={identifier} path={`${organizationsPath}/${identifier}/tester-groups`} />;
}

function Groups({ path }: { path: string }) {
  const t = useTexts().groups;
  const { base } = useServerInfo();
  const list = useReadPages<TesterGroup>(path);
  const [isCreating, setCreating] = useState(false);
  const [opened, setOpened] = useState<string>();
  const make = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={t.title} actions={list.rows?.length ? make : null} />
      <QueryContent read={{ ...list, data: list.rows }} loading={<RowsSkeleton rows={4} hasCaption />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              drawing="group"
              title={t.emptyTitle}
              text={t.emptyText}
              action={make}
              command={requestCommand(location.origin + base, 'POST', path, { name: 'QA' })}
            />
          ) : (
            <div className="tw-groups">
              {rows.map((group) => (
                <GroupCard
                  key={group.identifier}
                  group={group}
                  isOpen={opened === group.identifier}
                  onToggle={() => setOpened(opened === group.identifier ? undefined : group.identifier)}
                  onDeleted={() => {
                    setOpened(undefined);
                    void list.refetch();
                  }}
                />
              ))}
              <LoadMore list={list} />
            </div>
          )
        }
      </QueryContent>
      <Modal opened={isCreating} onClose={() => setCreating(false)} title={t.create} centered>
        {isCreating && (
          <GroupForm
            path={path}
            onDone={(created) => {
              setCreating(false);
              setOpened(created.identifier);
            }}
          />
        )}
      </Modal>
    </>
  );
}

function GroupForm({ path, onDone }: { path: string; onDone(group: TesterGroup): void }) {
  const texts = useTexts();
  const t = texts.groups;
  const make = useChange((api, body: object) => api.send<TesterGroup>('POST', path, { body }), [path]);
  const form = useForm({
    values: { name: '', notify_on_release: true },
    submit: (body) => make.mutateAsync(body),
    onDone,
    fieldOfCode: { already_exists: 'name' },
  });
  return (
    <FormBody form={form} submit={texts.common.create}>
      <TextInput label={t.name} placeholder="QA" autoComplete="off" data-autofocus {...form.text('name')} />
      <Switch label={t.releaseEmails} description={t.releaseEmailsHint} {...form.checked('notify_on_release')} />
    </FormBody>
  );
}
