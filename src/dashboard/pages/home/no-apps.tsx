// The home page of an organization without apps.
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { EmptyState } from '../../components/page.tsx';
import { useOrganization } from '../../shell/current-user.ts';
import { readServerAddress } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';

/** `onCreate` is missing for members who can't create projects. */
export function NoApps({ onCreate }: { onCreate: (() => void) | undefined }) {
  const t = useTexts().projects;
  const organization = useOrganization();
  return (
    <EmptyState
      drawing="channel"
      title={t.emptyTitle}
      text={onCreate === undefined ? t.emptyReadOnly : t.emptyText}
      {...(onCreate !== undefined && {
        action: (
          <Button leftSection={<IconPlus size={16} />} onClick={onCreate}>
            {t.create}
          </Button>
        ),
        command: createCommand(organization.identifier),
      })}
    />
  );
}

function createCommand(organizationId: string): string {
  return (
    `curl -X POST '${readServerAddress()}/api/v1/projects?organization_id=${organizationId}' \\\n` +
    `  -H "Authorization: Bearer $TAXIWAY_TOKEN" -H 'Content-Type: application/json' \\\n` +
    `  -d '{"name":"My App","platform":"ios"}'`
  );
}
