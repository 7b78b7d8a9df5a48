// The members affected by requiring single sign-on.
import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { OrganizationMember } from '../../../organizations/members/schema.ts';
import { useFreshMembers } from '../../components/admins.ts';
import { QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { useTexts } from '../../texts/locale.ts';
import { splitMembers } from './parse-input.ts';

const MAX_NAMED = 8;

export function RequireEffect({ domains, wasTried }: { domains: readonly string[]; wasTried: boolean }) {
  const t = useTexts().sso.activation;
  const members = useFreshMembers();
  return (
    <QueryContent read={members} loading={<RowsSkeleton rows={2} picture={0} />}>
      {(rows) => {
        const { inside, outside } = splitMembers(rows, domains);
        return (
          <Stack gap="sm">
            {!wasTried && (
              <Alert color="yellow" icon={<IconAlertTriangle size={18} />}>
                {t.untested}
              </Alert>
            )}
            {inside.length === 0 ? (
              <Text size="sm">{t.requireNone}</Text>
            ) : (
              <MemberNames words={t.requireMembers(inside.length, domains.join(', '))} people={inside} />
            )}
            {outside.length > 0 && <MemberNames words={t.requireUnaffected(outside.length)} people={outside} />}
            <Text size="sm">{t.requireSessions}</Text>
          </Stack>
        );
      }}
    </QueryContent>
  );
}

function MemberNames({ words, people }: { words: string; people: readonly OrganizationMember[] }) {
  const t = useTexts().sso.activation;
  const more = people.length - MAX_NAMED;
  return (
    <div>
      <Text size="sm">{words}</Text>
      <ul className="tw-plain-list">
        {people.slice(0, MAX_NAMED).map(({ developer_id: id, display_name: name, email }) => (
          <li key={id}>
            {name} <span className="tw-small">{email}</span>
          </li>
        ))}
        {more > 0 && <li>{t.andMore(more)}</li>}
      </ul>
    </div>
  );
}
