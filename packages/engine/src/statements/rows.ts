import { wordsOf } from './words.ts';

/** How a row of a plan, or a line of progress, opens. */
export interface RowOpening {
  /** How many words it has. */
  readonly words: number;
  /** True if the rest of the sentence is set off from it. */
  readonly ends: boolean;
}

/** "Step 3 of 9: …", "[3/9] …", "Reading file 3 of 9." */
const COUNTED =
  /^[*_\s]*(?:\p{L}+\s+){0,3}(?:[[(]\d+\s*\/\s*\d+[\])]|(?:\d+(?:\s*\/\s*|\s(?:of|out of|von|de|sur|из)\s)\d+|\d+\s?%)(?!\w))(?<end>[*_]*\s?(?:[:：.,–—-]|$)|(?<=[\])]))?/iu;
/** "Phase 3: …". With more numbers, it may be a measurement. */
const LABELLED = /^[*_\s]*\p{L}+\s\d+[*_]*(?<end>[:：]|\s[–—-])(?!.*\d)/u;

/** The opening of a sentence that counts where somebody is in a plan; undefined for any other sentence. Pure. */
export function rowOpening(sentence: string): RowOpening | undefined {
  const found = COUNTED.exec(sentence) ?? LABELLED.exec(sentence);
  return found ? { words: wordsOf(found[0]).words.length, ends: found.groups?.end !== undefined } : undefined;
}
