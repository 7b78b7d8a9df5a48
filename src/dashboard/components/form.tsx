// Forms: values are kept on errors, field errors are shown at their fields, and other errors above the button.
import { Button, Group } from '@mantine/core';
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { ApiError, type FieldError, OWN_TEXT } from '../api/errors.ts';
import type { Texts } from '../texts/en.ts';
import { useLocale } from '../texts/locale.ts';
import { describeError, ErrorAlert } from './errors.tsx';
import { useIsShown } from './opened.ts';
import { SUBMIT_KEYS, SubmitKeys } from './submit-keys.tsx';
import { showFailure } from './toasts.ts';

export interface FormOptions<Values, Sent> {
  values: Values;
  /** Sends the values. `saved` are those that the form was opened with, or that it sent last. */
  submit(values: Values, saved: Values): Promise<Sent>;
  /** Called with the result of `submit`, unless the form was closed in the meantime: the user may have opened another one. */
  onDone?(sent: Sent): unknown;
  /** The field that an error code belongs to, for errors that don't name a field. */
  fieldOfCode?: Partial<Record<string, keyof Values & string>>;
}

/** Returns the text of a field error in the user's language, or the server's message. */
export function describeFieldError({ type, message }: FieldError, texts: Texts): string {
  const known: Record<string, string> = texts.fieldErrors.fields;
  // Required fields and fields with a minimum length have the same error type; only the message contains the length.
  const least = Number(/at least (\d+) /.exec(message)?.[1] ?? 1);
  if (type === 'string_too_short' && least > 1) return texts.auth.atLeast(least);
  // Other fields have the same error types.
  if (/^Input should be a valid email address$/.test(message)) return texts.fieldErrors.emailAddress;
  // URLs that webhooks can't be sent to.
  const refusal = /^Not allowed: (.+)$/s.exec(message)?.[1];
  if (refusal !== undefined) return texts.fieldErrors.notAllowed(texts.errors.outbound(refusal));
  return known[type] ?? texts.fieldErrors.fieldCodes[type] ?? describeMessage(message, texts);
}

function describeMessage(message: string, { fieldErrors, errors }: Texts): string {
  const text = fieldErrors.ofMessage(message);
  if (text !== undefined) return text;
  // Why the server of an identity provider can't be reached.
  const failure = /^The provider can't be used: (.+)$/s.exec(message)?.[1] ?? '';
  const reason = errors.outbound(failure);
  return reason === failure ? message : fieldErrors.unusable(reason);
}

/** Returns the fields of `body` that differ from `saved`, so that a request doesn't undo what other people have changed since. */
export function changedFields<Body extends object>(body: Body, saved: Body): Partial<Body> {
  const before = new Map(Object.entries(saved).map(([name, value]) => [name, JSON.stringify(value)]));
  const changed = Object.entries(body).filter(([name, value]) => JSON.stringify(value) !== before.get(name));
  return Object.fromEntries(changed) as Partial<Body>;
}

