// Whom requiring single sign-on concerns, by name, before it is done.
import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { OrganizationMember } from '../../../organizations/members/schema.ts';
import { Loading, Shown } from '../../parts/page.tsx';
import { useTexts } from '../../texts/languages.ts';
import { useMembersNow } from '../settings/members.ts';
import { splitMembers } from './parse-input.ts';

const MOST_NAMED = 8;

export function RequireEffect({ domains, wasTried }: { domains: readonly string[]; wasTried: boolean }) {
  const t = useTexts().sso.activation;
  const members = useMembersNow();
  return (
    <Shown read={members} loading={<Loading rows={2} height={32} />}>
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
              <Named words={t.requireMembers(inside.length, domains.join(', '))} people={inside} />
            )}
            {outside.length > 0 && <Named words={t.requireUnaffected(outside.length)} people={outside} />}
            <Text size="sm">{t.requireSessions}</Text>
          </Stack>
        );
      }}
    </Shown>
  );
}

function Named({ words, people }: { words: string; people: readonly OrganizationMember[] }) {
  const t = useTexts().sso.activation;
  const more = people.length - MOST_NAMED;
  return (
    <div>
      <Text size="sm">{words}</Text>
      <ul className="tw-plain-list">
        {people.slice(0, MOST_NAMED).map(({ developer_id: id, display_name: name, email }) => (
          <li key={id}>
            {name} <span className="tw-small">{email}</span>
          </li>
        ))}
        {more > 0 && <li>{t.andMore(more)}</li>}
      </ul>
    </div>
  );
}
