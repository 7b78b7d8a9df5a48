// Texts about the settings of an organization, in German.

import { listWarningDays } from '../../../lib/lifetimes.ts';
import type { Texts } from '../en.ts';

const ownWays =
  'Mitglieder verwenden ihr Passwort oder ihren Passkey; wer keines davon hat, kann das Passwort zurücksetzen.';

export const settings: Texts['settings'] = {
  title: 'Einstellungen',
  tabs: { general: 'Allgemein', security: 'Sicherheit', sso: 'Single Sign-on', storage: 'Speicher' },
  adminsOnlyTitle: 'Nur Admins können Einstellungen verwalten',
  adminsOnlyText: 'Wenden Sie sich an einen Admin:',
  icon: 'Bild',
  chooseIcon: 'Bild auswählen',
  iconHint: (maxSize) => `PNG, JPEG oder WebP, bis ${maxSize}.`,
  general: 'Allgemein',
  name: 'Name',
  identifier: 'Organisations-ID',
  plan: 'Tarif',
  plans: { team: 'Team', business: 'Business' },
  role: 'Ihre Rolle',
  created: 'Angelegt',
  unsaved: {
    title: 'Verlassen, ohne zu speichern?',
    text: 'Ihre Eingaben auf dieser Seite gehen verloren.',
    leave: 'Verlassen',
  },
  leave: {
    title: 'Übergeben und verlassen',
    hint: 'Alle Admins besitzen die Organisation gemeinsam. Machen Sie Ihre Nachfolge zum Admin; verlassen Sie dann die Organisation, oder stufen Sie Ihre Rolle herab.',
    members: 'Zu den Mitgliedern',
    onlyAdmin: 'Sie sind der einzige Admin: Machen Sie jemand anderen zum Admin, bevor Sie die Organisation verlassen.',
    onlyMember: 'Sie sind das einzige Mitglied. Laden Sie eine Nachfolge ein, oder löschen Sie die Organisation.',
    action: 'Organisation verlassen',
    confirmTitle: (name) => `${name} verlassen?`,
    confirm: (name) =>
      `Sie verlieren sofort den Zugriff auf ${name} und ihre Projekte, und Ihre Tokens funktionieren dort nicht mehr. Für eine Rückkehr brauchen Sie eine neue Einladung.`,
  },
  deletion: {
    title: 'Löschen',
    hint: 'Sie können eine Organisation löschen, wenn sie keine Projekte hat.',
    projects: (count) =>
      count === 1
        ? 'Sie hat noch 1 Projekt. Löschen Sie es zuerst:'
        : `Sie hat noch ${count} Projekte. Löschen Sie sie zuerst:`,
    action: 'Organisation löschen',
    confirmTitle: (name) => `${name} löschen?`,
    confirm: (members) =>
      `${members === 1 ? 'Sie verlieren' : `Alle ${members} Mitglieder verlieren`} sofort den Zugriff. Auch Tester, Gruppen, Geräte, Webhooks, Tokens und die Verbindung zu einem Identitätsanbieter werden gelöscht. Konten bleiben. Das lässt sich nicht rückgängig machen.`,
  },
  security: {
    admins: 'Admins',
    adminsHint: 'Admins verwalten Mitglieder, Rollen, Anmeldung und alle Einstellungen.',
    oneAdmin:
      'Es gibt nur einen Admin. Fügen Sie einen zweiten hinzu, falls jemand den Zugriff auf sein Konto verliert.',
    signIn: 'Anmeldung der Mitglieder',
    ssoAbsent: 'Passwort oder Passkey. Kein Identitätsanbieter ist verbunden.',
    ssoDisabled: 'Passwort oder Passkey. Ein Identitätsanbieter ist verbunden, Single Sign-on ist ausgeschaltet.',
    ssoEnabled: 'Identitätsanbieter, Passwort oder Passkey.',
    ssoRequired:
      'Nur Identitätsanbieter für Mitglieder in einer bestätigten Domain; Passwort oder Passkey für alle anderen.',
    toSso: 'Single Sign-on',
    byEmail: 'Anmeldung per E-Mail erlauben',
    byEmailHint:
      'Tester und Mitglieder können sich mit einem Code oder Link aus einer E-Mail statt mit einem Passwort anmelden. Wenn Sie dies ausschalten, funktionieren so begonnene Sitzungen in dieser Organisation nicht mehr.',
    trail:
      'Das Audit-Protokoll zeigt Änderungen und Anmeldungen über den Identitätsanbieter. Andere Anmeldungen sieht jede Person in ihrer eigenen Aktivität.',
    toTrail: 'Zum Audit-Protokoll',
    commandLine: 'Nur über die Befehlszeile',
    commandLineHint:
      'TAXIWAY_TOKEN ist das Token eines Admins: ein persönliches Zugriffstoken mit allen Berechtigungen, wenn nichts anderes angegeben ist.',
    mfa: 'Zwei-Faktor-Authentifizierung von allen Mitgliedern verlangen. Die Frist ist in Tagen. Um sie nicht mehr zu verlangen, setzen Sie required auf false.',
    tokens:
      'Alle persönlichen Zugriffstokens der Organisation auflisten. Erfordert ein Zugriffstoken aus der Anmeldung.',
    revoke: 'Das persönliche Zugriffstoken eines Mitglieds widerrufen. Erfordert ein Zugriffstoken aus der Anmeldung.',
  },
};

