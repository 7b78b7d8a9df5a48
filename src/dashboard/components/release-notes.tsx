// Release notes as the server renders them, and the field in which they are written.

import { SegmentedControl, Textarea, type TextareaProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createElement, type ReactNode, useId, useMemo, useState } from 'react';
import { MAX_RELEASE_NOTES } from '../../lib/markdown/notes-limit.ts';
import type { RenderedNotes } from '../../releases/notes-routes.ts';
import { useApi } from '../api/hooks.ts';
import { useTexts } from '../texts/locale.ts';
import { ErrorAlert } from './errors.tsx';

/** The elements of rendered notes. Others would be shown as their text. */
const elements = new Set('p h3 ul ol li blockquote pre code strong em del a br'.split(' '));

/** Returns the nodes of rendered notes as elements of React, so that no markup is inserted into the page. */
function toElements(html: string): ReactNode[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return childrenOf(body);
}

function childrenOf(parent: Node): ReactNode[] {
  return [...parent.childNodes].map((node, index) => {
    if (!(node instanceof Element)) return node.textContent;
    const name = node.localName;
    const children = childrenOf(node);
    if (!elements.has(name)) return children;
    return createElement(name, { key: index, ...propertiesOf(node) }, ...children);
  });
}

function propertiesOf(element: Element): Record<string, unknown> {
  const href = element.getAttribute('href') ?? '';
  if (element.localName === 'a')
    return /^(?:https?|mailto):/i.test(href) ? { href, rel: 'noopener nofollow', target: '_blank' } : {};
  const start = element.getAttribute('start');
  const dir = element.getAttribute('dir');
  return { ...(dir === null ? {} : { dir }), ...(start === null ? {} : { start: Number(start) }) };
}

/** Reads notes as the server renders them. The same notes are rendered once. */
function useRenderedNotes(notes: string, isEnabled = true) {
  const client = useApi();
  return useQuery({
    queryKey: ['/release-notes/render', notes],
    queryFn: ({ signal }) =>
      client.send<RenderedNotes>('POST', '/release-notes/render', { body: { release_notes: notes }, signal }),
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Until the notes are rendered, and if that fails, they are shown as they were written. */
export function ReleaseNotes({ notes }: { notes: string }) {
  const { data } = useRenderedNotes(notes);
  const content = useMemo(() => (data === undefined ? undefined : toElements(data.html)), [data]);
  return <div className="tw-note-blocks">{content ?? <p>{notes}</p>}</div>;
}

/** A field for notes, with a preview of what testers see. */
export function NotesField({ label, description, ...field }: TextareaProps & { value: string }) {
  const t = useTexts().releasing.notes;
  const id = useId();
  const [isPreview, setPreview] = useState(false);
  return (
    <div className="tw-notes-field">
      <div className="tw-notes-field-head">
        <SegmentedControl
          size="xs"
          aria-label={t.view}
          value={isPreview ? 'preview' : 'write'}
          data={[
            { value: 'write', label: t.write },
            { value: 'preview', label: t.preview },
          ]}
          onChange={(value) => setPreview(value === 'preview')}
        />
      </div>
      {isPreview ? (
        <section className="tw-notes-preview" aria-labelledby={id}>
          <h3 id={id} className="tw-offscreen">
            {t.preview}
          </h3>
          <NotesPreview notes={field.value} />
        </section>
      ) : (
        <Textarea label={label} description={description ?? t.hint} autosize maxLength={MAX_RELEASE_NOTES} {...field} />
      )}
    </div>
  );
}

function NotesPreview({ notes }: { notes: string }) {
  const t = useTexts().releasing.notes;
  const isEmpty = notes.trim() === '';
  const { data, error, refetch } = useRenderedNotes(notes, !isEmpty);
  if (isEmpty) return <p className="tw-small tw-bare">{t.empty}</p>;
  if (error !== null) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  return <div className="tw-note-blocks">{data === undefined ? null : toElements(data.html)}</div>;
}
