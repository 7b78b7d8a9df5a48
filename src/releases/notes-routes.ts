// The operation that renders release notes, for the web app and for previews.

import { type Operation, operation } from '../http/operation.ts';
import { renderNotes } from '../lib/markdown/markup.ts';
import { MAX_RELEASE_NOTES } from '../lib/markdown/notes-limit.ts';
import { firstLineOfNotes, notesToPlainText } from '../lib/markdown/plain-text.ts';
import { prose } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

const renderedNotes = z
  .object({
    html: z.string().meta({
      description:
        'Only elements of the subset: p, h3, ul, ol, li, blockquote, pre, code, strong, em, del, a, br. Empty for notes that say nothing',
    }),
    text: z.string().meta({ description: 'Without marks, for places without formatting' }),
    first_line: z.string().nullable().meta({ description: 'First line of text, for lists' }),
  })
  .meta({ id: 'RenderedNotes' });

export type RenderedNotes = z.input<typeof renderedNotes>;

/** Markup of the longest notes. */
const MAX_MARKUP_BYTES = 64_000;

/** Renders release notes in all their forms. */
function render(notes: string): RenderedNotes {
  const html = renderNotes(notes, { place: 'page', maxBytes: MAX_MARKUP_BYTES })?.toString() ?? '';
  return { html, text: notesToPlainText(notes), first_line: firstLineOfNotes(notes) };
}

export const notesRoutes: Operation[] = [
  operation({
    id: 'renderReleaseNotes',
    tag: 'Releases',
    summary: 'Render release notes',
    description: 'Changes nothing. Shows what testers see of the Markdown in notes.',
    method: 'post',
    path: '/api/v1/release-notes/render',
    access: { kind: 'developer', isInteractive: false, allowsUnverified: true },
    body: z.object({ release_notes: prose(MAX_RELEASE_NOTES) }).meta({ id: 'RenderNotesRequest' }),
    returns: renderedNotes,
    status: 200,
    handle: (_ctx, { body }) => render(body.release_notes),
  }),
];
