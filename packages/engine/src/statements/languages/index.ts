import type { Language } from '../language.ts';
import { chinese } from './chinese.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { japanese } from './japanese.ts';
import { portuguese } from './portuguese.ts';
import { russian } from './russian.ts';
import { spanish } from './spanish.ts';

/** Every language whose statements are found; a new one is a file like these and a name here. */
export const LANGUAGES: readonly Language[] = [
  english,
  german,
  french,
  spanish,
  portuguese,
  russian,
  chinese,
  japanese,
];
