// Loads the texts of the initial load, and the others before the first component that may show them.
import type { Language } from '../../languages.ts';
import type { Texts } from './en.ts';
import { textLoaders } from './loaders.ts';

const RETRY_MS = 2000;

let load: (() => Promise<void>) | undefined;
let loading: Promise<void> | undefined;

/** Returns the texts of a language. Those that load lazily are absent until `completeTexts` resolves. */
export async function loadInitialTexts(language: Language): Promise<Texts> {
  const texts: Partial<Texts> = { ...(await textLoaders[language].initial()) };
  load = async () => void Object.assign(texts, await textLoaders[language].lazy());
  return texts as Texts;
}

/** Returns all texts of a language. */
export async function loadAllTexts(language: Language): Promise<Texts> {
  const [initial, lazy] = await Promise.all([textLoaders[language].initial(), textLoaders[language].lazy()]);
  return { ...initial, ...lazy };
}

/** Resolves when all texts are there. Tries until it succeeds, because components can't be rendered without. */
export function completeTexts(): Promise<void> {
  loading ??= tryUntilLoaded();
  return loading;
}

async function tryUntilLoaded(): Promise<void> {
  for (;;) {
    try {
      await load?.();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Wraps the loader of a component, so that the component has all texts. */
export function withTexts<Module>(loadModule: () => Promise<Module>): () => Promise<Module> {
  return async () => (await Promise.all([loadModule(), completeTexts()]))[0];
}
