// Settings of an organization, in German.
import type { Texts } from '../en.ts';

const ownWays =
  'Mitglieder nehmen wieder ihr eigenes Passwort oder ihren Passkey; wer keines hat, lässt sich per Mail ein neues Passwort geben.';

export const settings: Texts['settings'] = {
  title: 'Einstellungen',
  tabs: { general: 'Allgemein', security: 'Sicherheit', sso: 'Single Sign-on' },
  refusedTitle: 'Um die Einstellungen kümmert sich die Verwaltung',
  refusedText: 'Das sind:',
  icon: 'Bild',
  iconHint: 'PNG, JPEG oder WebP bis 1 MB.',
  general: 'Allgemein',
  name: 'Name',
  identifier: 'Organisations-ID',
  plan: 'Tarif',
  plans: { team: 'Team', business: 'Business' },
  role: 'Eigene Rolle',
  created: 'Angelegt',
  leave: {
    title: 'Übergeben und verlassen',
    hint: 'Die Organisation gehört allen in der Verwaltung gemeinsam. Wer sie übernimmt, bekommt erst die Rolle Verwaltung; danach kann man gehen oder die eigene Rolle senken.',
    members: 'Zu den Mitgliedern',
    last: 'Außer dieser Person ist niemand in der Verwaltung: erst jemand anderem die Rolle geben.',
    alone: 'Sonst ist niemand darin. Jemanden einladen, der sie übernimmt, oder sie löschen.',
    action: 'Organisation verlassen',
    confirmTitle: (name) => `${name} verlassen?`,
    confirm: (name) =>
      `Der Zugang zu ${name} und ihren Projekten endet sofort, und eigene Tokens wirken dort nicht mehr. Zurück geht es nur mit einer neuen Einladung.`,
  },
  deletion: {
    title: 'Löschen',
    hint: 'Eine Organisation kann gelöscht werden, wenn sie keine Projekte mehr hat.',
    projects: (count) =>
      count === 1
        ? 'Sie hat noch 1 Projekt. Es muss zuerst weg:'
        : `Sie hat noch ${count} Projekte. Sie müssen zuerst weg:`,
    action: 'Organisation löschen',
    confirmTitle: (name) => `${name} löschen?`,
    confirm: (members) =>
      `${members === 1 ? 'Sie ist' : `Für alle ${members} Mitglieder ist sie`} sofort weg. Tester, Gruppen, Geräte, Webhooks, Tokens und die Verbindung zu einem Identitätsanbieter gehen mit; Konten bleiben. Das lässt sich nicht zurücknehmen.`,
  },
  security: {
    admins: 'Verwaltung',
    adminsHint: 'Entscheidet über Mitglieder, Rollen, Anmeldung und alles andere hier.',
    oneAdmin:
      'Nur eine Person ist in der Verwaltung. Eine zweite sorgt dafür, dass ein verlorenes Konto niemanden aussperrt.',
    signIn: 'Wie sich Mitglieder anmelden',
    ssoAbsent: 'Mit eigenem Passwort oder Passkey. Kein Identitätsanbieter ist verbunden.',
    ssoDisabled: 'Mit eigenem Passwort oder Passkey. Ein Identitätsanbieter ist verbunden und ausgeschaltet.',
    ssoEnabled: 'Über den Identitätsanbieter oder mit eigenem Passwort oder Passkey.',
    ssoRequired: 'Mitglieder einer bestätigten Domain nur über den Identitätsanbieter, alle anderen mit ihrem eigenen.',
    toSso: 'Single Sign-on',
    trail: 'Wer sich angemeldet hat, wer abgewiesen wurde und wer was geändert hat, steht im Protokoll.',
    toTrail: 'Zum Protokoll',
    terminal: 'Nur im Terminal',
    terminalHint:
      'Dafür gibt es absichtlich keine Seite. TAXIWAY_TOKEN ist ein Token aus der Verwaltung: wo nichts anderes steht, genügt ein persönliches mit allen Rechten.',
    mfa: 'Von allen Mitgliedern einen zweiten Faktor verlangen. Die Frist ist in Tagen; mit required false gilt es nicht mehr.',
    tokens: 'Alle persönlichen Zugriffstokens der Organisation; braucht das Zugriffstoken einer Anmeldung.',
    revoke: 'Eines davon widerrufen, wem es auch gehört; braucht das Zugriffstoken einer Anmeldung.',
  },
};

