// The people of a group.

import { Button, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { TesterGroup, TesterGroupMember } from '../../../testers/groups/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { AccessBadge } from '../../components/access-badge.tsx';
import { AddByEmail } from '../../components/add-by-email.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Initials } from '../../components/initials.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { PeopleSearch, usePeople } from '../../components/people-search.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useTexts } from '../../texts/locale.ts';
import { groupsPath } from './groups-path.ts';

export function GroupPeople({ group }: { group: TesterGroup }) {
  const t = useTexts().groups;
  const path = `${groupsPath(group)}/${group.identifier}/members`;
  const list = usePeople<TesterGroupMember>(path);
  return (
    <>
      <Title order={3} size="h5">
        {t.people}
      </Title>
      <AddByEmail path={path} touches={[groupsPath(group)]} />
      <PeopleSearch search={list.search} />
      <QueryContent read={{ ...list, data: list.rows }} loading={<RowsSkeleton rows={2} picture={28} hasCaption />}>
        {(rows) =>
          rows.length === 0 ? (
            !list.isSearched && (
              <Text size="sm" c="dimmed">
                {t.noPeople}
              </Text>
            )
          ) : (
            <ul className="tw-list">
              {rows.map((member) => (
                <MemberRow key={member.identifier} member={member} group={group} />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <LoadMore list={list} />
    </>
  );
}

function MemberRow({ member, group }: { member: TesterGroupMember; group: TesterGroup }) {
  const texts = useTexts();
  const t = texts.testers;
  const [isConfirming, setConfirming] = useState(false);
  const all = groupsPath(group);
  const remove = useChange(
    (api) => api.send('DELETE', `${all}/${group.identifier}/members/${member.identifier}`),
    [all],
  );
  const { email, display_name: name, status } = member;
  return (
    <li>
      <Initials id={member.developer_id ?? member.identifier} name={name ?? email} size={28} />
      <div className="tw-grow">
        <div className="tw-strong">{name ?? email}</div>
        <div className="tw-small">
          {name !== null && `${email} · `}
          {t.addedAt} <RelativeTime at={member.attached_at ?? member.created_at} />
        </div>
      </div>
      <div className="tw-row-end">
        <AccessBadge {...member} />
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`${texts.common.remove}: ${email}`}
          onClick={() => setConfirming(true)}
        >
          {texts.common.remove}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isConfirming}
        title={texts.groups.removeTitle(email, group.name)}
        action={texts.common.remove}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutateAsync(undefined)}
      >
        {status === 'pending' ? t.removePending(email) : texts.groups.removeEffect(email)}
      </ConfirmDialog>
    </li>
  );
}
