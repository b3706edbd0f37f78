import type { Language } from '../language.ts';
import { english } from './english.ts';

/** Every language whose statements are found; a new one is a file like these and a line here. */
export const LANGUAGES: readonly Language[] = [english];
