// Chooses the language of the app.
import { NativeSelect } from '@mantine/core';
import { type Language, languageNames, languages, useSpeech } from '../texts/languages.ts';

/** A small choice. `onChosen` is told, so that an account can keep it. */
export function LanguageSwitch({ onChosen }: { onChosen?: (language: Language) => void }) {
  const { language, texts, setLanguage } = useSpeech();
  return (
    <NativeSelect
      size="xs"
      aria-label={texts.shell.language}
      value={language}
      data={languages.map((value) => ({ value, label: languageNames[value] }))}
      onChange={({ currentTarget: { value } }) => {
        const chosen = languages.find((one) => one === value);
        if (chosen === undefined) return;
        setLanguage(chosen);
        onChosen?.(chosen);
      }}
    />
  );
}
