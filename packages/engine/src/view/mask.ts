import { isReplaceable, mediaIn, mediaKind } from '../content/blocks.ts';
import { contentText } from '../content/text.ts';
import type { Dialect, Reading, Result } from '../dialect.ts';
import { handleOf, type Revisions } from '../handles/handles.ts';
import { scanNames } from '../names/scan-names.ts';
import { plainLine } from '../quoting/plain-lines.ts';
import { ownText, sliceText } from '../quoting/slice.ts';
import { maskSecrets } from '../secrets/secrets.ts';
import { excerptText, type LineRange } from './excerpt.ts';
import { ARGUMENTS, LONG_ARGUMENT, shortenedArguments } from './mask-arguments.ts';

/** How a message is shortened in the view. `part` is the index of a result in its message, -1 for its own words, or `ARGUMENTS`. */
export interface Cut {
  /** Index of the message in the history. */
  readonly at: number;
  readonly part: number;
  /** Characters that stay of head and tail. */
  readonly chars: number;
  /** Id of the newer call with the same result. */
  readonly same?: string;
  /** Lines that stay instead of head and tail. */
  readonly lines?: readonly LineRange[];
  /** A strategy's own words after the first `chars` characters, instead of head, tail and names. */
  readonly wording?: string;
}

/** The part of a cut that stands for a message's own words. */
export const WORDS = -1;

/** Finds the newest call with the same result; undefined if it is this one or there is none. */
export type Repeats = (content: unknown, id: string) => string | undefined;

/** What every mask is made with. */
export interface Masker<M> {
  readonly dialect: Dialect<M>;
  readonly revisions: Revisions;
}

interface WithCuts {
  readonly cuts: readonly Cut[];
}

/** The cuts of each message, by part. A list of cuts never changes, so it is sorted out once. */
const byMessage = new WeakMap<readonly Cut[], ReadonlyMap<number, Map<number, Cut>>>();

/** The cuts of the message at this index, by part; undefined if it is whole. */
export function cutsAt({ cuts }: WithCuts, at: number): ReadonlyMap<number, Cut> | undefined {
  if (cuts.length === 0) return undefined;
  const known = byMessage.get(cuts);
  if (known) return known.get(at);
  const sorted = new Map<number, Map<number, Cut>>();
  for (const cut of cuts) {
    const own = sorted.get(cut.at) ?? new Map<number, Cut>();
    sorted.set(cut.at, own.set(cut.part, cut));
  }
  byMessage.set(cuts, sorted);
  return sorted.get(at);
}

/** True if this part of the message at this index is shortened. */
export function isCut(turn: WithCuts, at: number, part: number): boolean {
  return cutsAt(turn, at)?.has(part) ?? false;
}

/** Characters of hidden names that a mask lists. From replays: the cheapest way to keep names in view. */
export const MASK_NAMES_CHARS = 400;

/** Characters that stay of the user's words when they are shortened. */
export const WORDS_PREVIEW = 160;

/** Characters of the mask itself: masking must save more. */
const MASK_OVERHEAD = 100;

/** The cuts that shorten this message's results to `chars` each, where that saves something. */
export function cutsOf(reading: Reading, at: number, chars: number, wording?: string, repeats?: Repeats): Cut[] {
  const cuts: Cut[] = [];
  for (let part = 0; part < reading.results.length; part++) {
    const { content, id } = reading.results[part] as Result;
    if (!isWorthMasking(content, chars, wording !== undefined)) continue;
    const same = repeats?.(content, id);
    if (same !== undefined) cuts.push({ at, part, chars: 0, same });
    else cuts.push(wording === undefined ? { at, part, chars } : { at, part, chars, wording });
  }
  return cuts;
}

/** The arguments of those calls that have texts worth a cut to `chars`, with these shortened, by index. */
function shortInputs({ calls }: Reading, chars: number, shorten: (text: string) => string): Map<number, unknown> {
  const longest = Math.max(LONG_ARGUMENT, chars + MASK_OVERHEAD);
  const inputs = calls.map(({ input }, at) => [at, shortenedArguments(input, longest, shorten)] as const);
  return new Map(inputs.filter(([, input]) => input !== undefined));
}

/** Characters that a cut of the arguments to `chars` saves in each text, about. */
export function argumentChars(reading: Reading, chars: number): number[] {
  const saved: number[] = [];
  if (reading.calls[0]?.spoken) return saved;
  shortInputs(reading, chars, (text) => {
    saved.push(text.length - chars - MASK_OVERHEAD);
    return '';
  });
  return saved;
}

function isWorthMasking(content: unknown, chars: number, worded: boolean): boolean {
  if (!isReplaceable(content)) return false;
  const { length } = contentText(content);
  if (worded) return length > chars + MASK_OVERHEAD;
  return length > chars + MASK_OVERHEAD + namesRoom(length, chars) || mediaIn(content) !== '';
}

/** A short result lists few names; one that shows nothing lists none. */
function namesRoom(length: number, chars: number): number {
  return chars === 0 ? 0 : Math.min(MASK_NAMES_CHARS, Math.floor(length / 8));
}

