// The menu of organizations: the others, and a new one. Loaded when it is first opened.
import { Badge, Menu } from '@mantine/core';
import { IconCheck, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { AppIcon } from '../parts/app-icon.tsx';
import { useTexts } from '../texts/languages.ts';
import { useVisit } from './me.ts';
import { NewOrganizationDialog } from './new-organization.tsx';
import { OrganizationButton } from './organization-button.tsx';

/** Button and menu; it opens as soon as it is drawn, because its button was pressed before. */
export function OrganizationMenu() {
  const texts = useTexts();
  const t = texts.shell;
  const { organizations, organization, choose } = useVisit();
  const navigate = useNavigate();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isMaking, setMaking] = useState(false);
  useEffect(() => {
    // The button stands where another one was: whoever closes the menu by the keyboard is back on it.
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
                choose(identifier);
                void navigate({ to: '/' });
              }}
            >
              {name}{' '}
              <Badge size="xs" variant="default">
                {texts.roles.organization[role ?? 'member']}
              </Badge>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
            {t.newOrganization}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <NewOrganizationDialog isOpen={isMaking} onClose={() => setMaking(false)} />
    </>
  );
}
