// Texts about who can install a build, and about releasing it, in German.
import type { Texts } from '../en.ts';

export const releasing: Texts['releasing'] = {
  status: {
    onDevices: (able, total) => `Installierbar auf ${able} von ${total === 1 ? '1 Gerät' : `${total} Geräten`}`,
    onProfileDevices: 'Installierbar auf den Geräten des Profils',
    onEveryDevice: 'Installierbar auf jedem iPhone und iPad',
    fromSystem: (system) => `Installierbar ab ${system}`,
    onAndroid: 'Installierbar auf jedem Android-Gerät',
    unknown: 'Das Paket ist nicht lesbar, Android installiert es vielleicht trotzdem',
    simulator: 'Nur für Simulatoren',
    nobody: (why) => `Niemand kann das installieren: ${why}`,
    expired: (date) => `Das Profil ist am ${date} abgelaufen`,
    reasons: {
      revoked: 'Der Build wurde widerrufen',
      unreadable: 'Das Paket ist nicht lesbar',
      unsigned: 'Das Paket ist nicht signiert',
      partial: 'Das Paket ist nur ein Teil einer App',
      test_only: 'Das Paket ist als testOnly markiert',
      app_store_profile: 'Das Paket ist für den App Store signiert',
      profile_expired: 'Das Profil ist abgelaufen',
      not_provisioned: 'Das Profil nennt keine Geräte',
    },
  },
  pickChannel: 'Kanal wählen',
  pickBuild: 'Build wählen',
  live: (name) => `${name} · aktuell`,
  uninstallableTitle: (build, channel) => `${build} auf ${channel} freigeben?`,
  uninstallableEffect: (line) => `${line}. Tester bekommen einen Build angeboten, den sie nicht installieren können.`,
  releaseAnyway: 'Trotzdem freigeben',
  automatic: (channels) => `Automatisch auf ${channels.join(', ')} freigegeben.`,
  willBeAutomatic: (channels) => `Wird automatisch auf ${channels.join(', ')} freigegeben.`,
  notAutomatic: 'Nicht automatisch freigegeben.',
  otherApp: (project) => `Das ist nicht die App von ${project}`,
  otherAppText: (found, expected) => `Das Paket ist ${found}, die App des Projekts ist ${expected}.`,
  uploadAnyway: 'Trotzdem hochladen',
  nextNumber: (number) => `Nächste freie Nummer verwenden (${number})`,
};
