// A form that adds people by their email addresses. It keeps the focus, so that more can be added in a row.
import { Button, Progress, TextInput } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { type ClipboardEvent, useState } from 'react';
import type { TesterGrant } from '../../testers/grants/schema.ts';
import { ApiError } from '../api/errors.ts';
import { fieldProblem } from '../api/field-problem.ts';
import { useChange } from '../api/hooks.ts';
import { useTexts } from '../texts/locale.ts';
import { parseAddresses } from './addresses.ts';
import { useEmailText } from './email-texts.ts';
import { ErrorAlert } from './errors.tsx';
import { useForm } from './form.tsx';
import { SignUpLink } from './share-link.tsx';
import { showSuccess } from './toasts.ts';

/** Each address is a request of its own. */
const MAX_AT_A_TIME = 500;

interface AddByEmailProps {
  /** The list that people are added to. */
  path: string;
  /** The queries that change with it. */
  touches: readonly string[];
  hint?: string;
}

type Added = Pick<TesterGrant, 'identifier' | 'email' | 'status' | 'is_verified'>;

interface Result {
  added: readonly Added[];
  /** The number of people who were in the list before. */
  known: number;
  /** The addresses that weren't added, because of `problem`. */
  left: readonly string[];
  problem?: unknown;
}

export function AddByEmail({ path, touches, hint }: AddByEmailProps) {
  const texts = useTexts();
  const t = texts.testers;
  const emailText = useEmailText();
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const remove = useChange(async (api, ids: readonly string[]) => {
    for (const id of ids) await api.send('DELETE', `${path}/${id}`);
  }, touches);
  const addOne = useChange((api, email: string) => api.send<Added>('POST', path, { body: { email } }), touches);
  const addMany = useChange(async (api, addresses: readonly string[]): Promise<Result> => {
    const added: Added[] = [];
    const left: string[] = [];
    let known = 0;
    let problem: unknown;
    // One after the other, so that the server isn't occupied and the rest stays in the field after an error.
    for (const [at, email] of addresses.entries()) {
      setProgress({ done: at, total: addresses.length });
      try {
        added.push(await api.send<Added>('POST', path, { body: { email } }));
      } catch (error) {
        if (hasCode(error, 'already_exists')) {
          known += 1;
          continue;
        }
        problem ??= error;
        left.push(email);
        if (hasCode(error, 'validation_error')) continue;
        problem = error;
        left.push(...addresses.slice(at + 1));
        break;
      }
    }
    setProgress(undefined);
    return { added, known, left, problem };
  }, touches);

  function describe({ email, status, is_verified: isVerified }: Added): string {
    if (status === 'pending') return emailText(t.invited)(email);
    return isVerified ? t.added(email) : t.addedUnverified(email);
  }

  /** Throws what prevents it. */
  async function sendOne(address: string): Promise<Pick<Result, 'left' | 'problem'>> {
    const added = await addOne.mutateAsync(address).catch((error: unknown) => {
      if (!hasCode(error, 'already_exists')) throw error;
      throw fieldProblem('email', t.alreadyAdded, error.code, error.status);
    });
    showSuccess(describe(added), () => remove.mutateAsync([added.identifier]));
    return { left: [] };
  }

  /** Adds all that can be added. */
  async function sendMany(addresses: readonly string[]): Promise<Result> {
    const result = await addMany.mutateAsync(addresses);
    const ids = result.added.map(({ identifier }) => identifier);
    if (ids.length + result.known > 0) {
      showSuccess(t.addedMany(ids.length, result.known), ids.length === 0 ? undefined : () => remove.mutateAsync(ids));
    }
    return result;
  }

  const form = useForm({
    values: { email: '' },
    async submit({ email }) {
      const { addresses, invalid } = parseAddresses(email);
      const isList = addresses.length + invalid.length > 1;
      if (isList && invalid.length > 0) {
        throw fieldProblem('email', texts.people.invalidAddresses(invalid.slice(0, 5), invalid.length));
      }
      if (addresses.length > MAX_AT_A_TIME) {
        throw fieldProblem('email', t.tooMany(addresses.length, MAX_AT_A_TIME));
      }
      const { left, problem } = isList ? await sendMany(addresses) : await sendOne(addresses[0] ?? email.trim());
      // The next address may be there already.
      form.setValues((current) => {
        const next = current.email === email ? '' : current.email;
        return { email: [...left, next].filter((part) => part !== '').join(', ') };
      });
      form.element.current?.querySelector('input')?.focus();
      if (left.length === 0) return;
      if (!hasCode(problem, 'validation_error')) throw problem;
      throw fieldProblem('email', texts.people.invalidAddresses(left.slice(0, 5), left.length));
    },
  });
  /** Keeps the addresses of several lines apart: a field of one line would join them. */
  function pasteList(event: ClipboardEvent<HTMLInputElement>): void {
    const text = event.clipboardData.getData('text');
    const { addresses, invalid } = parseAddresses(text);
    const entries = [...addresses, ...invalid];
    if (entries.length < 2) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    const around = [value.slice(0, selectionStart ?? 0), value.slice(selectionEnd ?? value.length)];
    const [before = '', after = ''] = around.map((part) => part.replace(/^[\s,;]+|[\s,;]+$/g, ''));
    form.set('email', [before, ...entries, after].filter((part) => part !== '').join(', '));
  }
  return (
    <form ref={form.element} className="tw-form" noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <div className="tw-add-line">
        <TextInput
          label={t.email}
          inputMode="email"
          autoCapitalize="off"
          spellCheck={false}
          autoComplete="off"
          description={hint === undefined ? t.listHint : `${hint} ${t.listHint}`}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          onPaste={pasteList}
          {...form.text('email')}
        />
        <Button type="submit" leftSection={<IconUserPlus size={16} />} loading={form.isSending}>
          {t.add}
        </Button>
      </div>
      {progress !== undefined && (
        <Progress
          value={(100 * progress.done) / progress.total}
          aria-label={texts.people.progress(progress.done, progress.total)}
        />
      )}
      <SignUpLink />
      {form.formError !== undefined && <ErrorAlert error={form.formError} />}
    </form>
  );
}

function hasCode(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.code === code;
}