export const sso: Texts['sso'] = {
  hint: 'Mitglieder melden sich über den Identitätsanbieter Ihrer Organisation an.',
  protocol: 'Protokoll',
  protocols: { saml: 'SAML 2.0', oidc: 'OpenID Connect' },
  yes: 'Ja',
  no: 'Nein',
  states: { absent: 'Nicht eingerichtet', disabled: 'Aus', enabled: 'Ein', required: 'Erforderlich' },
  planRefusal: (plan) =>
    `Der Tarif ${plan} enthält kein Single Sign-on. Bitten Sie den Betreiber des Servers, den Tarif zu ändern. Eine bestehende Verbindung funktioniert weiter; Sie können sie ausschalten oder entfernen.`,
  serviceProvider: {
    title: '1. Taxiway beim Identitätsanbieter hinzufügen',
    hint: 'Importieren Sie unsere Metadaten, oder geben Sie diese Werte ein. Der Identitätsanbieter muss eine dauerhafte NameID und die E-Mail-Adresse senden und mit RSA und SHA-256 oder besser signieren.',
    download: 'Metadaten herunterladen',
    entityId: 'Entity-ID',
    acsUrl: 'Assertion Consumer Service (HTTP-POST)',
    sloUrl: 'Single Logout (HTTP-Redirect)',
    certificate: 'Zertifikat, mit dem wir Anfragen signieren',
    certificateFormat: 'Base64, wie in den Metadaten',
    oidcHint:
      'Erstellen Sie eine Webanwendung mit Authorization-Code-Flow und Client-Secret, und geben Sie diese URLs ein.',
    redirectUri: 'Redirect-URI',
    postLogoutRedirectUri: 'Redirect-URI nach der Abmeldung',
    backchannelLogoutUri: 'URI für Back-Channel-Logout',
  },
  identityProvider: {
    title: '2. Identitätsanbieter in Taxiway hinzufügen',
    hint: 'Fügen Sie die Metadaten des Anbieters ein. Ein späteres Ersetzen ändert weder Einstellungen noch Domains.',
    kind: 'Methode',
    kinds: { metadata: 'Metadaten', fields: 'Manuell' },
    metadata: 'Metadaten (XML)',
    metadataHint: 'Fügen Sie sie ein, oder wählen Sie eine Datei.',
    file: 'Datei auswählen',
    isLink:
      'Das ist ein Link zu den Metadaten. Öffnen Sie ihn, und fügen Sie den Inhalt ein, oder wählen Sie die gespeicherte Datei.',
    openLink: 'Link öffnen',
    entityId: 'Entity-ID',
    ssoUrl: 'Single-Sign-on-URL (HTTP-Redirect)',
    sloUrl: 'Single-Logout-URL (HTTP-Redirect)',
    certificates: 'Signaturzertifikate',
    certificatesHint:
      'PEM oder Base64, untereinander. Um ein Zertifikat ohne Unterbrechung zu ersetzen, geben Sie das alte und das neue ein.',
    oidcHint:
      'Alles Weitere liest der Server beim Aussteller. Ein späteres Ersetzen des Anbieters ändert Ihre Domains nicht.',
    issuer: 'Aussteller (Issuer)',
    issuerHint: 'Genau so, wie der Anbieter ihn schreibt, mit Schrägstrich am Ende, falls vorhanden.',
    clientId: 'Client-ID',
    clientSecret: 'Client-Secret',
    clientSecretKept: 'Lassen Sie es leer, um das aktuelle zu behalten.',
    scopes: 'Scopes',
    emailClaim: 'Claim mit der E-Mail-Adresse',
    nameClaim: 'Claim mit dem Namen',
    acceptUnverified: 'E-Mail-Adressen akzeptieren, die der Anbieter nicht als bestätigt bezeichnet',
    acceptUnverifiedHint:
      'Schalten Sie das nur ein, wenn der Anbieter nie email_verified sendet, wie Microsoft Entra ID, und nur seine Administratoren E-Mail-Adressen festlegen.',
    replaces: (protocol) => `Beim Speichern wird die aktuelle Verbindung (${protocol}) ersetzt.`,
    replace: 'Ersetzen',
    changed: 'Geändert',
    certificate: 'Zertifikat',
    fingerprint: 'SHA-256-Fingerabdruck',
    expires: 'läuft {time} ab',
    expired: '{time} abgelaufen',
    expiryHint:
      'Manuell eingegebene Zertifikate werden auch nach ihrem Ablauf akzeptiert. Fragen Sie beim Identitätsanbieter nach, ob sich sein Schlüssel ändert, und ergänzen Sie das neue Zertifikat.',
  },
  domains: {
    title: '3. Domains bestätigen',
    hint: 'Nur mit E-Mail-Adressen in einer bestätigten Domain ist die Anmeldung möglich. Subdomains gehören nicht dazu.',
    domain: 'Domain',
    add: 'Domain hinzufügen',
    none: 'Noch keine Domains. Ohne Domain kann sich niemand anmelden.',
    verified: 'Bestätigt',
    unverified: 'Nicht bestätigt',
    record: 'Fügen Sie diesen TXT-Eintrag im DNS der Domain hinzu:',
    recordName: 'Name',
    recordValue: 'Wert',
    check: 'Jetzt prüfen',
    checking: (minutes) => `Wird geprüft … Die Prüfung läuft ${minutes} Minuten automatisch weiter.`,
    missing: 'Der Eintrag wurde noch nicht gefunden. Neue Einträge können eine Weile dauern.',
    unanswered: 'Die Nameserver haben nicht geantwortet.',
    timedOut: (minutes) =>
      `Der Eintrag wurde innerhalb von ${minutes} Minuten nicht gefunden. Neue Einträge können Stunden dauern: Prüfen Sie es später erneut.`,
    byOperator:
      'Wenn die Domain kein öffentliches DNS hat, kann der Betreiber des Servers sie mit diesem Befehl bestätigen:',
    verifiedToast: (domain) => `${domain} bestätigt`,
    claimedElsewhere:
      'Eine andere Organisation hat diese Domain bereits beansprucht. Sie muss die Domain zuerst entfernen.',
    remove: 'Entfernen',
    removeOf: (domain) => `${domain} entfernen`,
    removeTitle: (domain) => `${domain} entfernen?`,
    removeEffect: (members) =>
      members === 0
        ? 'Niemand mit einer E-Mail-Adresse in dieser Domain kann sich mehr über den Identitätsanbieter anmelden.'
        : `${members === 1 ? '1 Mitglied hat eine E-Mail-Adresse' : `${members} Mitglieder haben E-Mail-Adressen`} in dieser Domain. ${ownWays}`,
    removeUnverifiedEffect: 'Die Domain ist nicht bestätigt, für Mitglieder ändert sich also nichts.',
  },
  activation: {
    title: '4. Einschalten, testen und verlangen',
    addProviderFirst: 'Fügen Sie zuerst den Identitätsanbieter hinzu.',
    noDomain: 'Bestätigen Sie zuerst eine Domain: Ohne Domain kann sich niemand anmelden.',
    enable: 'Einschalten',
    enableHint: 'Mitglieder können weiterhin ihr Passwort oder ihren Passkey verwenden.',
    enabled: 'Single Sign-on eingeschaltet',
    disable: 'Ausschalten',
    disableTitle: 'Single Sign-on ausschalten?',
    disableEffect: `Niemand kann sich mehr über den Identitätsanbieter anmelden, und Single Sign-on wird nicht mehr verlangt. ${ownWays} Sitzungen bleiben aktiv.`,
    disabled: 'Single Sign-on ausgeschaltet',
    test: 'Anmeldung testen',
    testHint:
      'Öffnen Sie die Anmelde-URL in einem privaten Fenster. Sie sind dort danach als der Benutzer angemeldet, den der Identitätsanbieter zurückgibt. Das Ergebnis erscheint hier.',
    signInUrl: 'Anmelde-URL',
    signInHere: 'Mit diesem Browser anmelden',
    require: 'Verlangen',
    requireHint:
      'Mitglieder in einer bestätigten Domain können sich dann nur noch über den Identitätsanbieter anmelden.',
    isRequired: 'Mitglieder in einer bestätigten Domain können sich nur über den Identitätsanbieter anmelden.',
    requireTitle: 'Single Sign-on verlangen?',
    requireNone:
      'Noch hat kein Mitglied eine E-Mail-Adresse in einer bestätigten Domain. Das gilt für künftige Mitglieder.',
    requireMembers: (count, domains) =>
      `${count === 1 ? '1 Mitglied' : `${count} Mitglieder`} mit E-Mail-Adressen in ${domains} ${count === 1 ? 'kann' : 'können'} sich dann nur noch über den Identitätsanbieter anmelden, nicht mit Passwort oder Passkey:`,
    requireUnaffected: (count) =>
      count === 1
        ? '1 Mitglied mit anderer E-Mail-Adresse behält die eigene Anmeldung:'
        : `${count} Mitglieder mit anderen E-Mail-Adressen behalten die eigene Anmeldung:`,
    andMore: (count) => (count === 1 ? 'und 1 weiteres' : `und ${count} weitere`),
    requireSessions: 'Aktive Sitzungen bleiben bis zu ihrem Ablauf, und Tokens funktionieren weiter.',
    untested:
      'Im letzten Tag hat sich niemand über den Identitätsanbieter angemeldet. Testen Sie ihn zuerst: Wenn er nicht funktioniert, kann nur der Betreiber des Servers den Zugriff wiederherstellen.',
    required: 'Single Sign-on ist jetzt erforderlich',
    stopRequiring: 'Nicht mehr verlangen',
    stopRequiringTitle: 'Single Sign-on nicht mehr verlangen?',
    stopRequiringEffect:
      'Mitglieder können sich auch mit Passwort oder Passkey anmelden. Der Identitätsanbieter bleibt verbunden.',
    stoppedRequiring: 'Single Sign-on wird nicht mehr verlangt',
    recoveryHint: 'Wenn der Identitätsanbieter ausfällt, kann der Betreiber des Servers den Zugriff wiederherstellen:',
  },
  connectionTest: {
    title: 'Verbindung testen',
    hint: 'Liest den Anbieter und seine Schlüssel und prüft das Client-Secret. Niemand wird angemeldet.',
    action: 'Verbindung testen',
    checks: { discovery: 'Discovery-Dokument', keys: 'Signaturschlüssel', client: 'Client-ID und Client-Secret' },
    results: { passed: 'Bestanden', failed: 'Fehlgeschlagen', unknown: 'Unbekannt' },
  },
  attempts: {
    title: 'Anmeldungen im letzten Tag',
    hint: 'Erfolgreiche und fehlgeschlagene Anmeldungen über den Identitätsanbieter.',
    none: 'Noch keine Anmeldungen.',
    signedIn: (name) => `${name} hat sich angemeldet`,
    failed: 'Fehlgeschlagen',
    waiting: 'Warten auf eine Anmeldung …',
    stoppedWaiting: 'Warten beendet.',
    refresh: 'Aktualisieren',
    trail: 'Das Audit-Protokoll enthält alle.',
    reasons: {
      unreadable: 'Die SAML-Antwort ist nicht lesbar.',
      status: 'Der Identitätsanbieter meldet einen Fehler.',
      unsigned: 'Die Antwort ist nicht signiert. Signieren Sie Assertion oder Antwort.',
      wrapped: 'Die Signatur deckt nicht die ganze Antwort ab.',
      algorithm: 'Die Antwort muss mit RSA und SHA-256 oder besser signiert und darf nicht verschlüsselt sein.',
      signature: 'Die Signatur passt zu keinem Zertifikat. Fügen Sie das aktuelle hinzu.',
      issuer: 'Der Aussteller entspricht nicht der eingegebenen Entity-ID.',
      destination: 'Falsches Ziel. Prüfen Sie die URL des Assertion Consumer Service.',
      audience: 'Falscher Empfängerkreis (Audience). Prüfen Sie unsere Entity-ID beim Identitätsanbieter.',
      recipient: 'Falscher Empfänger. Prüfen Sie die URL des Assertion Consumer Service.',
      expired: 'Die Antwort ist abgelaufen. Vergleichen Sie die Uhren.',
      not_yet_valid: 'Die Antwort ist noch nicht gültig. Vergleichen Sie die Uhren.',
      request: 'Die Antwort gehört zu keiner unserer Anfragen. Beginnen Sie bei der Anmelde-URL, nicht im Portal.',
      browser: 'Die Antwort kam in einem anderen Browser an, oder Cookies sind blockiert.',
      replayed: 'Die Antwort wurde bereits verwendet.',
      subject: 'Die NameID fehlt oder ändert sich jedes Mal. Verwenden Sie eine dauerhafte NameID (persistent).',
      email: 'Die Antwort enthält keine E-Mail-Adresse. Senden Sie sie als „email“ oder „mail“.',
      domain: 'Die E-Mail-Adresse gehört zu keiner bestätigten Domain.',
      account_locked: 'Das Konto ist gesperrt.',
      organization_locked: 'Die Organisation ist gesperrt, deshalb kann niemand beitreten.',
      configuration_changed: 'Die Verbindung wurde während der Anmeldung geändert.',
    },
    oidcReasons: {
      unreadable: 'Die Antwort des Anbieters ist kein gültiges OpenID Connect.',
      algorithm:
        'Das ID-Token muss mit einem Schlüsselpaar signiert sein (etwa RS256 oder ES256) und darf nicht verschlüsselt sein.',
      signature: 'Die Signatur passt zu keinem Schlüssel des Anbieters.',
      issuer: 'Der Aussteller entspricht nicht dem eingegebenen.',
      audience: 'Das ID-Token ist für einen anderen Client. Prüfen Sie die Client-ID.',
      expired: 'Das ID-Token ist abgelaufen. Vergleichen Sie die Uhren.',
      not_yet_valid: 'Das ID-Token ist noch nicht gültig. Vergleichen Sie die Uhren.',
      subject: 'Das ID-Token enthält keine Person (sub), oder der Userinfo-Endpunkt nennt eine andere.',
      email: 'In den Angaben des Anbieters fehlt die E-Mail-Adresse. Prüfen Sie Scopes und Claims.',
      nonce: 'Das ID-Token gehört nicht zu dieser Anmeldung.',
      code: 'Der Anbieter hat unseren Code, die Client-ID oder das Client-Secret abgelehnt.',
      unreachable: 'Der Anbieter hat nicht richtig geantwortet. Testen Sie die Verbindung.',
      email_unverified: 'Der Anbieter bezeichnet die E-Mail-Adresse nicht als bestätigt.',
      hosted_domain: 'Das Google-Konto wird nicht von einer bestätigten Domain Ihrer Organisation verwaltet.',
    },
  },
  remove: {
    title: 'Verbindung entfernen',
    hint: 'Um den Identitätsanbieter zu wechseln, ersetzen Sie stattdessen oben die Metadaten. Ihre Domains bleiben in jedem Fall.',
    action: 'Entfernen',
    confirmTitle: (entity) => `${entity} entfernen?`,
    confirm: `Niemand kann sich mehr darüber anmelden, und die Verknüpfungen mit Konten werden gelöscht. ${ownWays} Konten und Domains bleiben.`,
    removed: 'Verbindung entfernt',
  },
};

