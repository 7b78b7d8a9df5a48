// Chooses the language of the app.
import { type Language, languageNames, languages } from '../../languages.ts';
import { useSpeech } from '../texts/languages.ts';

/** A small choice. `onChosen` is told, so that an account can keep it. */
export function LanguageSwitch({ onChosen }: { onChosen?: (language: Language) => void }) {
  const { language, texts, setLanguage } = useSpeech();
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
