// Texts of health check findings, in German.
import type { FindingCode } from '../../../checks/finding-codes.ts';

type Values = Record<string, string | number>;

/** Texts by finding code. */
export const findings: Record<FindingCode, (values: Values) => string> = {
  installs_ready: ({ address }) =>
    `${address} kann Apps drahtlos installieren lassen, wenn Telefone seinem Zertifikat vertrauen`,
  address_not_reachable: ({ address }) =>
    `Drahtlose Installation braucht eine Adresse, die Telefone erreichen: server.base_url setzen (jetzt ${address})`,
  address_not_reachable_no_https: ({ address }) =>
    `Drahtlose Installation braucht eine Adresse, die Telefone erreichen, und https: server.base_url setzen (jetzt ${address})`,
  address_no_https: ({ address }) => `Drahtlose Installation braucht https: server.base_url setzen (jetzt ${address})`,
  certificate_for_address: ({ host }) =>
    `${host} ist kein Name: Öffentliche Zertifizierungsstellen bestätigen selten Adressen, und anderen vertrauen Telefone nicht`,
  proxy_untrusted: () =>
    'Ein Proxy übernimmt https, aber server.trusted_proxies ist leer: Jede Anfrage scheint vom Proxy zu kommen',
  migrations_unknown: ({ names }) => `Die Datenbank ist neuer als dieses Programm: Sie enthält ${names}`,
  migrations_waiting: ({ count }) => `${count} ausstehend; „taxiway migrate“ oder der nächste Start führt sie aus`,
  migrations_filling: ({ percent }) =>
    `angewendet; Zahlen früherer Downloads und die Sortierung der Builds nach Version werden im Hintergrund ergänzt (${percent} %)`,
  migrations_applied: ({ count }) => `${count} ausgeführt, keine ausstehend`,
  clock_before_build: ({ now, built }) =>
    `${now} liegt vor dem Zeitpunkt, zu dem dieses Programm gebaut wurde (${built})`,
  clock_behind: ({ now, newest }) => `${now} liegt vor dem letzten Ereignis in der Datenbank (${newest})`,
  clock_right: ({ now }) => `${now}`,
  clock_machine_was_off: ({ from, to, hours }) =>
    `Der Rechner war nach seiner Uhr von ${from} bis ${to} aus; in den nächsten ${hours} Betriebsstunden wird nichts nach Alter gelöscht. Stellen Sie die Uhr, wenn sie falsch geht`,
  clock_jumped: ({ from, to, hours }) =>
    `Die Uhr sprang von ${from} auf ${to}; in den nächsten ${hours} Betriebsstunden wird nichts nach Alter gelöscht. Stellen Sie die Uhr, wenn sie falsch geht`,
  device_authority_added: ({ subjects, file }) => `Außer Apples Geräten werden die von ${subjects} anerkannt (${file})`,
  device_authority_unusable: ({ reason }) => `Die zusätzliche Gerätezertifizierungsstelle ist unbrauchbar: ${reason}`,
  mail_outbox: () => 'E-Mails werden nicht gesendet; sie bleiben in der Datenbank',
  mail_reached: ({ place, from }) => `${place} nimmt E-Mails an; Absender ist ${from}`,
  mail_refused: ({ place, security, reason }) => `${place} (${security}): ${reason}`,
  mail_unencrypted: () =>
    'Das Passwort des E-Mail-Kontos wird unverschlüsselt übertragen: mail.smtp.security ist "none"',
  mail_no_answer: ({ from }) =>
    `Niemand kann ${from} antworten, und Empfänger verwerfen solche E-Mails oft: mail.from setzen`,
  packages_damaged: ({ count, builds }) =>
    `${count} beschädigte Pakete (Builds ${builds}). Niemand kann sie herunterladen. Stellen Sie die Dateien aus einer Sicherung wieder her; sie werden innerhalb einer Stunde erneut gelesen`,
  reach_other_program: ({ address, port }) =>
    `${address} antwortet, aber nicht als Taxiway: Leiten Sie die Adresse auf Port ${port} dieses Rechners`,
  reach_answers: ({ address }) => `${address} antwortet mit einem vertrauten Zertifikat`,
  reach_untrusted: ({ address, error }) => `Dem Zertifikat von ${address} wird nicht vertraut (${error})`,
  reach_expired: ({ address }) => `Das Zertifikat von ${address} ist abgelaufen: erneuern`,
  reach_other_names: ({ address, host }) =>
    `Das Zertifikat von ${address} gilt für andere Namen: Besorgen Sie eines für ${host}`,
  reach_unknown_host: ({ host }) =>
    `${host} ist hier unbekannt: Legen Sie einen DNS-Eintrag an, den Telefone auflösen können`,
  reach_nothing_listens: ({ address, port }) =>
    `Unter ${address} antwortet kein Programm: Starten Sie den Server und leiten Sie diesen Port auf Port ${port}`,
  reach_no_answer: ({ address }) =>
    `${address} antwortet nicht: Starten Sie den Server und lassen Sie https durch die Firewall`,
  reach_failed: ({ address, reason }) => `${address} lässt sich von hier nicht öffnen: ${reason}`,
  storage_works: () => 'Lesen und Schreiben funktionieren',
  storage_broken: ({ reason }) => `Lesen oder Schreiben schlägt fehl: ${reason}`,
  disk_full: ({ mebibytes, required }) =>
    `${mebibytes} MiB frei; unter ${required} MiB meldet sich der Server als nicht bereit`,
  disk_low: ({ mebibytes }) => `${mebibytes} MiB frei: weniger als zwei Builds der größten erlaubten Größe`,
  disk_free: ({ mebibytes }) => `${mebibytes} MiB frei`,
  certificate_other_names: ({ file, host, names }) =>
    `${file} gilt nicht für ${host}, sondern für ${names}: Besorgen Sie eines für den Namen in server.base_url`,
  certificate_unusable: ({ reason }) => `Das Zertifikat ist unbrauchbar: ${reason}`,
  certificate_not_yet: ({ name, day }) => `${name} gilt erst ab ${day}: Prüfen Sie die Uhr dieses Rechners`,
  certificate_expired: ({ name, day }) => `${name} ist am ${day} abgelaufen: erneuern`,
  certificate_expires_soon: ({ name, day }) => `${name} läuft am ${day} ab: erneuern`,
  certificate_valid: ({ name, day }) => `${name} gilt bis ${day}`,
  certificate_self_signed: () =>
    'Selbst signiert: iOS installiert nichts, bis jedes Telefon ihm vertraut; der Modus "internal" bietet das an',
  certificate_private_issuer: ({ issuer }) =>
    `Ausgestellt von ${issuer}, dem nicht alle Telefone vertrauen: Hängen Sie die Zwischenzertifikate an server.tls.cert_file an, oder lassen Sie jedes Telefon dieser Stelle vertrauen`,
  authority_pending: ({ names, address }) =>
    `Eine private Zertifizierungsstelle für ${names} entsteht beim nächsten Start; jedes Telefon muss ihr einmal vertrauen, siehe ${address}`,
  authority_valid: ({ names, day, fingerprint, address }) =>
    `Private Zertifizierungsstelle für ${names} bis ${day}, SHA-256 ${fingerprint}; jedes Telefon muss ihr einmal vertrauen, siehe ${address}`,
  acme_domain_missing: ({ host }) => `server.tls.acme_domains nennt ${host} nicht, das Telefone öffnen: ergänzen`,
  acme_failed: ({ authority, reason }) => `${authority} hat zuletzt kein Zertifikat ausgestellt: ${reason}`,
  acme_pending: ({ authority }) => `Ein Zertifikat von ${authority} wird beim nächsten Start bestellt`,
  profiles_expired: ({ file, day }) =>
    `${file} ist am ${day} abgelaufen: Geräte zeigen damit signierte Profile als nicht überprüft an`,
  profiles_expire_soon: ({ file, day }) => `${file} läuft am ${day} ab: erneuern`,
  profiles_signed: ({ file, day }) => `Signiert mit ${file}, gültig bis ${day}`,
  profiles_unusable: ({ reason }) => `Das Zertifikat für Profile ist unbrauchbar: ${reason}`,
  database_damaged: ({ damage }) =>
    `Beschädigt: ${damage}. Halten Sie den Server an, bewahren Sie eine Kopie des Datenordners auf und stellen Sie eine Sicherung wieder her`,
  database_checking: () => 'Wird im Hintergrund geprüft',
  database_unchecked: () => 'Wurde beim Start nicht geprüft; das Protokoll nennt den Grund',
  database_intact: ({ at }) => `Unbeschädigt bei der Prüfung um ${at}`,
  backup_failed: ({ place, reason }) => `Die letzte Sicherung nach ${place} ist fehlgeschlagen: ${reason}`,
  backup_none: ({ place }) => `Noch keine Sicherung nach ${place}; erstellen Sie eine mit „taxiway backup“`,
  backup_old: ({ at, hours }) => `Die letzte Sicherung ist vom ${at}, älter als ${hours} Stunden`,
  backup_incomplete: ({ problem }) => `Die letzte Sicherung hat ein Problem: ${problem}`,
  backup_recent: ({ at }) => `Erstellt am ${at}`,
  replication_stopped: ({ address, mebibytes }) =>
    `Litestream antwortet nicht unter ${address}: Nichts wird repliziert, und das Write-Ahead-Log (${mebibytes} MiB) wächst. Führen Sie „systemctl start taxiway-litestream“ aus und lesen Sie das Protokoll`,
  replication_unknown: ({ target }) =>
    `Litestream hat seit seinem Start nichts nach ${target} gesendet: Lesen Sie das Protokoll, wenn das so bleibt`,
  replication_late: ({ target, seconds, mebibytes }) =>
    `${target} ist mindestens ${seconds} s im Rückstand, und nicht gesendete Änderungen belegen ${mebibytes} MiB neben der Datenbank: Lesen Sie das Protokoll von Litestream, und starten Sie Litestream neu, sobald das Ziel erreichbar ist, weil es hängen kann, ohne etwas zu protokollieren`,
  replication_current: ({ target, seconds }) => `${target} ist höchstens ${seconds} s im Rückstand`,
  replication_packages: ({ folder }) =>
    `Die Pakete in ${folder} werden nicht repliziert: Verschieben Sie sie in einen Bucket, oder kopieren Sie sie selbst`,
  billing_fee_zero: ({ plans }) =>
    `Die Monatsgebühr eines Plans ist 0 (${plans}), deshalb fragt der Zahlungsdienst vielleicht nicht nach einer Karte`,
  billing_below_zero: ({ count }) => `Organisationen mit einem Guthaben unter null: ${count}`,
  payment_provider_unusable: ({ reason }) => `Nicht nutzbar: ${reason}`,
  payment_provider_no_link: () =>
    'Das Konto hat keinen Standard-Zahlungslink, deshalb lässt sich keine Zahlung beginnen: Richten Sie einen ein, oder setzen Sie billing.paddle.checkout_url',
  payment_provider_reached: ({ environment }) => `Antwortet und akzeptiert den Schlüssel (${environment})`,
  update_none: ({ version }) => `${version} ist die neueste Version`,
  update_available: ({ found, version }) => `${found} ist verfügbar, installiert ist ${version}`,
  update_unknown: ({ address, reason }) => `${address} nennt die neueste Version nicht: ${reason}`,
  check_failed: () => 'Die Prüfung ist fehlgeschlagen; das Protokoll nennt den Grund',
};

/** Returns a finding in German. A finding unknown to this version is shown as the server sends it. */
export function describeFinding({ code, values, detail }: { code: string; values: Values; detail: string }): string {
  return Object.hasOwn(findings, code) ? findings[code as FindingCode](values) : detail;
}
