// The dialog that invites people: many addresses at a time, a role, and projects of an organization.

import { Badge, Button, Checkbox, Group, NativeSelect, Progress, Stack, Text, Textarea } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Project } from '../../projects/schema.ts';
import { ApiError, ConnectionError } from '../api/errors.ts';
import { fieldProblem } from '../api/field-problem.ts';
import { useChange, useReadAll } from '../api/hooks.ts';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';
import { MAX_ADDRESSES, parseAddresses } from './addresses.ts';
import { Copyable, CopyButton } from './copy.tsx';
import { useEmailText } from './email-texts.ts';
import { describeError } from './errors.tsx';
import { FormBody, useForm } from './form.tsx';
import { LocalLinkHint } from './local-link.tsx';
import { QrCode } from './qr-code.tsx';

/** The link is returned only once. */
export interface NewInvite {
  identifier: string;
  email: string;
  accept_url: string;
}

interface Result {
  email: string;
  outcome: 'invited' | 'member' | 'already' | 'failed';
  link?: string;
  /** Of an open invitation that can be resent. */
  inviteId?: string;
  error?: unknown;
}

interface InviteDialogProps {
  /** `/organizations/{id}` or `/projects/{id}`. */
  path: string;
  roleNames: Record<string, string>;
  roleHints?: Record<string, string> | undefined;
  grantable: readonly string[];
  /** The organization whose projects can be chosen. */
  organizationId?: string | undefined;
  /** Called after the only address was invited. */
  onInvited(invite: NewInvite): void;
  /** Called with true while invitations are being sent and while their links are shown, and with false afterwards. */
  onHold(isHeld: boolean): void;
  onClose(): void;
}

/** What the form contains. */
interface Draft {
  email: string;
  role: string;
  /** The roles by project. */
  projects: ReadonlyMap<string, string>;
}

/** Renders the form, then the result of each address, and the form again for those that weren't invited. */
export function InviteDialog(props: InviteDialogProps) {
  const [draft, setDraft] = useState<Draft>({ email: '', role: props.grantable[0] ?? '', projects: new Map() });
  const [results, setResults] = useState<Result[]>();
  function handleDone(done: Result[], sent: Draft): void {
    const left = done.filter(({ outcome }) => outcome === 'failed').map(({ email }) => email);
    setDraft({ ...sent, email: left.join(', ') });
    setResults(done);
  }
  if (results === undefined) return <InviteForm {...props} draft={draft} onDone={handleDone} />;
  const retry = draft.email === '' ? undefined : () => setResults(undefined);
  return <Results {...props} results={results} onRetry={retry} />;
}

