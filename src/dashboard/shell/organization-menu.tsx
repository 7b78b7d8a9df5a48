// The menu for switching or creating organizations. Loaded when it is first opened.
import { Badge, Menu } from '@mantine/core';
import { IconCheck, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useRead } from '../api/hooks.ts';
import { AppIcon } from '../components/app-icon.tsx';
import { useTexts } from '../texts/locale.ts';
import { organizationsPath, useCurrentUser } from './current-user.ts';
import { NewOrganizationDialog } from './new-organization.tsx';
import { OrganizationButton } from './organization-button.tsx';
import { hasUnsavedInput, LeaveDialog } from './unsaved-input.tsx';

/** `GET /organizations/{organization_id}/feature-flags`; a missing flag is off. */
interface FeatureFlags {
  flags: Partial<Record<string, boolean>>;
}

/**
 * Renders the button and the menu. The menu opens immediately, because clicking its placeholder loads this component.
 */
export function OrganizationMenu() {
  const texts = useTexts();
  const t = texts.shell;
  const { organizations, organization, switchOrganization: choose } = useCurrentUser();
  const navigate = useNavigate();
  const { data } = useRead<FeatureFlags>(`${organizationsPath}/${organization?.identifier}/feature-flags`, {
    isEnabled: organization !== undefined,
  });
  const mayCreate = data === undefined || data.flags.new_org_signups_enabled === true;
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const [wanted, setWanted] = useState<string>();
  function open(identifier: string, options: { ignoreBlocker?: boolean } = {}): void {
    choose(identifier);
    void navigate({ to: '/', ...options });
  }
  useEffect(() => {
    // This button replaces the one that was clicked, so it takes the focus: closing the menu by keyboard then returns
    // to it.
    button.current?.focus();
    setOpen(true);
  }, []);
  return (
    <>
      <Menu position="bottom-start" width={232} opened={isOpen} onChange={setOpen}>
        <Menu.Target>
          <OrganizationButton ref={button} />
        </Menu.Target>
        <Menu.Dropdown>
          {organizations.map(({ identifier, name, role, icon_url: icon }) => (
            <Menu.Item
              key={identifier}
              leftSection={<AppIcon src={icon} name={name} size={24} />}
              rightSection={identifier === organization?.identifier ? <IconCheck size={16} /> : null}
              onClick={() => {
                if (hasUnsavedInput()) setWanted(identifier);
                else open(identifier);
              }}
            >
              {name}{' '}
              <Badge size="xs" variant="default">
                {texts.roles.organization[role ?? 'member']}
              </Badge>
            </Menu.Item>
          ))}
          {mayCreate && (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
                {t.newOrganization}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {/* The router asks too late: the page of the other organization has already replaced the forms. */}
      <LeaveDialog
        isOpen={wanted !== undefined}
        onLeave={() => wanted !== undefined && open(wanted, { ignoreBlocker: true })}
        onClose={() => setWanted(undefined)}
      />
      <NewOrganizationDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
