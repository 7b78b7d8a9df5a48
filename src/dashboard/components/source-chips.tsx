// Where a build comes from and its labels, as chips. What has a page in the repository is a link to it.
import {
  IconGitBranch,
  IconGitCommit,
  IconGitPullRequest,
  IconPlayerPlay,
  IconTag,
  IconUser,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Build } from '../../builds/schema.ts';
import { linkSource } from '../../lib/source-links.ts';
import { useTexts } from '../texts/locale.ts';
import { RowLink } from './row-link.tsx';

/** The length that git itself abbreviates commits to. */
const SHORT_COMMIT = 7;
/** A row of a list has space for this many labels. */
const LABELS_IN_ROW = 1;

interface SourceChipsProps {
  build: Build;
  /** Whether there is only one line: then the branch, the commit and the first labels have to do. */
  isShort?: boolean;
}

export function SourceChips({ build, isShort = false }: SourceChipsProps) {
  const t = useTexts().builds.source;
  const { source, labels } = build;
  if (source === null && labels.length === 0) return null;
  const links = source === null ? undefined : linkSource(source);
  const pull = source?.pull_request ?? null;
  const hasPlace = isShort && pull !== null;
  const shown = isShort ? labels.slice(0, LABELS_IN_ROW) : labels;
  return (
    <ul className="tw-source" data-short={isShort || undefined} aria-label={t.title}>
      {pull !== null && (
        <Chip icon={IconGitPullRequest} name={t.pullRequest} text={`#${pull}`} href={links?.pullRequest} />
      )}
      {!hasPlace && <Chip icon={IconGitBranch} name={t.branch} text={source?.branch} href={links?.branch} />}
      {!(isShort && source?.branch) && <Chip icon={IconTag} name={t.tag} text={source?.tag} href={links?.tag} />}
      <Chip
        icon={IconGitCommit}
        name={t.commit}
        text={source?.commit?.slice(0, SHORT_COMMIT)}
        title={source?.commit ?? undefined}
        href={links?.commit}
        isCode
      />
      {!isShort && <Chip icon={IconUser} name={t.author} text={source?.author} />}
      {!isShort && links?.run !== undefined && (
        <Chip icon={IconPlayerPlay} name={t.run} text={t.run} href={links.run} />
      )}
      {shown.map((label) => (
        <li key={label}>
          <RowLink
            to="/projects/$projectId/builds"
            params={{ projectId: build.project_id }}
            search={{ label }}
            className="tw-source-chip"
            data-label
            title={t.withLabel(label)}
          >
            <span className="tw-ellipsis">{label}</span>
          </RowLink>
        </li>
      ))}
      {shown.length < labels.length && (
        <li className="tw-source-more" title={labels.join(', ')}>
          +{labels.length - shown.length}
        </li>
      )}
    </ul>
  );
}

interface ChipProps {
  icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  /** What the text is, for screen readers. */
  name: string;
  text: string | null | undefined;
  title?: string | undefined;
  href?: string | undefined;
  isCode?: boolean;
}

/** Texts come from other systems, so their direction doesn't affect what is beside them. */
function Chip({ icon: Icon, name, text, title = text ?? undefined, href, isCode = false }: ChipProps) {
  if (text === null || text === undefined) return null;
  const content = (
    <>
      <Icon size={13} stroke={1.75} aria-hidden />
      {text !== name && <span className="tw-offscreen">{name} </span>}
      <bdi className="tw-ellipsis" data-code={isCode || undefined}>
        {text}
      </bdi>
    </>
  );
  return (
    <li>
      {href === undefined ? (
        <span className="tw-source-chip" title={title}>
          {content}
        </span>
      ) : (
        <a className="tw-source-chip" href={href} target="_blank" rel="noreferrer" title={title}>
          {content}
        </a>
      )}
    </li>
  );
}
