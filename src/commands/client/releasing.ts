// Releases a build to a channel and prints its install link.

import { Refusal } from '../../lib/failure.ts';
import { type CommandHost, plainText } from '../host.ts';
import { printQr } from '../qr.ts';
import type { Api } from './api.ts';
import { listAll } from './lookup.ts';
import { type Build, type Channel, Release } from './shapes.ts';

export interface ReleaseSettings {
  notes: string | undefined;
  isMandatory: boolean;
}

/**
 * Returns the automatic release of a build to a channel, marked as mandatory if requested. If marking fails, throws a
 * Refusal that says that testers have the build.
 */
export async function takeAutomaticRelease(
  api: Api,
  releaseId: string,
  channel: Channel,
  isMandatory: boolean,
): Promise<Release> {
  const path = `/releases/${encodeURIComponent(releaseId)}`;
  if (!isMandatory) return api.send({ method: 'GET', path }, Release);
  try {
    return await api.send({ method: 'PATCH', path, body: { mandatory: true }, isRepeatable: true }, Release);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(`${error.message}\nThe build is released to ${plainText(channel.name)}, but isn't mandatory.`);
  }
}

/**
 * The release of the build that counts as the requested one: its newest active one, only the one that testers
 * currently get, or none.
 */
type Reused = 'active' | 'current' | 'none';

interface WantedRelease {
  build: Build;
  channel: Channel;
  settings: ReleaseSettings;
  reused: Reused;
}

/** Releases a build to a channel after `confirm`, which may throw, or returns the release of the build that is reused. */
export async function releaseBuild(
  api: Api,
  { build, channel, settings, reused }: WantedRelease,
  confirm: () => Promise<void>,
): Promise<Release> {
  const query = {
    organization_id: build.organization_id,
    project_id: build.project_id,
    channel_id: channel.identifier,
  };
  const body = {
    ...(settings.notes === undefined ? {} : { release_notes: settings.notes }),
    ...(settings.isMandatory ? { mandatory: true } : {}),
  };
  const active = reused === 'none' ? undefined : await findActiveRelease(api, build, query);
  const existing = reused === 'current' && active?.is_current !== true ? undefined : active;
  if (existing === undefined) {
    await confirm();
    const request = {
      method: 'POST',
      path: '/releases',
      query,
      body: { build_id: build.identifier, ...body },
    } as const;
    return api.send(request, Release);
  }
  const matchesSettings =
    (settings.notes === undefined || settings.notes === (existing.release_notes ?? existing.build.release_notes)) &&
    (existing.mandatory || !settings.isMandatory);
  if (matchesSettings) return existing;
  return api.send({ method: 'PATCH', path: `/releases/${existing.identifier}`, body, isRepeatable: true }, Release);
}

async function findActiveRelease(api: Api, build: Build, query: Record<string, string>): Promise<Release | undefined> {
  for await (const release of listAll(api, '/releases', { ...query, limit: '20' }, Release)) {
    if (release.build.identifier === build.identifier && release.state === 'active') return release;
    // Releases are listed newest first, and those from before the upload can't be its releases.
    if (release.created_at < build.uploaded_at) return undefined;
  }
  return undefined;
}

/** Prints a release: the channel, and the install page with its QR code. */
export async function printRelease(host: CommandHost, release: Release, channel: Channel): Promise<void> {
  const flags = [
    release.state,
    ...(release.is_current ? ['current'] : []),
    ...(release.mandatory ? ['mandatory'] : []),
  ];
  host.print(
    `release   ${release.identifier} (${flags.map(plainText).join(', ')})\nchannel   ${plainText(channel.name)}\n`,
  );
  const { install_url: url } = channel;
  if (url === null) return;
  host.print(`install   ${url}\n\n`);
  await printQr(host, url);
}