function InviteForm({
  path,
  roleNames,
  roleHints,
  grantable,
  organizationId,
  onInvited,
  onHold,
  draft,
  onDone,
}: InviteDialogProps & { draft: Draft; onDone(results: Result[], sent: Draft): void }) {
  const texts = useTexts();
  const t = texts.people;
  const emailText = useEmailText();
  const [chosen, setChosen] = useState(draft.projects);
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const send = useChange(
    async (api, { addresses, role }: { addresses: string[]; role: string }) => {
      const projects = [...chosen].map(([project_id, projectRole]) => ({ project_id, role: projectRole }));
      const more = organizationId === undefined || role !== 'member' ? {} : { projects };
      const results: Result[] = [];
      // One after the other, so that a dialog can't occupy the server, and the list shows which ones were sent.
      for (const [at, email] of addresses.entries()) {
        if (addresses.length > 1) setProgress({ done: results.length, total: addresses.length });
        try {
          const body = { email, role, ...more };
          const { accept_url: link } = await api.send<NewInvite>('POST', `${path}/invites`, { body });
          results.push({ email, outcome: 'invited', link });
        } catch (error) {
          if (addresses.length === 1) throw error;
          results.push(toResult(email, error));
          if (isOfAddress(error)) continue;
          results.push(...addresses.slice(at + 1).map((rest) => ({ email: rest, outcome: 'failed' as const })));
          break;
        }
      }
      setProgress(undefined);
      return results;
    },
    [`${path}/invites`],
  );
  const form = useForm({
    values: { email: draft.email, role: draft.role },
    async submit({ email, role }) {
      const { addresses, invalid } = parseAddresses(email);
      if (invalid.length > 0) throw fieldProblem('email', t.invalidAddresses(invalid.slice(0, 5), invalid.length));
      if (addresses.length === 0) throw fieldProblem('email', texts.fieldErrors.fields.missing ?? '');
      if (addresses.length > MAX_ADDRESSES) {
        throw fieldProblem('email', t.tooManyAddresses(addresses.length, MAX_ADDRESSES));
      }
      onHold(true);
      const results = await send.mutateAsync({ addresses, role }).finally(() => onHold(false));
      const [only] = results;
      if (results.length === 1 && only?.link !== undefined) {
        onInvited({ identifier: '', email: only.email, accept_url: only.link });
      } else onDone(results, { email, role, projects: chosen });
    },
    fieldOfCode: { already_exists: 'email' },
  });
  const count = parseAddresses(form.values.email).addresses.length;
  const hasProjects = organizationId !== undefined && form.values.role === 'member';
  return (
    <FormBody form={form} submit={count > 1 ? emailText(t.sendMany)(count) : emailText(t.send)}>
      <Textarea
        className="tw-invite-addresses"
        label={t.emails}
        description={t.emailsHint}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        autoComplete="off"
        autosize
        minRows={2}
        maxRows={8}
        data-autofocus
        {...form.text('email')}
      />
      <NativeSelect
        label={t.role}
        description={roleHints?.[form.values.role]}
        data={grantable.map((value) => ({ value, label: roleNames[value] ?? value }))}
        {...form.text('role')}
      />
      {hasProjects && <ProjectChoice organizationId={organizationId} chosen={chosen} onChange={setChosen} />}
      {progress !== undefined && (
        <Progress
          value={(100 * progress.done) / progress.total}
          aria-label={t.progress(progress.done, progress.total)}
        />
      )}
    </FormBody>
  );
}

function toResult(email: string, error: unknown): Result {
  if (error instanceof ApiError && error.code === 'already_exists') {
    const { reason, invite_id: inviteId } = error.details as { reason?: string; invite_id?: string };
    if (reason === 'invited' && inviteId !== undefined) return { email, outcome: 'already', inviteId };
    return { email, outcome: 'member' };
  }
  return { email, outcome: 'failed', error };
}

/** Returns whether an error is about one address, so that the next one can be invited. */
const isOfAddress = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 400 || error.status === 409);

/** The role that a project is chosen with. */
const FIRST_ROLE = 'read_download';
/** As many as the API accepts. */
const MAX_PROJECTS = 50;

interface ChoiceProps {
  organizationId: string;
  chosen: ReadonlyMap<string, string>;
  onChange(chosen: ReadonlyMap<string, string>): void;
}