export const sso: Texts['sso'] = {
  hint: 'Mitglieder melden sich über den SAML-2.0-Identitätsanbieter der Organisation an.',
  states: { absent: 'Nicht eingerichtet', disabled: 'Ausgeschaltet', enabled: 'Eingeschaltet', required: 'Verlangt' },
  planRefusal: (plan) =>
    `Single Sign-on gehört nicht zum Tarif ${plan}. Was ein Tarif enthält, entscheidet der Betreiber des Servers. Schon Eingerichtetes wirkt weiter und lässt sich ausschalten und entfernen.`,
  ours: {
    title: '1. Dem Identitätsanbieter von Taxiway sagen',
    hint: 'Dort unsere Metadaten laden oder dies eintippen. Er muss eine bleibende NameID und die E-Mail-Adresse senden und mit RSA und SHA-256 oder besser signieren.',
    download: 'Unsere Metadaten herunterladen',
    entityId: 'Entity-ID',
    acsUrl: 'Assertion Consumer Service (HTTP-POST)',
    sloUrl: 'Single Logout (HTTP-Redirect)',
    certificate: 'Zertifikat, mit dem unsere Anfragen signiert sind',
    copyable: 'Base64, wie es in Metadaten steht',
  },
  theirs: {
    title: '2. Taxiway vom Identitätsanbieter sagen',
    hint: 'Seine Metadaten sagen alles. Ersetzen ändert weder Schalter noch Domains.',
    kind: 'Wie',
    kinds: { metadata: 'Metadaten', fields: 'Einzeln' },
    metadata: 'Metadaten (XML)',
    metadataHint: 'Einfügen oder die Datei wählen.',
    file: 'Datei wählen',
    isAddress: 'Hier liegen die Metadaten. Öffnen und einfügen, was dort steht, oder sichern und die Datei wählen.',
    openAddress: 'Adresse öffnen',
    entityId: 'Entity-ID',
    ssoUrl: 'Adresse zum Anmelden (HTTP-Redirect)',
    sloUrl: 'Adresse zum Abmelden (HTTP-Redirect)',
    certificates: 'Zertifikate zum Signieren',
    certificatesHint: 'PEM oder Base64, untereinander. Altes und neues zusammen eintragen, um ohne Lücke zu wechseln.',
    replace: 'Ersetzen',
    changed: 'Geändert',
    certificate: 'Zertifikat',
    fingerprint: 'SHA-256-Fingerabdruck',
    ends: 'endet',
    ended: 'endete',
    endingHint:
      'Antworten werden auch nach dem Ende eines Zertifikats angenommen, weil es von Hand eingetragen wurde. Beim Identitätsanbieter erfragen, ob er dann den Schlüssel wechselt, und den neuen neben den alten setzen.',
  },
  domains: {
    title: '3. Zeigen, welche Domains eigene sind',
    hint: 'Nur Adressen in einer bestätigten Domain kommen herein. Eine Domain gilt nicht für Namen darunter.',
    domain: 'Domain',
    claim: 'Hinzufügen',
    none: 'Noch keine. Ohne eine kommt niemand herein.',
    taken: 'Diese Domain steht schon in der Liste',
    verified: 'Bestätigt',
    waiting: 'Nicht bestätigt',
    record: 'Diesen TXT-Eintrag dort setzen, wo die Domain verwaltet wird:',
    recordName: 'Name',
    recordValue: 'Wert',
    check: 'Jetzt prüfen',
    checking: 'Wird geprüft … das geht zehn Minuten von selbst weiter.',
    missing: 'Der Eintrag ist noch nicht da. Ein neuer wird oft erst nach einer Weile gesehen.',
    unanswered: 'Die Nameserver haben nicht geantwortet.',
    over: 'In zehn Minuten nicht gesehen. Neue Einträge brauchen manchmal Stunden: später wieder prüfen, es geht nichts verloren.',
    byOperator: 'Ohne ein solches DNS bestätigt der Betreiber die Domain auf dem Server:',
    verifiedNow: (domain) => `${domain} ist bestätigt`,
    heldElsewhere: 'Eine andere Organisation hält diese Domain. Sie muss sie erst aufgeben.',
    remove: 'Aufgeben',
    removeOf: (domain) => `${domain} aufgeben`,
    removeTitle: (domain) => `${domain} aufgeben?`,
    removeEffect: (members) =>
      members === 0
        ? 'Niemand mit einer Adresse darin kommt mehr über den Identitätsanbieter herein.'
        : `${members === 1 ? '1 Mitglied hat eine Adresse' : `${members} Mitglieder haben Adressen`} darin. ${ownWays}`,
    removeWaiting: 'Sie war nicht bestätigt, also ändert sich für niemanden etwas.',
  },
  use: {
    title: '4. Einschalten, ausprobieren, verlangen',
    first: 'Erst den Identitätsanbieter eintragen.',
    noDomain: 'Erst eine Domain bestätigen: ohne eine kommt niemand herein.',
    enable: 'Einschalten',
    enableHint: 'Es ist ein weiterer Weg zur Anmeldung. Niemand verliert den eigenen.',
    enabled: 'Single Sign-on ist eingeschaltet',
    disable: 'Ausschalten',
    disableTitle: 'Single Sign-on ausschalten?',
    disableEffect: `Niemand kann sich mehr über den Identitätsanbieter anmelden, und er wird nicht mehr verlangt. ${ownWays} Sitzungen bleiben offen.`,
    disabled: 'Single Sign-on ist ausgeschaltet',
    try: 'Ausprobieren',
    tryHint:
      'Die Anmeldung in einem privaten Fenster öffnen: dort ist man danach als die Person angemeldet, die der Identitätsanbieter nennt. Was daraus wird, erscheint hier.',
    login: 'Adresse zum Anmelden',
    open: 'Mit diesem Browser anmelden',
    require: 'Verlangen',
    requireHint: 'Mitglieder in einer bestätigten Domain melden sich dann nur noch über den Identitätsanbieter an.',
    isRequired: 'Mitglieder in einer bestätigten Domain melden sich nur über den Identitätsanbieter an.',
    requireTitle: 'Single Sign-on verlangen?',
    requireNobody: 'Noch hat kein Mitglied eine Adresse in einer bestätigten Domain. Es gilt für alle, die kommen.',
    requireMembers: (count, domains) =>
      `${count === 1 ? '1 Mitglied' : `${count} Mitglieder`} mit Adressen in ${domains} nur noch über den Identitätsanbieter; Passwort und Passkey werden abgelehnt:`,
    requireGuests: (count) =>
      count === 1
        ? '1 Mitglied mit anderer Adresse behält die eigene Anmeldung:'
        : `${count} Mitglieder mit anderen Adressen behalten die eigene Anmeldung:`,
    andMore: (count) => `und ${count} weitere`,
    requireRest: 'Offene Sitzungen bleiben bis zu ihrem Ende, und Tokens wirken weiter.',
    untried:
      'Seit gestern ist niemand darüber hereingekommen. Erst ausprobieren: wenn es nicht geht, kann nur der Betreiber des Servers wieder öffnen.',
    required: 'Single Sign-on wird verlangt',
    release: 'Nicht mehr verlangen',
    releaseTitle: 'Single Sign-on nicht mehr verlangen?',
    releaseEffect:
      'Mitglieder können sich auch mit eigenem Passwort oder Passkey anmelden. Der Identitätsanbieter bleibt.',
    released: 'Single Sign-on wird nicht mehr verlangt',
    lockedOut: 'Wenn der Identitätsanbieter nicht geht, öffnet der Betreiber des Servers:',
  },
  attempts: {
    title: 'Anmeldungen seit gestern',
    hint: 'Wer über den Identitätsanbieter hereinkam, und warum jemand nicht.',
    none: 'Noch keine.',
    cameIn: (name) => `${name} kam herein`,
    refused: 'Abgelehnt',
    waiting: 'Wartet auf eine Anmeldung …',
    over: 'Es wird nicht mehr nachgesehen.',
    again: 'Wieder nachsehen',
    trail: 'Alle stehen im Protokoll.',
    reasons: {
      unreadable: 'Was kam, ist keine lesbare SAML-Antwort.',
      status: 'Der Identitätsanbieter sagt, dass es nicht ging.',
      unsigned: 'Nichts ist signiert. Er soll Assertion oder Antwort signieren.',
      wrapped: 'Etwas ist dabei, das die Signatur nicht abdeckt.',
      algorithm: 'Nicht mit RSA und SHA-256 oder besser signiert, oder verschlüsselt.',
      signature: 'Die Signatur passt zu keinem Zertifikat. Das aktuelle eintragen.',
      issuer: 'Sie kommt von einer anderen Entity-ID als der eingetragenen.',
      destination: 'Sie war für eine andere Adresse. Den Assertion Consumer Service vergleichen.',
      audience: 'Sie war für eine andere Entity-ID. Unsere beim Identitätsanbieter vergleichen.',
      recipient: 'Sie war für eine andere Adresse. Den Assertion Consumer Service vergleichen.',
      expired: 'Sie kam zu spät. Die Uhren vergleichen.',
      not_yet_valid: 'Sie gilt erst später. Die Uhren vergleichen.',
      request: 'Sie antwortet auf keine Anfrage von uns. Bei der Adresse zum Anmelden beginnen, nicht im Portal.',
      browser: 'Sie kam in einem anderen Browser als die Anfrage, oder ohne Cookies.',
      replayed: 'Sie wurde schon benutzt.',
      subject: 'Die NameID fehlt oder wechselt jedes Mal. Sie muss bleiben (persistent).',
      email: 'Es ist keine E-Mail-Adresse dabei. Sie als „email“ oder „mail“ senden.',
      domain: 'Die Adresse liegt in keiner bestätigten Domain.',
      account_locked: 'Das Konto ist gesperrt.',
      configuration_changed: 'Die Verbindung wurde inzwischen geändert.',
    },
  },
  remove: {
    title: 'Verbindung entfernen',
    hint: 'Für einen anderen Identitätsanbieter besser oben ersetzen: die Domains bleiben in jedem Fall.',
    action: 'Entfernen',
    confirmTitle: (entity) => `${entity} entfernen?`,
    confirm: `Niemand kann sich mehr darüber anmelden, und wer darüber hereinkam, ist nicht mehr daran zu erkennen. ${ownWays} Konten und Domains bleiben.`,
    removed: 'Die Verbindung ist entfernt',
  },
};

