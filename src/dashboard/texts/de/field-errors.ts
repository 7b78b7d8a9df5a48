// The server's messages about fields, in German. Those that people meet in forms are here; others are shown in English.
import type { Texts } from '../en.ts';

const harderToGuess = (reason: string) => `Wählen Sie ein Passwort, das schwerer zu erraten ist: ${reason}`;

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
  ofMessage(message) {
    const found = texts.find(([pattern]) => pattern.test(message));
    return found && message.replace(...found);
  },
};
