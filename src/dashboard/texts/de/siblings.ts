// Texts about apps with several platforms, in German.
import type { Texts } from '../en.ts';

export const siblings: Texts['siblings'] = {
  platforms: 'Plattformen',
  hint: 'Das iOS- und das Android-Projekt einer App teilen ihre Installationslinks: Jedes Telefon erhält seine Plattform.',
  project: 'Projekt',
  link: 'Projekte verknüpfen',
  linked: (names) => `Mit ${names.join(', ')} verknüpft`,
  linkWith: (name, platform) => `Mit ${name} für ${platform} verknüpfen`,
  unlink: 'Verknüpfung aufheben',
  unlinked: (names) => `Nicht mehr mit ${names.join(', ')} verknüpft`,
  unlinkTitle: (names) => `Verknüpfung mit ${names.join(', ')} aufheben?`,
  unlinkEffect:
    'Jeder Link gilt dann wieder nur für seine Plattform. Telefone der anderen Plattform brauchen den anderen Link.',
  noProjects:
    'Es gibt kein anderes Projekt zum Verknüpfen. Es muss für eine andere Plattform sein, und Sie müssen dort Admin sein.',
  alsoServes: (platform) => `Gilt auch für ${platform}:`,
  noChannel: (name) =>
    name === ''
      ? 'Dieser Link gilt nur für diese Plattform.'
      : `Das verknüpfte Projekt hat keinen Kanal ${name}. Dieser Link gilt deshalb nur für diese Plattform.`,
  publicSibling: 'Wer aus diesem Kanal nicht installieren kann, braucht den Link des anderen.',
  privateSibling: 'Über diesen Link erhalten ihn nur seine Tester, nach der Anmeldung.',
  channel: 'Kanal für die andere Plattform',
  channelHint: 'Deren Telefone erhalten ihn über denselben Link.',
  sameName: 'Der mit demselben Namen',
  noSibling: 'Keiner',
};
