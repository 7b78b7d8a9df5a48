// Puts a build onto a channel and says where it can be installed.
import { type CommandHost, plainText } from '../host.ts';
import { printQr } from '../qr.ts';
import type { Api } from './api.ts';
import { listAll } from './lookup.ts';
import { type Build, type Channel, Release } from './shapes.ts';

/** Hosts that mean something else on every machine. */
const THIS_MACHINE = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

export interface ReleaseWishes {
  notes: string | undefined;
  isMandatory: boolean;
}

/** Releases a build onto a channel. A channel that distributes by itself already has: then that release is taken. */
export async function releaseBuild(api: Api, build: Build, channel: Channel, wishes: ReleaseWishes): Promise<Release> {
  const query = {
    organization_id: build.organization_id,
    project_id: build.project_id,
    channel_id: channel.identifier,
  };
  const body = {
    ...(wishes.notes === undefined ? {} : { release_notes: wishes.notes }),
    ...(wishes.isMandatory ? { mandatory: true } : {}),
  };
  const existing = channel.auto_distribute ? await findActiveRelease(api, build, query) : undefined;
  if (existing === undefined) {
    const request = {
      method: 'POST',
      path: '/releases',
      query,
      body: { build_id: build.identifier, ...body },
    } as const;
    return api.send(request, Release);
  }
  if (Object.keys(body).length === 0) return existing;
  return api.send({ method: 'PATCH', path: `/releases/${existing.identifier}`, body, isRepeatable: true }, Release);
}

async function findActiveRelease(api: Api, build: Build, query: Record<string, string>): Promise<Release | undefined> {
  for await (const release of listAll(api, '/releases', { ...query, limit: '20' }, Release)) {
    if (release.build.identifier === build.identifier && release.state === 'active') return release;
    // Newest first: what is older than the build cannot be its release.
    if (release.build.uploaded_at < build.uploaded_at) return undefined;
  }
  return undefined;
}

/** Tells people about a release: the channel, and the install page with its QR code. */
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
  if (THIS_MACHINE.test(URL.parse(url)?.hostname ?? '')) {
    host.say('Phones cannot open this link: set server.base_url to an address of the server that they reach.\n');
  }
}
