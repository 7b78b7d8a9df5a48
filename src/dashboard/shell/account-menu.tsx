// The menu of the account: profile, theme, language, references and signing out. Loaded when it is first opened.
import { Menu, SegmentedControl, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconApi, IconBook, IconDots, IconLogout, IconUser } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useApi, useChange } from '../api/hooks.ts';
import { describeError } from '../components/errors.tsx';
import { showFailure } from '../components/toasts.ts';
import { useTexts } from '../texts/locale.ts';
import { mePath, useCurrentUser } from './current-user.ts';
import { LanguageSwitch } from './language-switch.tsx';
import { useServerInfo } from './server-info.ts';

const schemes = ['auto', 'light', 'dark'] as const;

/**
 * Renders the button and the menu. The menu opens immediately, because clicking its placeholder loads this component.
 */
export function AccountMenu() {
  const t = useTexts().shell;
  const { me } = useCurrentUser();
  const { base } = useServerInfo();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const saveLanguage = useChange(
    (client, locale: string) => client.send('PATCH', `/developers/${me.identifier}`, { body: { locale } }),
    [mePath],
  );
  useEffect(() => {
    // This button replaces the one that was clicked, so it takes the focus: closing the menu by keyboard then returns
    // to it.
    button.current?.focus();
    setOpen(true);
  }, []);
  return (
    <Menu position="top-end" width={248} opened={isOpen} onChange={setOpen} closeOnItemClick>
      <Menu.Target>
        <UnstyledButton ref={button} className="tw-nav-item" aria-label={t.account} data-tip={t.account}>
          <IconDots size={16} stroke={1.75} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <p className="tw-account-head">
          <strong className="tw-ellipsis">{me.display_name}</strong>
          <span className="tw-ellipsis">{me.email}</span>
        </p>
        <Menu.Item component={Link} to="/me" leftSection={<IconUser size={16} stroke={1.75} />}>
          {t.profile}
        </Menu.Item>
        <div className="tw-account-setting">
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label={t.theme}
            value={colorScheme}
            data={schemes.map((value) => ({ value, label: t.themes[value] }))}
            onChange={(value) => setColorScheme(schemes.find((scheme) => scheme === value) ?? 'auto')}
          />
          <LanguageSwitch onChosen={(language) => me.email_verified && saveLanguage.mutate(language)} />
        </div>
        <Menu.Divider />
        <Menu.Item component="a" href={`${base}/docs/`} leftSection={<IconBook size={16} stroke={1.75} />}>
          {t.documentation}
        </Menu.Item>
        <Menu.Item component="a" href={`${base}/api/docs`} leftSection={<IconApi size={16} stroke={1.75} />}>
          {t.apiReference}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.75} />} onClick={() => void signOut()}>
          {t.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Returns a function that signs out, and says so if it failed, because the menu is closed by then. */
function useSignOut(): () => Promise<void> {
  const texts = useTexts();
  const api = useApi();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async () => {
    // Pending reads would fail once the session has ended.
    await queries.cancelQueries();
    try {
      await api.signOut();
    } catch (error) {
      showFailure(texts.shell.signOutFailed(describeError(error, texts).title));
      await queries.invalidateQueries();
      return;
    }
    await navigate({ to: '/sign-in', replace: true, ignoreBlocker: true });
    // Only inactive queries, so that those of the sign-in page continue.
    queries.removeQueries({ type: 'inactive' });
  };
}
