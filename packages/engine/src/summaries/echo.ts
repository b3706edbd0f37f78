/** This many words of the instruction in a row are not a coincidence. */
const RUN = 8;
/** Words with which an answer and the instruction would both begin. */
const LEAD = 5;
/** Shorter runs count by their share of the answer: a good summary may repeat the titles of its sections. */
const SHORT_RUN = 4;
const MOST_SHARE = 0.5;
/** Fewer words may well be in two summaries. */
const LEAST_WORDS = 30;

/** The prompt: how it begins, its rules, the titles of sections, and the summary to update. */
interface Asked {
  readonly leads: readonly string[];
  readonly rules: readonly string[];
  readonly titles: readonly string[];
  readonly previous: string;
}

/** What an answer repeats of the prompt instead of summarizing; undefined if nothing. Pure. */
export function echoOf(answer: string, { leads, rules, titles, previous }: Asked): string | undefined {
  const words = wordsOf(answer);
  const runs = runsOf([...leads, ...rules], RUN);
  const isLed = leads.some((lead) => runAt(wordsOf(lead), 0, LEAD) === runAt(words, 0, LEAD));
  const isRun = words.some((_, i) => runs.has(runAt(words, i, RUN)));
  if (isLed || isRun || isMostly(words, runsOf([...leads, ...rules, ...titles], SHORT_RUN)))
    return 'the answer repeats the instruction';
  const isOld = words.length >= LEAST_WORDS && ` ${wordsOf(previous).join(' ')} `.includes(` ${words.join(' ')} `);
  return isOld ? 'the answer repeats the previous summary' : undefined;
}

function isMostly(words: readonly string[], runs: ReadonlySet<string>): boolean {
  const repeated = words.map(() => false);
  words.forEach((_, i) => {
    if (runs.has(runAt(words, i, SHORT_RUN))) repeated.fill(true, i, i + SHORT_RUN);
  });
  return repeated.filter(Boolean).length > MOST_SHARE * words.length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function runAt(words: readonly string[], at: number, length: number): string {
  return words.slice(at, at + length).join(' ');
}

function runsOf(texts: readonly string[], length: number): Set<string> {
  const runs = texts.map(wordsOf).flatMap((words) => words.slice(length - 1).map((_, i) => runAt(words, i, length)));
  return new Set(runs);
}
