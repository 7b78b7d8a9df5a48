// Organization settings: icon, name, leaving and deletion.
import { TextInput } from '@mantine/core';
import { useChange } from '../../api/hooks.ts';
import { Copyable } from '../../components/copy.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { IconField } from '../../components/icon-field.tsx';
import { Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { organizationsPath, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { DeletionSection, LeavingSection } from './organization-deletion.tsx';

export function Page() {
  const t = useTexts().settings;
  const organization = useOrganization();
  return (
    <>
      <Section title={t.icon}>
        <IconField
          name={organization.name}
          src={organization.icon_url}
          path={`${organizationsPath}/${organization.identifier}/icon`}
          touches={[organizationsPath]}
        />
      </Section>
      <General />
      <LeavingSection />
      <DeletionSection />
    </>
  );
}

function General() {
  const texts = useTexts();
  const t = texts.settings;
  const organization = useOrganization();
  const save = useChange(
    (api, body: object) => api.send('PATCH', `${organizationsPath}/${organization.identifier}`, { body }),
    [organizationsPath],
  );
  const form = useForm({
    values: { name: organization.name },
    async submit(body) {
      await save.mutateAsync(body);
      showSuccess(texts.common.saved);
    },
  });
  return (
    <Section title={t.general}>
      <FormBody form={form} submit={texts.common.save}>
        <TextInput label={t.name} autoComplete="off" {...form.text('name')} />
      </FormBody>
      <dl className="tw-fact-lines" data-narrow>
        <div>
          <dt>{t.identifier}</dt>
          <dd>
            <Copyable text={organization.identifier} what={t.identifier} />
          </dd>
        </div>
        <div>
          <dt>{t.plan}</dt>
          <dd>{t.plans[organization.tier]}</dd>
        </div>
        <div>
          <dt>{t.role}</dt>
          <dd>{texts.roles.organization[organization.role ?? 'member']}</dd>
        </div>
        <div>
          <dt>{t.created}</dt>
          <dd>
            <RelativeTime at={organization.created_at} />
          </dd>
        </div>
      </dl>
    </Section>
  );
}
