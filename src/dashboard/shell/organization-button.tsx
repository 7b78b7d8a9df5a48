// Names the organization that is looked at; it opens the menu with the others.
import { UnstyledButton, type UnstyledButtonProps } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';
import { AppIcon } from '../parts/app-icon.tsx';
import { useTexts } from '../texts/languages.ts';
import { useVisit } from './me.ts';

export function OrganizationButton(props: UnstyledButtonProps & ComponentPropsWithRef<'button'>) {
  const t = useTexts().shell;
  const { organization } = useVisit();
  return (
    <UnstyledButton {...props} className="tw-nav-item tw-organization">
      <span className="tw-offscreen">{t.switchOrganization}: </span>
      {organization && <AppIcon src={organization.icon_url} name={organization.name} size={28} />}
      <span className="tw-grow tw-ellipsis">{organization?.name ?? t.organization}</span>
      <IconSelector size={16} aria-hidden />
    </UnstyledButton>
  );
}
