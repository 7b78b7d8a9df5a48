// The server's messages about fields, in German. Those that people meet in forms are here; others are shown in English.
import type { Texts } from '../en.ts';

const harderToGuess = (reason: string) => `Wählen Sie ein Passwort, das schwerer zu erraten ist: ${reason}`;

const unusable = (reason: string) => `Der Anbieter kann nicht verwendet werden: ${reason}`;

const texts: readonly [message: RegExp, text: string][] = [
  [/^String should have at most (\d+) characters?$/, 'Höchstens $1 Zeichen'],
  [/^List should have at most (\d+) items?$/, 'Höchstens $1 Einträge'],
  [/^List should have at least (\d+) items?$/, 'Mindestens $1'],
  [/^Input should be greater than or equal to (-?\d+)$/, 'Mindestens $1'],
  [/^Input should be less than or equal to (-?\d+)$/, 'Höchstens $1'],
  [/^Input should be a valid (?:integer|number)$/, 'Geben Sie eine Zahl ein'],
  [/^Input should be an? (?:valid )?email address$/, 'Geben Sie eine gültige E-Mail-Adresse ein'],
  [/^Input should differ from the current email address$/, 'Geben Sie eine andere als die jetzige E-Mail-Adresse ein'],
  [/^Input should be a valid date(?: and time)?$/, 'Geben Sie ein gültiges Datum ein'],
  [/^Input should be in the future$/, 'Muss in der Zukunft liegen'],
  [/^Input should (?:not be empty|have visible characters)$/, 'Erforderlich'],
  [/^Input should be one line(?: without control characters)?$/, 'Nur eine Zeile'],
  [
    /^Input should not contain characters that change the direction of text$/,
    'Zeichen, die die Schreibrichtung ändern, sind nicht erlaubt',
  ],
  [/^Input should be a valid URL$/, 'Geben Sie eine gültige URL ein'],
  [
    /^Input should be a URL without spaces, control characters and backslashes$/,
    'Geben Sie eine URL ohne Leerzeichen, Steuerzeichen und Backslashes ein',
  ],
  [
    /^Input should be a URL with exactly two slashes after http: or https:$/,
    'Nach http: oder https: müssen genau zwei Schrägstriche stehen',
  ],
  [
    /^Input should be an http or https URL without user and fragment$/,
    'Geben Sie eine URL mit http oder https ohne Benutzernamen und Fragment ein',
  ],
  [
    /^Input should be (?:an http or https|a) URL without (?:a )?user name (?:or|and) password$/,
    'Geben Sie eine URL ohne Benutzernamen und Passwort ein',
  ],
  [/^Input should be an https URL without query$/, 'Geben Sie eine URL mit https und ohne Abfrage ein'],
  [/^Input should be a domain such as example\.com$/, 'Geben Sie eine Domain wie example.com ein'],
  [
    /^Input should be a bundle identifier such as com\.example\.app$/,
    'Geben Sie eine App-Kennung wie com.example.app ein',
  ],
  [/^Input should be a package name such as com\.example\.app$/, 'Geben Sie einen Paketnamen wie com.example.app ein'],
  [
    /^Input should be the metadata of one SAML 2\.0 identity provider$/,
    'Geben Sie die Metadaten eines Identitätsanbieters für SAML 2.0 ein',
  ],
  [
    /^Input should be SAML metadata in XML without document type or CDATA \(.+\)$/,
    'Geben Sie SAML-Metadaten als XML ohne Dokumenttyp und CDATA ein',
  ],
  [/^Input should be readable metadata$/, 'Geben Sie lesbare Metadaten ein'],
  [
    /^Input should name a SingleSignOnService with the binding HTTP-Redirect$/,
    'Die Metadaten müssen einen SingleSignOnService mit dem Binding HTTP-Redirect nennen',
  ],
  [/^Input should contain a signing certificate$/, 'Die Metadaten müssen ein Signaturzertifikat enthalten'],
  [/^Input should contain a valid (\w+)$/, 'Die Metadaten müssen einen gültigen Wert für $1 enthalten'],
  [
    /^Input should be a certificate of an RSA key of at least (\d+) bits$/,
    'Geben Sie ein Zertifikat eines RSA-Schlüssels mit mindestens $1 Bit ein',
  ],
  [/^Input should be the issuer, without \/\.well-known\/…$/, 'Geben Sie den Aussteller ohne /.well-known/… ein'],
  [
    /^The provider can't be used: its issuer is "(.+)", enter exactly this$/,
    unusable('Sein Aussteller ist „$1“. Geben Sie genau das ein'),
  ],
  [/^The provider can't be used: its issuer is another one$/, unusable('Er hat einen anderen Aussteller')],
  [
    /^The provider can't be used: its discovery document responded with (\d+)$/,
    unusable('Sein Discovery-Dokument antwortet mit Status $1'),
  ],
  [
    /^The provider can't be used: its discovery document isn't valid JSON for OpenID Connect$/,
    unusable('Sein Discovery-Dokument ist kein gültiges JSON für OpenID Connect'),
  ],
  [
    /^The provider can't be used: its discovery document has no (\w+) with https$/,
    unusable('Sein Discovery-Dokument hat kein $1 mit https'),
  ],
  [/^The provider can't be used: its URLs must use https$/, unusable('Seine URLs müssen https verwenden')],
  [
    /^The provider can't be used: it supports PKCE, but not with S256$/,
    unusable('Er unterstützt PKCE, aber nicht mit S256'),
  ],
  [/^Input should be a scope without spaces$/, 'Geben Sie einen Scope ohne Leerzeichen ein'],
  [/^Input should be the name of a claim$/, 'Geben Sie den Namen eines Claims ein'],
  [
    /^Input should be the \.p8 file of the key: a PEM in PKCS #8 with a P-256 key$/,
    'Geben Sie die .p8-Datei des Schlüssels ein: ein PEM in PKCS #8 mit einem P-256-Schlüssel',
  ],
  [/^Input should be 10 letters and digits$/, 'Geben Sie 10 Buchstaben und Ziffern ein'],
  [
    /^Input should be the JSON key file of a service account$/,
    'Geben Sie die JSON-Schlüsseldatei eines Dienstkontos ein',
  ],
  [/^Input should have at most (\d+) bytes$/, 'Höchstens $1 Bytes'],
  [
    /^Input should be the name of a storage account: 3 to 24 of a-z and 0-9$/,
    'Geben Sie den Namen eines Speicherkontos ein: 3 bis 24 Zeichen aus a–z und 0–9',
  ],
  [
    /^Input should be the name of a container: 3 to 63 of a-z, 0-9 and single hyphens$/,
    'Geben Sie den Namen eines Containers ein: 3 bis 63 Zeichen aus a–z, 0–9 und einzelnen Bindestrichen',
  ],
  [/^Input should be ASCII characters without spaces$/, 'Nur ASCII-Zeichen ohne Leerzeichen'],
  [
    /^Input should be 40 hexadecimal digits, or 8, a hyphen and 16$/,
    'Geben Sie 40 Hexadezimalziffern ein, oder 8, einen Bindestrich und 16',
  ],
  [
    /^Input should have each label once, in any case$/,
    'Jedes Label darf nur einmal vorkommen, auch mit anderer Groß- und Kleinschreibung',
  ],
  [/^Input should be one certificate$/, 'Geben Sie genau ein Zertifikat ein'],
  [/^Input should be a certificate in PEM or base64$/, 'Geben Sie ein Zertifikat als PEM oder Base64 ein'],
  [
    /^Choose a password that's harder to guess: it repeats the same few characters$/,
    harderToGuess('Es wiederholt dieselben Zeichen'),
  ],
  [
    /^Choose a password that's harder to guess: it is a sequence of the keyboard or the alphabet$/,
    harderToGuess('Es ist eine Folge der Tastatur oder des Alphabets'),
  ],
  [
    /^Choose a password that's harder to guess: it is one of the most common passwords$/,
    harderToGuess('Es gehört zu den häufigsten'),
  ],
  [
    /^Choose a password that's harder to guess: it consists of the name or email address of the account$/,
    harderToGuess('Es besteht aus Name oder E-Mail-Adresse des Kontos'),
  ],
];

export const fieldErrors: Texts['fieldErrors'] = {
  notAllowed: (reason) => `Nicht erlaubt: ${reason}`,
  emailAddress: 'Geben Sie eine gültige E-Mail-Adresse ein',
  fieldCodes: { already_exists: 'Bereits vergeben' },
  fields: {
    missing: 'Erforderlich',
    uuid_parsing: 'Keine gültige ID',
    string_too_short: 'Erforderlich',
    permission_denied: 'Falsch. Versuchen Sie es erneut.',
  },
  unusable,
  ofMessage(message) {
    const found = texts.find(([pattern]) => pattern.test(message));
    return found && message.replace(...found);
  },
};