export const expiring: Texts['expiring'] = {
  title: 'Läuft ab',
  hint: {
    mailed:
      'Profile und Zertifikate der aktuellen Builds, die frühesten zuerst. Wer ein Projekt betreut, erhält 60, 30, 15, 7 und 1 Tage vorher eine E-Mail.',
    unmailed:
      'Profile und Zertifikate der aktuellen Builds, die frühesten zuerst. Dieser Server verschickt keine E-Mails und erinnert deshalb niemanden.',
  },
  within: 'Endet innerhalb von',
  days: (days) => (days === 366 ? '1 Jahr' : `${days} Tagen`),
  what: 'Was',
  ends: 'Endet',
  where: 'Kanal',
  build: 'Build',
  warned: 'Letzte Mail',
  kinds: { profile: 'Provisioning-Profil', certificate: 'Zertifikat' },
  expired: 'Abgelaufen',
  daysLeft: (days) => (days === 0 ? 'Heute' : days === 1 ? 'Noch 1 Tag' : `Noch ${days} Tage`),
  next: 'Einen neuen Build mit erneuertem Profil oder Zertifikat signieren und freigeben. Auf iOS öffnen sich installierte Builds nicht mehr, wenn ihres endet.',
  noneTitle: 'So bald endet nichts',
  none: (days) =>
    `Kein Kanal liefert einen Build aus, dessen Profil oder Zertifikat innerhalb von ${days === 366 ? 'einem Jahr' : `${days} Tagen`} endet.`,
  notice: {
    title: (ended, soon) => {
      const ends = `${soon} ${soon === 1 ? 'Signatur endet' : 'Signaturen enden'} innerhalb von 30 Tagen`;
      if (ended === 0) return ends;
      const gone = `${ended} ${ended === 1 ? 'Signatur ist' : 'Signaturen sind'} abgelaufen`;
      return soon === 0 ? gone : `${gone}, ${ends}`;
    },
    first: (what, project, channel, hasEnded) =>
      `${what} signiert, was ${channel} von ${project} ausliefert, und ${hasEnded ? 'endete' : 'endet'}`,
    show: 'Zeigen, was endet',
  },
};
