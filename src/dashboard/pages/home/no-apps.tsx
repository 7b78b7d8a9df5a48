// The home page of an organization without apps: a package creates the first one.
import { Button, Group, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { EmptyState } from '../../components/page.tsx';
import { useOrganization } from '../../shell/current-user.ts';
import { readServerAddress } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { PackageButton } from '../../upload/projects-drop.tsx';
import { PublicSwitch } from '../../upload/public-switch.tsx';

interface NoAppsProps {
  /** Missing for members who can't create projects. */
  onCreate?: () => void;
  onFiles?: (files: readonly File[]) => void;
  isPublic: boolean;
  onPublicChange(isPublic: boolean): void;
}

export function NoApps({ onCreate, onFiles, isPublic, onPublicChange }: NoAppsProps) {
  const texts = useTexts();
  const t = texts.projects;
  const organization = useOrganization();
  if (onCreate === undefined || onFiles === undefined) {
    return <EmptyState drawing="channel" title={t.emptyTitle} text={t.emptyReadOnly} />;
  }
  return (
    <EmptyState
      drawing="channel"
      title={t.emptyTitle}
      text={t.emptyText}
      action={
        <Stack align="center" gap="lg">
          <div className="tw-first-choice">
            <PublicSwitch isPublic={isPublic} onChange={onPublicChange} />
          </div>
          <Group gap="sm" justify="center">
            <PackageButton label={texts.adding.choosePackage} onFiles={onFiles} />
            <Button variant="default" leftSection={<IconPlus size={16} />} onClick={onCreate}>
              {t.create}
            </Button>
          </Group>
        </Stack>
      }
      command={createCommand(organization.identifier)}
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
