// The heading of the page of a build.
import type { ReactNode } from 'react';
import type { Build } from '../../../builds/schema.ts';
import { formatBuild } from '../../components/build-name.ts';
import { useWindowTitle } from '../../components/window-title.ts';

interface HeadingProps {
  build: Build;
  actions: ReactNode;
  /** What is known about the build, in one line. */
  children: ReactNode;
}

export function BuildHeading({ build, actions, children }: HeadingProps) {
  const title = formatBuild(build);
  useWindowTitle(title);
  return (
    <div className="tw-build-head">
      <div className="tw-build-name">
        <h1>
          {build.version_name} <span>({build.display_build_number})</span>
        </h1>
        <div className="tw-build-truth">{children}</div>
      </div>
      <div className="tw-page-actions">{actions}</div>
    </div>
  );
}
