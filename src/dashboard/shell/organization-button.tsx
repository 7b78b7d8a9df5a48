// The button that shows the selected organization and opens the menu of organizations.
import { UnstyledButton, type UnstyledButtonProps } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';
import { AppIcon } from '../components/app-icon.tsx';
import { useTexts } from '../texts/locale.ts';
import { useCurrentUser } from './current-user.ts';

export function OrganizationButton(props: UnstyledButtonProps & ComponentPropsWithRef<'button'>) {
  const t = useTexts().shell;
  const { organization } = useCurrentUser();
  return (
    <UnstyledButton {...props} className="tw-nav-item tw-organization" data-tip={organization?.name ?? t.organization}>
      <span className="tw-offscreen">{t.switchOrganization}: </span>
      {organization && <AppIcon src={organization.icon_url} name={organization.name} size={28} />}
      <span className="tw-nav-label tw-grow">{organization?.name ?? t.organization}</span>
      <IconSelector size={16} aria-hidden />
    </UnstyledButton>
  );
}