/** The state and behavior of a form. If sending fails after the form was closed, a toast shows the error. */
export function useForm<Values extends object, Sent = unknown>({
  values: initial,
  submit,
  onDone,
  fieldOfCode = {},
}: FormOptions<Values, Sent>) {
  const { language, texts } = useLocale();
  const [values, setValues] = useState(initial);
  const [saved, setSaved] = useState(initial);
  const [errors, setErrors] = useState<Partial<Record<string, ReactNode>>>({});
  const [formError, setFormError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const isShown = useIsShown();

  function set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void {
    setValues((before) => ({ ...before, [name]: value }));
    setErrors(({ [name]: _, ...others }) => others);
  }

  function show(error: unknown): void {
    const found: Record<string, ReactNode> = {};
    if (error instanceof ApiError) {
      const byCode = fieldOfCode[error.code];
      for (const problem of error.fields) {
        // Fields of a nested object have the name of the last part, items of a list that of the list.
        const name = problem.field.split('.').find((part) => part in values);
        const text = describeFieldError(problem, texts);
        const isServers = language !== 'en' && text === problem.message && problem.type !== OWN_TEXT;
        if (name !== undefined) found[name] = isServers ? <span lang="en">{text}</span> : text;
      }
      if (byCode !== undefined && Object.keys(found).length === 0) {
        found[byCode] = texts.fieldErrors.fieldCodes[error.code] ?? error.message;
      }
    }
    setErrors(found);
    setFormError(Object.keys(found).length === 0 ? error : undefined);
    queueMicrotask(() => {
      const fields = [...(element.current?.querySelectorAll<HTMLElement>('[name]') ?? [])];
      fields.find((field) => (field.getAttribute('name') ?? '') in found)?.focus();
    });
  }

  /** `action` is the text of the button. */
  async function onSubmit(event?: FormEvent, action?: string): Promise<void> {
    event?.preventDefault();
    if (isSending) return;
    setSending(true);
    setFormError(undefined);
    setErrors({});
    try {
      const sent = await submit(values, saved);
      setSaved(values);
      if (isShown.current) await onDone?.(sent);
    } catch (error) {
      show(error);
      const { title } = describeError(error, texts);
      if (!isShown.current) showFailure(action === undefined ? title : `${action}: ${title}`);
    } finally {
      setSending(false);
    }
  }

  return {
    element,
    values,
    set,
    setValues,
    isSending,
    /** Whether a field differs from what it was when the form was opened or saved. */
    isEdited: Object.keys(changedFields(values, saved)).length > 0,
    formError,
    errors,
    onSubmit,
    /** Returns the properties of a text field. An error that repeats its hint replaces the hint. */
    text: <Name extends keyof Values & string>(name: Name, hint?: string) => ({
      name,
      value: values[name] as string,
      error: errors[name],
      ...(hint === undefined || errors[name] === hint ? {} : { description: hint }),
      onChange: (event: { currentTarget: { value: string } }) => set(name, event.currentTarget.value as Values[Name]),
    }),
    /** Returns the properties of a switch or checkbox. */
    checked: <Name extends keyof Values & string>(name: Name) => ({
      name,
      checked: values[name] as boolean,
      error: errors[name],
      onChange: (event: { currentTarget: { checked: boolean } }) =>
        set(name, event.currentTarget.checked as Values[Name]),
    }),
    /** Returns the properties of a field whose change handler receives the value. */
    value: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name],
      error: errors[name],
      onChange: (value: Values[Name] | null) => {
        if (value !== null) set(name, value);
      },
    }),
  };
}

type Form = Pick<ReturnType<typeof useForm<object>>, 'element' | 'isSending' | 'isEdited' | 'formError' | 'onSubmit'>;

interface FormBodyProps {
  form: Form;
  children: ReactNode;
  submit: string;
  /** Shown beside the button. */
  aside?: ReactNode;
  isWide?: boolean;
  isDisabled?: boolean;
  color?: string;
}

/** Focuses the first field of a form that its dialog waited for: without one, the dialog has focused its button for closing. */
function useLateFocus(element: RefObject<HTMLFormElement | null>): void {
  useEffect(() => {
    const { activeElement: focused } = document;
    const isClosing = focused?.matches('.mantine-Modal-close') === true;
    const dialog = element.current?.closest('[role="dialog"]');
    if (isClosing && dialog?.contains(focused) === true) {
      element.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    }
  }, [element]);
}

/** Renders the form element with its fields, other errors, and the button. */
export function FormBody({ form, children, submit, aside, isWide = false, isDisabled = false, color }: FormBodyProps) {
  useLateFocus(form.element);
  return (
    <form
      ref={form.element}
      onSubmit={(event) => void form.onSubmit(event, submit)}
      noValidate
      className="tw-form"
      data-edited={form.isEdited || undefined}
      data-sending={form.isSending || undefined}
    >
      {children}
      {form.formError !== undefined && <ErrorAlert error={form.formError} />}
      <Group justify={isWide ? 'stretch' : 'flex-end'} gap="sm" mt={4}>
        {aside}
        <Button
          type="submit"
          loading={form.isSending}
          disabled={isDisabled}
          fullWidth={isWide}
          aria-keyshortcuts={SUBMIT_KEYS}
          {...(color === undefined ? {} : { color })}
        >
          {submit}
          {!isWide && <SubmitKeys />}
        </Button>
      </Group>
    </form>
  );
}
