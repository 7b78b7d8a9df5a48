// Texts about projects and adding packages to them.
import { MAX_COUNTED } from '../../../projects/contents-limit.ts';

type Contents = Record<'builds' | 'releases' | 'channels' | 'pending_uploads', number>;

// Not shared by the catalogs, because a first visit would load one more file.
function count(number: number, one: string, many: string): string {
  const shown = number.toLocaleString('en');
  if (number >= MAX_COUNTED) return `${shown} or more ${many}`;
  return `${shown} ${number === 1 ? one : many}`;
}

export const projects = {
  title: 'Projects',
  create: 'New project',
  name: 'Name',
  platform: 'Platform',
  platformHint: "A project is for one app on one platform. You can't change this later.",
  description: 'Description',
  emptyTitle: 'No projects yet',
  emptyText:
    'Drop an .apk or .ipa file anywhere on this page to create a project and release the build to its first channel.',
  emptyReadOnly: 'Ask an admin to invite you to a project.',
  tabs: { channels: 'Channels', builds: 'Builds', settings: 'Settings' },
  general: 'General',
  icon: 'Icon',
  iconHint: 'Builds have their own icons.',
  screenshots: {
    title: 'Screenshots',
    hint: 'Install pages show them in this order.',
    add: 'Add screenshots',
    limits: (most: number, maxSize: string) => `Up to ${most}. PNG, JPEG or WebP, up to ${maxSize} each.`,
    named: (number: number, count: number) => `Screenshot ${number} of ${count}`,
    moveLeft: (number: number) => `Move screenshot ${number} to the left`,
    moveRight: (number: number) => `Move screenshot ${number} to the right`,
    remove: (number: number) => `Delete screenshot ${number}`,
    delete: 'Delete screenshot',
    confirmTitle: (number: number) => `Delete screenshot ${number}?`,
    confirm: "Install pages no longer show it. This can't be undone.",
    notAdded: (files: string) => `Not added: ${files}`,
  },
  bundleHint: 'Builds with another identifier are flagged.',
  deleteSection: 'Delete',
  deleteHint: 'Deletes the project and all its builds.',
  delete: 'Delete project',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteEffect: ({ builds, releases, channels, pending_uploads: uploads }: Contents) => {
    const named = [
      count(builds, 'build', 'builds'),
      count(releases, 'release', 'releases'),
      count(channels, 'channel', 'channels'),
      ...(uploads === 0 ? [] : [count(uploads, 'unfinished upload', 'unfinished uploads')]),
    ];
    return `This deletes ${named.join(', ')}, and all testers, tokens and links of the project. Nobody can install from it anymore. This can't be undone.`;
  },
  deleteAction: (builds: number) =>
    builds === 0 ? 'Delete project' : `Delete project and ${count(builds, 'build', 'builds')}`,
  deleted: (name: string) => `${name} deleted`,
};

export const adding = {
  choose: 'Upload build',
  dropAnywhere: 'Drop to upload',
  dropToCreate: 'Drop to create a project',
  choosePackage: 'Choose package',
  publicSwitch: 'Anyone with the link can install',
  publicHint: "People who have the channel's link install without an account.",
  privateHint: 'Testers sign in to install. Other people can ask for access.',
};
