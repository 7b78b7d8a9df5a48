// Selects the language of the app.
import { type Language, languageNames, languages } from '../../languages.ts';
import { useLocale } from '../texts/locale.ts';

/** Renders the selection. `onChosen` is called after a change, for example to save it to the account. */
export function LanguageSwitch({ onChosen }: { onChosen?: (language: Language) => void }) {
  const { language, texts, setLanguage } = useLocale();
  return (
    <select
      className="tw-small-select"
      aria-label={texts.shell.language}
      value={language}
      onChange={({ currentTarget: { value } }) => {
        const chosen = languages.find((one) => one === value);
        if (chosen === undefined) return;
        setLanguage(chosen);
        onChosen?.(chosen);
      }}
    >
      {languages.map((one) => (
        <option key={one} value={one}>
          {languageNames[one]}
        </option>
      ))}
    </select>
  );
}
