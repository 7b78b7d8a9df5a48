// German texts of install pages about each platform.
import type { Platform } from '../../platforms.ts';
import type { PlatformInstallTexts } from '../install-texts.ts';

export const platforms: Record<Platform, PlatformInstallTexts> = {
  ios: {
    desktop: {
      title: 'Öffnen Sie diese Seite auf Ihrem iPhone oder iPad',
      text: 'Richten Sie die Kamera auf den Code und tippen Sie auf den angezeigten Link.',
    },
    inAppSteps: [
      'Tippen Sie am Rand des Bildschirms auf ••• , auf „Teilen“ oder auf den Kompass.',
      'Wählen Sie „In Safari öffnen“ oder „Im Browser öffnen“.',
      'Oder kopieren Sie den Link unten und fügen Sie ihn in die Adresszeile von Safari ein.',
    ],
    wrongPlatform: (device) => ({
      title: 'Diese App ist für iPhone und iPad',
      text: `Auf einem Android-${device} lässt sie sich nicht installieren. Scannen Sie den Code mit einem iPhone oder iPad, oder senden Sie den Link an ein solches Gerät.`,
    }),
  },
  android: {
    desktop: {
      title: 'Öffnen Sie diese Seite auf Ihrem Android-Telefon',
      text: 'Richten Sie die Kamera auf den Code und tippen Sie auf den angezeigten Link.',
    },
    inAppSteps: [
      'Tippen Sie am Rand des Bildschirms auf ⋮ oder ••• .',
      'Wählen Sie „In Chrome öffnen“ oder „Im Browser öffnen“.',
      'Oder kopieren Sie den Link unten und fügen Sie ihn in die Adresszeile Ihres Browsers ein.',
    ],
    wrongPlatform: (device) => ({
      title: 'Diese App ist für Android',
      text: `Auf einem ${device} lässt sie sich nicht installieren. Scannen Sie den Code mit einem Android-Telefon, oder senden Sie den Link an ein solches Gerät.`,
    }),
  },
};
