// Texts about who can install a build, and about releasing it.
import { englishStatus } from '../../../compatibility/status-line.ts';

export const releasing = {
  status: englishStatus,
  title: (build: string, channel?: string) => `Release ${build}${channel === undefined ? '' : ` to ${channel}`}`,
  pickChannel: 'Choose a channel',
  pickBuild: 'Choose a build',
  olderBuilds: (count: number) => `Only the newest ${count} builds are listed. Release an older one from its page.`,
  /** An option of a selection that is live. */
  live: (name: string) => `${name} · live`,
  uninstallableTitle: (build: string, channel: string) => `Release ${build} to ${channel}?`,
  uninstallableEffect: (line: string) => `${line}. Testers will be offered a build that they can't install.`,
  releaseAnyway: 'Release anyway',
  automatic: (channels: readonly string[]) => `Released automatically to ${channels.join(', ')}.`,
  willBeAutomatic: (channels: readonly string[]) => `Will be released automatically to ${channels.join(', ')}.`,
  notAutomatic: 'Not released automatically.',
  otherApp: (project: string) => `This isn't the app of ${project}`,
  otherAppText: (found: string, expected: string) => `The package is ${found}; the project's app is ${expected}.`,
  uploadAnyway: 'Upload anyway',
  notes: {
    view: 'Release notes: write or preview',
    write: 'Write',
    preview: 'Preview',
    hint: 'Markdown: lists, **bold**, links.',
    empty: 'Nothing to preview yet.',
  },
  nextNumber: (number: number) => `Use next free number (${number})`,
  who: {
    released: (name: string) => `${name} released`,
    promoted: (name: string, from: string) => `${name} promoted from ${from}`,
    automatic: 'Released automatically',
    unknown: 'A deleted account or token',
  },
};
