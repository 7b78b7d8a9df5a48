// Where a page of a project is: home, the project, and what lies between it and the page.
import { Link, useParams, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Build } from '../../../builds/schema.ts';
import type { Channel } from '../../../channels/schema.ts';
import type { Project } from '../../../projects/schema.ts';
import type { SdkApp } from '../../../sdk/app-schema.ts';
import { useRead } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { useTexts } from '../../texts/locale.ts';

/** Names the current page last; the pages read the same channel and build, so nothing is read twice. */
export function Breadcrumbs({ project }: { project: Project }) {
  const texts = useTexts();
  const { buildId, channelId, sdkAppId } = useParams({ strict: false });
  const path = useRouterState({ select: (state) => (state.resolvedLocation ?? state.location).pathname });
  const isComparison = path.endsWith('/compare');
  const isProjectPage = path.replace(/\/$/, '').endsWith(project.identifier);
  const params = { projectId: project.identifier };
  return (
    <nav aria-label={texts.common.breadcrumbs}>
      <ol className="tw-breadcrumbs">
        <li>
          <Link to="/">{texts.shell.nav.home}</Link>
        </li>
        <li>
          {isProjectPage ? (
            <Current>{project.name}</Current>
          ) : (
            <Link to="/projects/$projectId" params={params} activeOptions={{ exact: true }}>
              {project.name}
            </Link>
          )}
        </li>
        {buildId !== undefined && (
          <>
            <li>
              <Link to="/projects/$projectId/builds" params={params} activeOptions={{ exact: true }}>
                {texts.projects.tabs.builds}
              </Link>
            </li>
            <li>
              {isComparison ? (
                <Link
                  to="/projects/$projectId/builds/$buildId"
                  params={{ ...params, buildId }}
                  activeOptions={{ exact: true }}
                >
                  <BuildName id={buildId} />
                </Link>
              ) : (
                <Current>
                  <BuildName id={buildId} />
                </Current>
              )}
            </li>
            {isComparison && (
              <li>
                <Current>{texts.comparison.action}</Current>
              </li>
            )}
          </>
        )}
        {sdkAppId !== undefined && (
          <>
            <li>
              <Link to="/projects/$projectId/sdk" params={params} activeOptions={{ exact: true }}>
                {texts.sdk.title}
              </Link>
            </li>
            <li>
              <SdkAppName id={sdkAppId} />
            </li>
          </>
        )}
        {channelId !== undefined && (
          <li>
            {path.endsWith('/testers') ? (
              <Link
                to="/projects/$projectId/channels/$channelId"
                params={{ ...params, channelId }}
                activeOptions={{ exact: true }}
              >
                <ChannelName id={channelId} />
              </Link>
            ) : (
              <Current>
                <ChannelName id={channelId} />
              </Current>
            )}
          </li>
        )}
        {channelId !== undefined && path.endsWith('/testers') && (
          <li>
            <Current>{texts.testers.title}</Current>
          </li>
        )}
      </ol>
    </nav>
  );
}

function Current({ children }: { children: ReactNode }) {
  return <span aria-current="page">{children}</span>;
}

function BuildName({ id }: { id: string }) {
  const build = useRead<Build>(`/builds/${id}`);
  return <>{build.data === undefined ? '…' : formatBuild(build.data)}</>;
}

function SdkAppName({ id }: { id: string }) {
  const app = useRead<SdkApp>(`/sdk-apps/${id}`);
  return <Current>{app.data?.name ?? '…'}</Current>;
}

function ChannelName({ id }: { id: string }) {
  const channel = useRead<Channel>(`/channels/${id}`);
  return <>{channel.data?.name ?? '…'}</>;
}
