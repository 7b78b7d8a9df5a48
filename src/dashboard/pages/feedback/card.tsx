// One piece of feedback with its pictures, replies and actions.
import { Badge, Button, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { MAX_TEXT } from '../../../feedback/limits.ts';
import type { Feedback, FeedbackState } from '../../../feedback/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { useEmailText } from '../../components/email-texts.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { focusIfLost } from '../../shell/heading-focus.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import type { FeedbackFilters } from './filters.ts';

interface FeedbackCardProps {
  feedback: Feedback;
  filters: FeedbackFilters;
  /** Leaves the page if it's that of this feedback alone. */
  onDeleted?(): void;
}

export function FeedbackCard({ feedback, filters, onDeleted }: FeedbackCardProps) {
  const t = useTexts().feedback;
  const { author, contact_email: contact } = feedback;
  const who = author?.name ?? contact ?? t.nobody;
  const device = [feedback.device_model, feedback.os_version].filter((part) => part !== null).join(' · ');
  const address = author === null ? null : author.email;
  return (
    <article className="tw-card tw-feedback-item" aria-label={t.by(who)}>
      <header className="tw-row">
        <div className="tw-grow">
          <b>{who}</b>{' '}
          <span className="tw-small">
            {address !== null && `${address} · `}
            <RelativeTime at={feedback.created_at} /> · {t.sources[feedback.source]}
          </span>
          <div className="tw-small">
            <VersionLink feedback={feedback} filters={filters} />
            {device !== '' && ` · ${device}`}
          </div>
        </div>
        {filters.state === 'all' && (
          <Badge {...(feedback.state === 'open' ? {} : { color: 'gray' })}>{t.states[feedback.state]}</Badge>
        )}
      </header>
      <p className="tw-notes" dir="auto">
        {feedback.text}
      </p>
      {feedback.pictures.length > 0 && (
        <ul className="tw-feedback-pictures" aria-label={t.pictures}>
          {feedback.pictures.map(({ identifier, url, width, height }, index) => (
            <li key={identifier}>
              <a href={url}>
                <img src={url} width={width} height={height} alt={t.picture(index + 1)} loading="lazy" />
              </a>
            </li>
          ))}
        </ul>
      )}
      {feedback.replies.map((reply) => (
        <blockquote key={reply.identifier} className="tw-feedback-reply">
          <div className="tw-small">
            {reply.author_name ?? t.team} · <RelativeTime at={reply.created_at} />
          </div>
          <div className="tw-notes" dir="auto">
            {reply.text}
          </div>
        </blockquote>
      ))}
      <Actions feedback={feedback} who={who} onDeleted={onDeleted} />
    </article>
  );
}

function VersionLink({ feedback, filters }: { feedback: Feedback; filters: FeedbackFilters }) {
  const t = useTexts().feedback;
  const { version_name: version, build_number: number, release_id: release } = feedback;
  if (version === null) return t.noVersion;
  const name = t.version(version, number ?? '?');
  if (release === null) return name;
  return (
    <Link
      to="/projects/$projectId/feedback"
      params={{ projectId: feedback.project_id }}
      search={{ ...filters, release }}
      className="tw-link"
    >
      {name}
    </Link>
  );
}

interface ActionsProps {
  feedback: Feedback;
  who: string;
  onDeleted: (() => void) | undefined;
}

function Actions({ feedback, who, onDeleted }: ActionsProps) {
  const texts = useTexts();
  const t = texts.feedback;
  const project = useProject();
  const replyButton = useRef<HTMLButtonElement>(null);
  const [isReplying, setReplying] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const path = `/projects/${feedback.project_id}/feedback`;
  const own = `${path}/${feedback.identifier}`;
  const change = useChange((api, state: FeedbackState) => api.send('PATCH', own, { body: { state } }), [path]);
  const remove = useChange((api) => api.send('DELETE', own), [`${path}?`]);
  if (!mayInProject(project, 'feedback.manage')) return null;
  const next: FeedbackState = feedback.state === 'open' ? 'done' : 'open';
  function closeReply(): void {
    setReplying(false);
    focusIfLost(() => replyButton.current);
  }
  return (
    <>
      {change.error !== null && <ErrorAlert error={change.error} />}
      {isReplying && <ReplyForm feedback={feedback} who={who} onClose={closeReply} />}
      <div className="tw-feedback-actions">
        <Button
          size="compact-sm"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate(next, { onSuccess: () => showSuccess(t.changed[next]) })}
        >
          {t.mark[next]}
        </Button>
        {!isReplying && feedback.can_reply && (
          <Button ref={replyButton} size="compact-sm" variant="default" onClick={() => setReplying(true)}>
            {t.reply}
          </Button>
        )}
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => setDeleting(true)}>
          {t.remove}
        </Button>
        {!feedback.can_reply && <span className="tw-small">{t.noAddress}</span>}
      </div>
      <ConfirmDialog
        isOpen={isDeleting}
        title={t.deleteTitle}
        action={t.remove}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.deleted);
          onDeleted?.();
        }}
      >
        {t.deleteText}
      </ConfirmDialog>
    </>
  );
}

function ReplyForm({ feedback, who, onClose }: { feedback: Feedback; who: string; onClose(): void }) {
  const texts = useTexts();
  const t = texts.feedback;
  const emailText = useEmailText();
  const path = `/projects/${feedback.project_id}/feedback`;
  const send = useChange(
    (api, text: string) => api.send('POST', `${path}/${feedback.identifier}/replies`, { body: { text } }),
    [path],
  );
  const form = useForm({
    values: { text: '' },
    async submit({ text }) {
      await send.mutateAsync(text);
      showSuccess(emailText(t.replied)(who));
    },
    onDone: onClose,
  });
  return (
    <FormBody
      form={form}
      submit={t.sendReply}
      isDisabled={form.values.text.trim() === ''}
      aside={
        <Button variant="default" disabled={form.isSending} onClick={onClose}>
          {texts.common.cancel}
        </Button>
      }
    >
      <Textarea
        label={t.replyTo(who)}
        description={emailText(t.replyHint)}
        autosize
        minRows={3}
        maxLength={MAX_TEXT}
        autoFocus
        {...form.text('text')}
      />
    </FormBody>
  );
}
