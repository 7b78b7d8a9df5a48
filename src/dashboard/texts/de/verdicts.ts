// Whether a device can install a build, and why, in German.
import type { VerdictReason } from '../../../compatibility/reasons.ts';

export const verdicts = { yes: 'Installierbar', no: 'Nicht installierbar', unknown: 'Unbekannt' };

/** Parts of a sentence. */
export const verdictReasons: Record<VerdictReason, string> = {
  revoked: 'der Build wurde widerrufen',
  platform: 'der Build ist für eine andere Plattform',
  unreadable: 'das Paket ist nicht lesbar',
  simulator: 'der Build ist für den Simulator',
  unsigned: 'der Build ist nicht signiert',
  partial: 'das Paket ist nur ein Teil einer geteilten App',
  test_only: 'das Paket ist als testOnly markiert',
  app_store_profile: 'der Build ist für den App Store signiert',
  profile_expired: 'das Bereitstellungsprofil ist abgelaufen',
  device_family: 'der Build unterstützt diesen Gerätetyp nicht',
  os_too_old: 'die Betriebssystemversion des Geräts ist zu alt',
  signature_too_old: 'Android verlangt ab Version 11 eine neuere Signatur',
  abi_missing: 'der Build unterstützt den Prozessor des Geräts nicht',
  not_provisioned: 'das Bereitstellungsprofil enthält dieses Gerät nicht',
  unknown_device: 'es ist nicht bekannt, ob das Profil dieses Gerät enthält',
  provisioned: 'das Bereitstellungsprofil enthält dieses Gerät',
  enterprise: 'das Bereitstellungsprofil erlaubt alle Geräte',
  installable: 'kompatibel',
};
