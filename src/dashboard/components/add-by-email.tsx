// A form that adds people by email address. It keeps the focus, so that several can be added in a row.
import { Button, TextInput } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { ApiError, OWN_TEXT } from '../api/errors.ts';
import { useTexts } from '../texts/locale.ts';
import { ErrorAlert } from './errors.tsx';
import { useForm } from './form.tsx';
import { SignUpLink } from './share-link.tsx';

interface AddByEmailProps {
  add(email: string): Promise<unknown>;
  hint?: string;
}

export function AddByEmail({ add, hint }: AddByEmailProps) {
  const t = useTexts().testers;
  const form = useForm({
    values: { email: '' },
    async submit({ email }) {
      await add(email.trim()).catch((error: unknown) => {
        throw nameTaken(error, t.alreadyAdded);
      });
      // The next address may be there already.
      form.setValues((current) => (current.email === email ? { email: '' } : current));
      form.element.current?.querySelector('input')?.focus();
    },
  });
  return (
    <form ref={form.element} className="tw-form" noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <div className="tw-add-line">
        <TextInput
          label={t.email}
          type="email"
          autoComplete="off"
          description={hint}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          {...form.text('email')}
        />
        <Button type="submit" leftSection={<IconUserPlus size={16} />} loading={form.isSending}>
          {t.add}
        </Button>
      </div>
      <SignUpLink />
      {form.formError !== undefined && <ErrorAlert error={form.formError} />}
    </form>
  );
}

/** Turns the error for an existing entry into a field error. */
function nameTaken(error: unknown, words: string): unknown {
  if (!(error instanceof ApiError) || error.code !== 'already_exists') return error;
  const errors = [{ loc: ['body', 'email'], type: OWN_TEXT, msg: words }];
  return new ApiError(error.status, { error: error.code, message: words, details: { errors } }, new Headers());
}
