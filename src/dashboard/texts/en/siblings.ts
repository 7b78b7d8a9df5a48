// Texts about apps with several platforms: linked projects and their channels.

export const siblings = {
  platforms: 'Platforms',
  hint: 'The iOS and the Android project of an app share their install links: each phone gets its own platform.',
  project: 'Project',
  link: 'Link projects',
  linked: (names: readonly string[]) => `Linked with ${names.join(', ')}`,
  linkWith: (name: string, platform: string) => `Link with ${name} for ${platform}`,
  unlink: 'Unlink',
  unlinked: (names: readonly string[]) => `No longer linked with ${names.join(', ')}`,
  unlinkTitle: (names: readonly string[]) => `Unlink ${names.join(', ')}?`,
  unlinkEffect: 'Each link then serves only its own platform again. Phones of the other platform need the other link.',
  noProjects:
    'There is no other project to link with. It must be for another platform, and you must be an admin of it.',
  alsoServes: (platform: string) => `Also serves ${platform}:`,
  noChannel: (name: string) =>
    name === ''
      ? 'This link serves only this platform.'
      : `The linked project has no channel ${name}, so this link serves only this platform.`,
  publicSibling: "People who can't install from this channel need the link of that one.",
  privateSibling: 'Only its testers get it with this link, after they sign in.',
  channel: 'Channel for the other platform',
  channelHint: 'Its phones get this channel through the same link.',
  sameName: 'The one with the same name',
  noSibling: 'None',
};
