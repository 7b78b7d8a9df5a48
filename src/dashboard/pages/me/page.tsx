// The user's account: profile, sign-in methods, sessions, activity and tokens.
import { TextInput } from '@mantine/core';
import type { Developer } from '../../../accounts/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { IconField } from '../../components/icon-field.tsx';
import { PageHeader, Section } from '../../components/page.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mePath, useCurrentUser } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { AddressSection, DeletionSection, ExportSection } from './account-deletion.tsx';
import { ActivitySection } from './activity.tsx';
import { NotificationsSection } from './notifications.tsx';
import { PasskeysSection } from './passkeys.tsx';
import { PasswordSection, useHasPasswordSection } from './password.tsx';
import { SessionsSection } from './sessions.tsx';
import { TokensSection } from './tokens.tsx';
import { TwoFactorSection } from './two-factor.tsx';

export function Page() {
  const t = useTexts().account;
  const { me, organization } = useCurrentUser();
  const hasPassword = useHasPasswordSection();
  const sections: [string, string][] = [
    ['profile', t.profile],
    ['email', t.address],
    ['passkeys', t.passkeys.title],
    ['two-factor', t.twoFactor.title],
    ['password', t.password],
    ['sessions', t.sessions.title],
    ['tokens', t.tokens.title],
    ['notifications', t.notifications.title],
    ['activity', t.activity.title],
    ['data', t.exports.title],
    ['delete', t.deletion.title],
  ];
  return (
    <>
      <PageHeader title={t.title} hint={me.email} />
      <div className="tw-settings">
        <div>
          <Profile me={me} />
          <AddressSection me={me} />
          <PasskeysSection />
          <TwoFactorSection />
          <PasswordSection me={me} />
          <SessionsSection />
          {organization !== undefined && <TokensSection key={organization.identifier} organization={organization} />}
          <NotificationsSection />
          <ActivitySection me={me} />
          <ExportSection me={me} />
          <DeletionSection me={me} />
        </div>
        <nav aria-label={t.sections}>
          <ul className="tw-settings-nav">
            {sections
              .filter(([id]) => (id !== 'tokens' || organization !== undefined) && (id !== 'password' || hasPassword))
              .map(([id, title]) => (
                <li key={id}>
                  <a href={`#${id}`}>{title}</a>
                </li>
              ))}
          </ul>
        </nav>
      </div>
    </>
  );
}

function Profile({ me }: { me: Developer }) {
  const texts = useTexts();
  const t = texts.account;
  const save = useChange(
    (api, body: object) => api.send<Developer>('PATCH', `/developers/${me.identifier}`, { body }),
    [mePath, '/organizations'],
  );
  const form = useForm({
    values: { display_name: me.display_name },
    async submit(body) {
      await save.mutateAsync(body);
      showSuccess(texts.common.saved);
    },
  });
  return (
    <Section id="profile" title={t.profile}>
      <IconField
        name={me.display_name}
        personId={me.identifier}
        src={me.avatar_url}
        path={`/developers/${me.identifier}/avatar`}
        touches={[mePath]}
      />
      <FormBody form={form} submit={texts.common.save}>
        <TextInput label={texts.auth.displayName} autoComplete="name" {...form.text('display_name')} />
      </FormBody>
    </Section>
  );
}
