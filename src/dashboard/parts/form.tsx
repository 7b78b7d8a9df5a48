// Forms: values that are never lost, problems at their fields, everything else above the button.
import { Button, Group } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { ApiError, type FieldProblem } from '../api/errors.ts';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/languages.ts';
import { Problem } from './problem.tsx';

export interface FormOptions<Values> {
  values: Values;
  submit(values: Values): Promise<unknown>;
  /** Fields that a refusal without a field belongs to, by its code. */
  fieldOfCode?: Partial<Record<string, keyof Values & string>>;
}

/** A problem of a field in the reader's language, or else in the server's words. */
export function fieldWords({ type, message }: FieldProblem, texts: Texts): string {
  const known: Record<string, string> = texts.problems.fields;
  // What may not be empty and what has to be longer are of one type; the message tells how long.
  const least = Number(/at least (\d+) /.exec(message)?.[1] ?? 1);
  if (type === 'string_too_short' && least > 1) return texts.entry.atLeast(least);
  return known[type] ?? message;
}

/** State and behaviour of one form. */
export function useForm<Values extends object>({ values: initial, submit, fieldOfCode = {} }: FormOptions<Values>) {
  const texts = useTexts();
  const [values, setValues] = useState(initial);
  const [problems, setProblems] = useState<Partial<Record<string, string>>>({});
  const [rest, setRest] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const element = useRef<HTMLFormElement>(null);

  function set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void {
    setValues((before) => ({ ...before, [name]: value }));
    setProblems(({ [name]: _, ...others }) => others);
  }

  function show(error: unknown): void {
    const found: Record<string, string> = {};
    if (error instanceof ApiError) {
      const byCode = fieldOfCode[error.code];
      for (const problem of error.fields) {
        const name = problem.field.split('.')[0] ?? '';
        if (name in values) found[name] = fieldWords(problem, texts);
      }
      if (byCode !== undefined && Object.keys(found).length === 0) {
        found[byCode] = texts.problems.fieldCodes[error.code] ?? error.message;
      }
    }
    setProblems(found);
    setRest(Object.keys(found).length === 0 ? error : undefined);
    const [first] = Object.keys(found);
    if (first !== undefined) {
      queueMicrotask(() => element.current?.querySelector<HTMLElement>(`[name="${CSS.escape(first)}"]`)?.focus());
    }
  }

  async function onSubmit(event?: FormEvent): Promise<void> {
    event?.preventDefault();
    if (isSending) return;
    setSending(true);
    setRest(undefined);
    setProblems({});
    try {
      await submit(values);
    } catch (error) {
      show(error);
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
    rest,
    problems,
    onSubmit,
    /** Properties of a text field. */
    text: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name] as string,
      error: problems[name],
      onChange: (event: { currentTarget: { value: string } }) => set(name, event.currentTarget.value as Values[Name]),
    }),
    /** Properties of a switch or checkbox. */
    checked: <Name extends keyof Values & string>(name: Name) => ({
      name,
      checked: values[name] as boolean,
      error: problems[name],
      onChange: (event: { currentTarget: { checked: boolean } }) =>
        set(name, event.currentTarget.checked as Values[Name]),
    }),
    /** Properties of a field that hands over its value itself. */
    value: <Name extends keyof Values & string>(name: Name) => ({
      name,
      value: values[name],
      error: problems[name],
      onChange: (value: Values[Name] | null) => {
        if (value !== null) set(name, value);
      },
    }),
  };
}

type Form = Pick<ReturnType<typeof useForm<object>>, 'element' | 'isSending' | 'rest' | 'onSubmit'>;

interface FormBodyProps {
  form: Form;
  children: ReactNode;
  submit: string;
  /** Beside the button. */
  aside?: ReactNode;
  isWide?: boolean;
  isDisabled?: boolean;
  color?: string;
}

/** The form's element with its fields, what else is wrong, and the button. */
export function FormBody({ form, children, submit, aside, isWide = false, isDisabled = false, color }: FormBodyProps) {
  return (
    <form ref={form.element} onSubmit={(event) => void form.onSubmit(event)} noValidate className="tw-form">
      {children}
      {form.rest !== undefined && <Problem error={form.rest} />}
      <Group justify={isWide ? 'stretch' : 'flex-end'} gap="sm" mt={4}>
        {aside}
        <Button
          type="submit"
          loading={form.isSending}
          disabled={isDisabled}
          fullWidth={isWide}
          {...(color === undefined ? {} : { color })}
        >
          {submit}
        </Button>
      </Group>
    </form>
  );
}
