// Texte zum Speicher einer Organisation.
import type { storage as english } from '../en/storage.ts';

const roles =
  'Geben Sie der Anwendung die Rollen Storage Blob Data Contributor für den Container und Storage Blob Delegator für das Speicherkonto. Azure braucht bis zu zehn Minuten, um sie anzuwenden.';

export const storage: typeof english = {
  location: 'Speicherort',
  newPackages: 'Neue Pakete',
  hosted: 'Auf diesem Server',
  container: (account, container) => `Azure-Container ${account}/${container}`,
  since: 'In Gebrauch seit',
  unreachable: (since) => `Der Container ist seit ${since} nicht verwendbar`,
  unreachableText:
    'Uploads und Downloads seiner Pakete schlagen fehl, bis er wieder funktioniert. Es wird nichts gelöscht.',
  usage: 'Belegung',
  usageHint: 'Alle Builds, auch widerrufene.',
  noProjects: 'Noch keine Projekte.',
  builds: (count) => (count === 1 ? '1 Build' : `${count} Builds`),
  total: 'Gesamt',
  own: 'Eigener Azure-Container',
  ownHint:
    'Pakete werden im Azure-Konto Ihrer Organisation gespeichert. Der Betreiber dieses Servers genehmigt den Container.',
  off: 'Dieser Server bietet keine eigenen Container an.',
  prepare: 'Container vorbereiten',
  prepareText:
    'Legen Sie eine Anwendung in Microsoft Entra ID, ein Speicherkonto und einen Container an, und geben Sie der Anwendung Zugriff. Mit verbundenen Anmeldeinformationen vertraut die Anwendung diesem Server, und es gibt kein Geheimnis, das gespeichert oder erneuert werden muss:',
  needsHttps:
    'Dieser Server verwendet kein https, deshalb kann Microsoft Entra ID ihn nicht prüfen. Verwenden Sie stattdessen einen geheimen Clientschlüssel.',
  guide: 'Anleitung',
  issuer: 'Aussteller',
  subject: 'Antragsteller',
  audience: 'Zielgruppe',
  request: 'Eigenen Container beantragen',
  requestAgain: 'Neuer Antrag',
  replaceHint: 'Der bisherige Container bleibt in Gebrauch, bis der Betreiber den neuen Antrag genehmigt.',
  tenantId: 'Mandanten-ID',
  tenantHint: 'Verzeichnis-ID (Mandant) der Anwendung',
  clientId: 'Client-ID',
  clientHint: 'Anwendungs-ID (Client)',
  account: 'Speicherkonto',
  accountHint: '3 bis 24 Kleinbuchstaben und Ziffern',
  containerName: 'Container',
  containerHint: '3 bis 63 Kleinbuchstaben, Ziffern und einzelne Bindestriche',
  secret: 'Geheimer Clientschlüssel (optional)',
  secretHint:
    'Leer lassen, wenn die Anwendung diesem Server vertraut. Der Schlüssel wird verschlüsselt gespeichert und nie angezeigt.',
  send: 'Antrag senden',
  sent: 'Antrag gesendet',
  statuses: {
    validating: 'Wird geprüft',
    validation_failed: 'Handlung nötig',
    awaiting_approval: 'Wartet auf Genehmigung',
    approved: 'Genehmigt',
    rejected: 'Abgelehnt',
  },
  authentication: 'Anmeldung',
  authentications: { federation: 'Verbundene Anmeldeinformationen', secret: 'Geheimer Clientschlüssel' },
  requested: 'Beantragt',
  checked: 'Letzte Prüfung',
  checks: 'Prüfungen',
  steps: {
    token_exchange: 'Anwendung erhält ein Token von Microsoft Entra ID',
    container_check: 'Anwendung kann Speicherkonto und Container verwenden',
    put_marker: 'Anwendung kann schreiben',
    delete_marker: 'Anwendung kann löschen',
    list_container: 'Anwendung kann auflisten',
    soft_delete_residue: 'Gelöschte Blobs sind weg',
    browser_uploads: 'Browser können hochladen (optional)',
    approval: 'Genehmigung durch den Betreiber dieses Servers',
  },
  results: { passed: 'Bestanden', failed: 'Fehlgeschlagen', waiting: 'Noch nicht geprüft', running: 'Wird geprüft' },
  turnCustomer: 'Sie sind dran',
  turnOperator: 'Der Betreiber ist dran',
  waitApproval: 'Der Betreiber entscheidet mit diesem Befehl auf dem Server:',
  rejectedBecause: 'Grund:',
  providerSays: 'Antwort des Anbieters:',
  fixes: {
    tokenCustomer: 'Vergleichen Sie Mandanten-ID und Client-ID mit denen der Anwendung.',
    tokenFederation:
      'Fügen Sie der Anwendung verbundene Anmeldeinformationen mit Aussteller, Antragsteller und Zielgruppe von oben hinzu.',
    tokenSecret:
      'Erstellen Sie einen neuen geheimen Clientschlüssel, ziehen Sie diesen Antrag zurück und senden Sie einen neuen mit dem Schlüssel.',
    tokenPlatform:
      'Microsoft Entra ID muss diesem Server antworten und seine öffentlichen Schlüssel lesen können. Bitten Sie den Betreiber, Adresse und Uhr zu prüfen.',
    account: (account) =>
      `Stellen Sie sicher, dass es das Speicherkonto ${account} gibt und dass seine Firewall diesen Server und die Geräte der Tester zulässt.`,
    roles,
    missing: (account, container) =>
      `Legen Sie den Container ${container} im Speicherkonto ${account} an, oder senden Sie einen neuen Antrag mit dem richtigen Namen.`,
    policy: 'Entfernen Sie Unveränderlichkeitsrichtlinien und gesetzliche Aufbewahrungspflichten vom Container.',
    softDelete: 'Schalten Sie vorläufiges Löschen für Blobs und die Versionsverwaltung im Speicherkonto aus.',
    browserUploads:
      'Uploads in der Web-App brauchen diese CORS-Regel des Blob-Diensts. Kommandozeile und CI funktionieren ohne sie.',
    busy: 'Das Speicherkonto antwortet nicht. Prüfen Sie in einigen Minuten erneut, und bitten Sie dann den Betreiber um Hilfe.',
  },
  check: 'Erneut prüfen',
  checkContainer: 'Container prüfen',
  works: 'Alle Prüfungen bestanden',
  withdraw: 'Antrag zurückziehen',
  withdrawTitle: 'Antrag zurückziehen?',
  withdrawText: 'Die eingegebenen Werte werden gelöscht. Sie können jederzeit einen neuen Antrag senden.',
  withdrawn: 'Antrag zurückgezogen',
  requests: 'Speicheranträge',
  newestRequests: (count) => `Nur die neuesten ${count} werden angezeigt. So listen Sie die offenen auf:`,
  requestsHint: 'Organisationen, die Pakete in einem eigenen Azure-Container speichern möchten.',
  failedStep: (step) => `Fehlgeschlagen: ${step}`,
};