export const expiring: Texts['expiring'] = {
  title: 'Läuft ab',
  hint: {
    mailed: `Maintainer erhalten ${listWarningDays('und')} Tage vorher eine E-Mail.`,
    unmailed: 'Dieser Server verschickt keine E-Mails und erinnert deshalb niemanden.',
  },
  within: 'Läuft ab innerhalb von',
  days: (days) => (days === 366 ? '1 Jahr' : `${days} Tage`),
  type: 'Profil oder Zertifikat',
  expires: 'Läuft ab',
  channel: 'Kanal',
  build: 'Build',
  lastEmail: 'Letzte E-Mail',
  kinds: { profile: 'Bereitstellungsprofil', certificate: 'Zertifikat' },
  expired: 'Abgelaufen',
  daysLeft: (days) => (days === 0 ? 'Heute' : days === 1 ? 'Noch 1 Tag' : `Noch ${days} Tage`),
  nextStep:
    'Signieren Sie einen neuen Build mit erneuertem Profil oder Zertifikat und geben Sie ihn frei. Auf iOS öffnen sich installierte Builds nach dem Ablauf nicht mehr.',
  noneTitle: 'Nichts läuft demnächst ab',
  none: (days) =>
    `Kein aktueller Build hat ein Profil oder Zertifikat, das innerhalb von ${days === 366 ? 'einem Jahr' : `${days} Tagen`} abläuft.`,
};