/** A copy of the original message with these cuts, all its own. Pure and deterministic. */
export function applyCuts<M>({ dialect, revisions }: Masker<M>, message: M, at: number, cuts: Iterable<Cut>): M {
  const reading = dialect.read(message);
  const texts = new Map<number, string>();
  let shortened = message;
  for (const cut of cuts) {
    const part = cut.part < 0 || reading.results.length <= 1 ? undefined : cut.part;
    const handle = dialect.handles === false ? undefined : handleOf(at, revisions, part);
    if (cut.part === ARGUMENTS) {
      const inputs = shortInputs(reading, cut.chars, (text) => ownText(preview(text, cut.chars, handle, '')));
      shortened = dialect.maskCalls?.(shortened, inputs) ?? shortened;
    } else if (cut.part < 0) {
      const media = wordsMedia(reading);
      shortened = dialect.maskText(shortened, ownText(preview(dialect.text(message), cut.chars, handle, media)));
    } else if (reading.results.length > 0)
      texts.set(cut.part, ownText(maskedResult(reading.results[cut.part]?.content, cut, handle)));
    // What was answered to a call in words is words, too.
    else shortened = dialect.maskText(shortened, ownText(maskedResult(dialect.text(message), cut, handle)));
  }
  return texts.size === 0 ? shortened : dialect.maskResults(shortened, texts);
}

/** The images and files in a message's own words; results have their own masks. */
function wordsMedia({ mediaSizes, results }: Reading): string {
  if (mediaSizes === undefined) return '';
  const inResults = results.flatMap(({ content }) => (Array.isArray(content) ? content.map(mediaKind) : []));
  const images = mediaSizes.images - inResults.filter((kind) => kind === 'image').length;
  return images > 0 ? `${images} ${images === 1 ? 'image' : 'images'}` : 'attached files';
}

/** Says how to get the whole text back; nothing where no handle is shown. */
function recall(handle: string | undefined, before = ': '): string {
  return handle === undefined ? '' : `${before}recall ${handle}`;
}

function maskedResult(content: unknown, cut: Cut, handle: string | undefined): string {
  if (cut.same !== undefined) return `[same result as the later call ${plainLine(cut.same)}${recall(handle, '; ')}]`;
  const media = mediaIn(content);
  const text = Array.isArray(content) && content.every(mediaKind) ? '' : contentText(content);
  if (cut.wording !== undefined) {
    const also = media === '' ? '' : ` [${media}]`;
    const back = handle === undefined ? '' : ` [recall ${handle}]`;
    return `${sliceText(text, 0, cut.chars)}\n${filled(cut.wording, 'chars', text.length)}${also}${back}`;
  }
  const shown = cut.lines ? excerptText(text, cut.lines, handle, media) : preview(text, cut.chars, handle, media);
  return shown + hiddenNames(text, namesRoom(text.length, cut.chars), cut.lines ? shown : '');
}

/** A wording with its placeholder filled in. */
export function filled(wording: string, placeholder: string, value: number | string): string {
  return wording.split(`{${placeholder}}`).join(String(value));
}

/** The most frequent names in a text for their length: reasons to recall it. */
function hiddenNames(text: string, room: number, shown: string): string {
  if (room === 0) return '';
  const counts = new Map<string, number>();
  scanNames(maskSecrets(text), (name, kind) => {
    if (kind === 'path' || kind === 'name') counts.set(name, (counts.get(name) ?? 0) + 1);
  });
  scanNames(shown, (name) => counts.delete(name));
  const worth = ([name, count]: readonly [string, number]) => count / (name.length + 4);
  const names: string[] = [];
  let chars = 0;
  for (const [name] of [...counts].sort((a, b) => worth(b) - worth(a) || (a[0] < b[0] ? -1 : 1))) {
    chars += name.length + 2;
    if (chars > room) break;
    names.push(name);
  }
  return names.length === 0 ? '' : `\n[it names: ${names.join(', ')}]`;
}

/** Head and tail of a text, cut at line ends if one is near, with the handle and what else there was in between. */
function preview(text: string, chars: number, handle: string | undefined, media: string): string {
  const beside = media === '' ? '' : `, ${media}`;
  if (media !== '' && text.length <= chars) return `${text}${text === '' ? '' : '\n'}[${media}${recall(handle)}]`;
  if (chars === 0) return `[${text.length} characters${beside}${recall(handle)}]`;
  const headEnd = lineEnd(text, Math.ceil(chars * 0.6));
  const tailStart = lineStart(text, Math.max(headEnd, text.length - Math.floor(chars * 0.4)));
  const left = tailStart - headEnd;
  return `${sliceText(text, 0, headEnd)}\n[… ${left} of ${text.length} characters${beside}${recall(handle)} …]\n${sliceText(text, tailStart, text.length)}`;
}

function lineEnd(text: string, limit: number): number {
  const at = text.lastIndexOf('\n', limit);
  return at > limit / 2 ? at : Math.min(limit, text.length);
}

function lineStart(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at >= 0 && at - from < (text.length - from) / 2 ? at + 1 : from;
}