function ProjectChoice({ organizationId, chosen, onChange }: ChoiceProps) {
  const texts = useTexts();
  const t = texts.people;
  const projects = useReadAll<Project>('/projects', { query: { organization_id: organizationId } });
  const rows = (projects.data ?? []).toSorted((left, right) => left.name.localeCompare(right.name));
  if (rows.length === 0) return null;
  function set(id: string, role: string | undefined): void {
    const changed = new Map(chosen);
    if (role === undefined) changed.delete(id);
    else changed.set(id, role);
    onChange(changed);
  }
  return (
    <fieldset className="tw-invite-projects">
      <legend>{t.projects}</legend>
      <ul>
        {rows.map(({ identifier: id, name }) => (
          <li key={id}>
            <Checkbox
              label={name}
              checked={chosen.has(id)}
              disabled={!chosen.has(id) && chosen.size >= MAX_PROJECTS}
              onChange={({ currentTarget: { checked } }) => set(id, checked ? FIRST_ROLE : undefined)}
            />
            {chosen.has(id) && (
              <NativeSelect
                size="xs"
                aria-label={t.roleIn(name)}
                value={chosen.get(id) ?? FIRST_ROLE}
                data={Object.entries(texts.roles.project).map(([value, label]) => ({ value, label }))}
                onChange={({ currentTarget: { value } }) => set(id, value)}
              />
            )}
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

interface ResultsProps extends InviteDialogProps {
  results: readonly Result[];
  /** Undefined if all were invited. */
  onRetry: (() => void) | undefined;
}

function Results({ results, path, onRetry, onHold, onClose }: ResultsProps) {
  const texts = useTexts();
  const t = texts.people;
  const emailText = useEmailText();
  const { sendsMail } = useServerInfo();
  const invited = results.filter(({ outcome }) => outcome === 'invited').length;
  const lines = results.flatMap(({ email, link }) => (link === undefined ? [] : [`${email} ${link}`]));
  useEffect(() => {
    onHold(!sendsMail);
    return () => onHold(false);
  }, [sendsMail, onHold]);
  return (
    <Stack>
      <Text role="status">
        {emailText(t.resultsTitle)(invited, results.length)} {!sendsMail && invited > 0 && t.resultsLinks}
      </Text>
      <ul className="tw-list tw-invite-results" aria-label={t.results}>
        {results.map((result) => (
          <ResultRow key={result.email} result={result} path={path} />
        ))}
      </ul>
      <Group justify="flex-end">
        {!sendsMail && lines.length > 1 && <CopyButton text={lines.join('\n')} what={t.allLinks} hasLabel />}
        {onRetry !== undefined && (
          <Button variant="default" onClick={onRetry}>
            {texts.errors.tryAgain}
          </Button>
        )}
        <Button onClick={onClose}>{texts.common.done}</Button>
      </Group>
    </Stack>
  );
}

function ResultRow({ result, path }: { result: Result; path: string }) {
  const texts = useTexts();
  const t = texts.people;
  const emailText = useEmailText();
  const { sendsMail } = useServerInfo();
  const { email, outcome, inviteId, error } = result;
  const resend = useChange(
    (api) => api.send<NewInvite>('POST', `${path}/invites/${inviteId}/resend`),
    [`${path}/invites`],
  );
  const isInvited = outcome === 'invited' || resend.isSuccess;
  const link = resend.data?.accept_url ?? result.link;
  const problem = resend.error ?? error;
  const reason = problem === undefined || problem === null ? undefined : describeError(problem, texts);
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">{email}</div>
        {reason !== undefined && (
          <div className="tw-small" role="alert">
            {reason.message ?? (problem instanceof ConnectionError ? reason.title : `${reason.title}. ${reason.text}`)}
          </div>
        )}
      </div>
      <div className="tw-row-end">
        <Badge color={isInvited ? 'green' : outcome === 'failed' ? 'red' : 'gray'}>
          {isInvited ? emailText(t.outcomes.invited) : t.outcomes[outcome as 'member' | 'already' | 'failed']}
        </Badge>
        {outcome === 'already' && !resend.isSuccess && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={emailText(t.resendTo)(email)}
            loading={resend.isPending}
            onClick={() => resend.mutate(undefined)}
          >
            {emailText(t.resend)}
          </Button>
        )}
      </div>
      {!sendsMail && link !== undefined && <InviteLink email={email} link={link} />}
    </li>
  );
}

function InviteLink({ email, link }: { email: string; link: string }) {
  const texts = useTexts();
  const [isQrShown, setQrShown] = useState(false);
  const what = texts.people.linkOf(email);
  return (
    <div className="tw-invite-link">
      <div className="tw-row tw-wrap">
        <Copyable text={link} what={what} />
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isQrShown}
          aria-label={`${isQrShown ? texts.common.hideQrCode : texts.common.showQrCode}: ${email}`}
          onClick={() => setQrShown((isShown) => !isShown)}
        >
          {isQrShown ? texts.common.hideQrCode : texts.common.showQrCode}
        </Button>
      </div>
      {isQrShown && (
        <>
          <QrCode text={link} label={texts.common.qrCodeOf(what)} />
          <LocalLinkHint link={link} />
        </>
      )}
    </div>
  );
}
