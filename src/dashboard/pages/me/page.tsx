// One's own account: profile, ways to sign in, sessions, tokens.
import { TextInput } from '@mantine/core';
import type { Developer } from '../../../accounts/schema.ts';
import { useChange } from '../../api/api-context.ts';
import { FormBody, useForm } from '../../parts/form.tsx';
import { IconField } from '../../parts/icon-field.tsx';
import { PageHead, Section } from '../../parts/page.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { mePath, useVisit } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { AddressSection, DeletionSection, ExportSection } from './account-deletion.tsx';
import { CodesSection } from './codes.tsx';
import { NotificationsSection } from './notifications.tsx';
import { PasskeysSection } from './passkeys.tsx';
import { PasswordSection } from './password.tsx';
import { SessionsSection } from './sessions.tsx';
import { TokensSection } from './tokens.tsx';
import { TrailSection } from './trail.tsx';

export function Page() {
  const t = useTexts().account;
  const { me, organization } = useVisit();
  return (
    <>
      <PageHead title={t.title} hint={me.email} />
      <Profile me={me} />
      <AddressSection me={me} />
      <PasskeysSection />
      <CodesSection />
      <PasswordSection me={me} />
      <SessionsSection />
      <TrailSection me={me} />
      {organization !== undefined && <TokensSection key={organization.identifier} organization={organization} />}
      <NotificationsSection />
      <ExportSection me={me} />
      <DeletionSection me={me} />
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
      sayDone(texts.common.saved);
    },
  });
  return (
    <Section title={t.profile}>
      <IconField
        name={me.display_name}
        src={me.avatar_url}
        path={`/developers/${me.identifier}/avatar`}
        touches={[mePath]}
      />
      <FormBody form={form} submit={texts.common.save}>
        <TextInput label={texts.entry.displayName} autoComplete="name" {...form.text('display_name')} />
      </FormBody>
    </Section>
  );
}
