// The texts of the enrollment pages by language.
import type { Catalog } from '../../languages.ts';
import { german } from './de.ts';
import { english } from './en.ts';
import type { DeviceTexts } from './texts.ts';

export const deviceTexts: Catalog<DeviceTexts> = { en: english, de: german };
