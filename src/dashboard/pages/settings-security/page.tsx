// Security settings: admins, member sign-in, and commands for other policies.
import { Alert, Button, Text } from '@mantine/core';
import { IconAlertTriangle, IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useChange } from '../../api/hooks.ts';
import { useAdmins } from '../../components/admins.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { Initials } from '../../components/initials.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { bodylessCommand, requestCommand } from '../../components/request-command.ts';
import { SavedSwitch } from '../../components/saved-switch.tsx';
import { useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { useSso } from '../settings-sso/sso.ts';

export function Page() {
  return (
    <>
      <Admins />
      <SignIn />
      <Terminal />
    </>
  );
}

function Admins() {
  const texts = useTexts();
  const t = texts.settings.security;
  const { members, admins = [] } = useAdmins();
  return (
    <Section
      title={t.admins}
      hint={t.adminsHint}
      actions={
        <Button variant="default" component={Link} to="/members">
          {texts.settings.leave.members}
        </Button>
      }
    >
      <QueryContent read={members} loading={<RowsSkeleton rows={1} picture={28} hasCaption />}>
        {() => (
          <>
            {admins.length === 1 && (
              <Alert color="yellow" icon={<IconAlertTriangle size={18} />}>
                {t.oneAdmin}
              </Alert>
            )}
            <ul className="tw-list">
              {admins.map(({ developer_id: id, display_name: name, email }) => (
                <li key={id}>
                  <Initials id={id} name={name} size={28} />
                  <div className="tw-grow">
                    <div className="tw-strong">{name}</div>
                    <div className="tw-small">{email}</div>
                  </div>
                </li>
              ))}
            </ul>
          </>
        )}
      </QueryContent>
    </Section>
  );
}

function SignIn() {
  const t = useTexts().settings.security;
  const sso = useSso();
  const words = {
    absent: t.ssoAbsent,
    disabled: t.ssoDisabled,
    enabled: t.ssoEnabled,
    required: t.ssoRequired,
  };
  return (
    <Section
      title={t.signIn}
      actions={
        <Button variant="default" component={Link} to="/settings/sso">
          {t.toSso}
        </Button>
      }
    >
      {sso.error !== null && <ErrorAlert error={sso.error} onRetry={() => void sso.refetch()} />}
      {sso.state === undefined ? (
        sso.error === null && <RowsSkeleton rows={1} picture={0} />
      ) : (
        <Text size="sm">{words[sso.state]}</Text>
      )}
      <EmailSignIn />
      <Text size="sm">
        {t.trail}{' '}
        <Link to="/audit" className="tw-link">
          {t.toTrail}
        </Link>
      </Text>
    </Section>
  );
}

function EmailSignIn() {
  const t = useTexts().settings.security;
  const { identifier: id, email_sign_in_allowed: isAllowed } = useOrganization();
  const change = useChange(
    (api, isOn: boolean) => api.send('PATCH', `/organizations/${id}`, { body: { email_sign_in_allowed: isOn } }),
    ['/organizations'],
  );
  return (
    <SavedSwitch
      label={t.byEmail}
      description={t.byEmailHint}
      isOn={isAllowed}
      save={(isOn) => change.mutateAsync(isOn)}
    />
  );
}

function Terminal() {
  const t = useTexts().settings.security;
  const { base } = useServerInfo();
  const { identifier: id } = useOrganization();
  const server = `${location.origin}${base}`;
  const policy = { required: true, grace_period_days: 14, passkey_satisfies: true };
  const commands = [
    [t.mfa, requestCommand(server, 'PUT', `/organizations/${id}/mfa-policy`, policy)],
    [t.tokens, bodylessCommand(server, 'GET', `/pats/all?organization_id=${id}`)],
    [t.revoke, bodylessCommand(server, 'DELETE', `/pats/PAT_ID?organization_id=${id}`)],
  ] as const;
  return (
    <Section title={t.commandLine} hint={t.commandLineHint}>
      <div className="tw-folds">
        {commands.map(([words, command]) => (
          <details key={words} className="tw-fold">
            <summary>
              <IconChevronRight size={16} stroke={1.75} aria-hidden />
              {words}
            </summary>
            <div>
              <CommandBlock text={command} />
            </div>
          </details>
        ))}
      </div>
    </Section>
  );
}
