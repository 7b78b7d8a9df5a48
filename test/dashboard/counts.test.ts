// Texts with a number, in both languages.
import { describe, expect, it } from 'vitest';
import { de } from '../../src/dashboard/texts/de.ts';
import type { Texts } from '../../src/dashboard/texts/en.ts';
import { en } from '../../src/dashboard/texts/en.ts';

describe('a text with a number', () => {
  it.each<[(texts: Texts) => string | undefined, string, string]>([
    [({ errors }) => errors.tryAgainIn(1), 'Try again in 1 second.', 'Versuchen Sie es in 1 Sekunde erneut.'],
    [({ errors }) => errors.tryAgainIn(20), 'Try again in 20 seconds.', 'Versuchen Sie es in 20 Sekunden erneut.'],
    [({ errors }) => errors.tryAgainIn(86_400), 'Try again in 24 hours.', 'Versuchen Sie es in 24 Stunden erneut.'],
    [({ errors }) => errors.tryAgainIn(2_500_000), 'Try again in 29 days.', 'Versuchen Sie es in 29 Tagen erneut.'],
    [({ channels }) => channels.card.adoption(1, 1), '1 of 1 tester has it', '1 von 1 Tester hat sie'],
    [({ channels }) => channels.card.adoption(0, 1), '0 of 1 tester has it', '0 von 1 Tester hat sie'],
    [({ channels }) => channels.card.adoption(1, 4), '1 of 4 testers has it', '1 von 4 Testern hat sie'],
    [({ channels }) => channels.card.adoption(3, 4), '3 of 4 testers have it', '3 von 4 Testern haben sie'],
    [({ channels }) => channels.usage.testersHave(1, 1, '1.0'), 'of 1 tester has 1.0', 'von 1 Tester hat 1.0'],
    [({ channels }) => channels.usage.testersHave(1, 3, '1.0'), 'of 3 testers has 1.0', 'von 3 Testern hat 1.0'],
    [({ channels }) => channels.usage.testersHave(2, 3, '1.0'), 'of 3 testers have 1.0', 'von 3 Testern haben 1.0'],
    [({ channels }) => channels.usage.have(1), 'has it', 'hat sie'],
    [({ channels }) => channels.usage.can(1), 'can install', 'kann installieren'],
    [({ channels }) => channels.usage.cannot(2), "can't install", 'können nicht installieren'],
    [({ devices }) => devices.build.able(1, 1), 'of 1 device can install this', 'von 1 Gerät kann ihn installieren'],
    [({ devices }) => devices.build.able(1, 3), 'of 3 devices can install this', 'von 3 Geräten kann ihn installieren'],
    [
      ({ devices }) => devices.build.able(2, 3),
      'of 3 devices can install this',
      'von 3 Geräten können ihn installieren',
    ],
    [
      ({ sdk }) => sdk.channelChangeEffect(1),
      'Changing the channel moves 1 install to it at its next update check.',
      'Mit dem Kanal wechselt auch 1 Installation bei der nächsten Update-Prüfung.',
    ],
    [
      ({ sdk }) => sdk.channelChangeEffect(2),
      'Changing the channel moves all 2 installs to it at their next update check.',
      'Mit dem Kanal wechseln auch alle 2 Installationen bei der nächsten Update-Prüfung.',
    ],
    [({ builds }) => builds.bulk.andMore('1.0', 1), '1.0 and 1 more', '1.0 und 1 weiterer'],
    [({ sso }) => sso.activation.andMore(1), 'and 1 more', 'und 1 weiteres'],
  ])('%#: %s', (text, english, german) => {
    expect([text(en), text(de)]).toEqual([english, german]);
  });
});
