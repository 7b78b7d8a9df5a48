// Texts about previews of pull requests.

export const previews = {
  title: 'Previews',
  opened: 'Opened {time}',
  ends: 'Expires',
  end: 'End',
  endNamed: (name: string) => `End preview ${name}`,
  endText: 'Its channel and releases are deleted, so its links stop working. The builds stay.',
};
