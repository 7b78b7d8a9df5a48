// Texts of field errors.
import { describe, expect, it } from 'vitest';
import { changedFields, describeFieldError } from '../../src/dashboard/components/form.tsx';
import { de } from '../../src/dashboard/texts/de.ts';
import { en } from '../../src/dashboard/texts/en.ts';
import { findWeakness } from '../../src/developers/weak-passwords.ts';

const tooShort = (least: number) => ({
  field: 'password',
  type: 'string_too_short',
  message: `String should have at least ${least} character${least === 1 ? '' : 's'}`,
});

describe('a changed form', () => {
  it('sends the fields that differ from the saved ones, lists by their items', () => {
    const saved = { name: 'beta', description: 'old', public: true, events: ['build.uploaded'] };
    expect(changedFields({ ...saved, events: [...saved.events] }, saved)).toEqual({});
    const body = { ...saved, description: null, public: false, events: [] };
    expect(changedFields<object>(body, saved)).toEqual({ description: null, public: false, events: [] });
  });
});

describe('a field error', () => {
  it('shows the minimum length, or that the field is required', () => {
    expect(describeFieldError(tooShort(12), en)).toBe('At least 12 characters');
    expect(describeFieldError(tooShort(12), de)).toBe('Mindestens 12 Zeichen');
    expect(describeFieldError(tooShort(1), en)).toBe('Required');
    expect(describeFieldError({ field: 'name', type: 'missing', message: 'Field required' }, en)).toBe('Required');
  });

  it('has a text for email addresses', () => {
    const message = 'Input should be a valid email address';
    const problem = { field: 'email', type: 'string_pattern_mismatch', message };
    expect([en, de].map((texts) => describeFieldError(problem, texts))).toEqual([
      'Enter a valid email address',
      'Geben Sie eine gültige E-Mail-Adresse ein',
    ]);
  });

  it('has a text for values that are taken', () => {
    const problem = { field: 'slug', type: 'already_exists', message: 'Another channel uses the short address beta' };
    expect([en, de].map((texts) => describeFieldError(problem, texts))).toEqual(['Already taken', 'Bereits vergeben']);
  });

  it.each([
    ['Input should be a valid URL', 'Geben Sie eine gültige URL ein'],
    ['String should have at most 200 characters', 'Höchstens 200 Zeichen'],
    ['Input should be less than or equal to 90', 'Höchstens 90'],
    ["The provider can't be used: not reached", 'Der Anbieter kann nicht verwendet werden: Nicht erreicht'],
    [
      `The provider can't be used: its issuer is "https://login.example.com/", enter exactly this`,
      'Der Anbieter kann nicht verwendet werden: Sein Aussteller ist „https://login.example.com/“. Geben Sie genau das ein',
    ],
    [
      'Input should be SAML metadata in XML without document type or CDATA (text outside the root)',
      'Geben Sie SAML-Metadaten als XML ohne Dokumenttyp und CDATA ein',
    ],
    ['Input should contain a valid sso_url', 'Die Metadaten müssen einen gültigen Wert für sso_url enthalten'],
    [
      'Input should be the .p8 file of the key: a PEM in PKCS #8 with a P-256 key',
      'Geben Sie die .p8-Datei des Schlüssels ein: ein PEM in PKCS #8 mit einem P-256-Schlüssel',
    ],
    [
      'Input should be the name of a container: 3 to 63 of a-z, 0-9 and single hyphens',
      'Geben Sie den Namen eines Containers ein: 3 bis 63 Zeichen aus a–z, 0–9 und einzelnen Bindestrichen',
    ],
    [
      "Choose a password that's harder to guess: it is one of the most common passwords",
      'Wählen Sie ein Passwort, das schwerer zu erraten ist: Es gehört zu den häufigsten',
    ],
  ])('has a German text for what people meet in forms: %s', (message, german) => {
    const problem = { field: 'name', type: 'value_error', message };
    expect([en, de].map((texts) => describeFieldError(problem, texts))).toEqual([message, german]);
  });

  it('has a German text for each weakness of a password', () => {
    const passwords = ['aaaaaaaaaaaa', 'abcdefghijkl', 'password1234', 'ada.lovelace'];
    const weaknesses = passwords.map((password) => findWeakness(password, { email: 'ada.lovelace@example.com' }));
    expect(new Set(weaknesses).size).toBe(passwords.length);
    for (const weakness of weaknesses) {
      const problem = {
        field: 'password',
        type: 'value_error',
        message: `Choose a password that's harder to guess: ${weakness}`,
      };
      expect(describeFieldError(problem, de)).toMatch(/^Wählen Sie ein Passwort/);
    }
  });

  it('is the message of the server if there is no own text', () => {
    const problem = { field: 'password', type: 'value_error', message: 'Input should be harder to guess: it is known' };
    expect([en, de].map((texts) => describeFieldError(problem, texts))).toEqual([problem.message, problem.message]);
  });
});
