// Texts about previews of pull requests, in German.
import type { Texts } from '../en.ts';

export const previews: Texts['previews'] = {
  title: 'Vorschauen',
  opened: 'Eröffnet {time}',
  ends: 'Läuft ab',
  end: 'Beenden',
  endNamed: (name) => `Vorschau ${name} beenden`,
  endText: 'Ihr Kanal und ihre Freigaben werden gelöscht, ihre Links gelten dann nicht mehr. Die Builds bleiben.',
};
