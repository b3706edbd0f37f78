import type { ChatMessage } from './chat.ts';
import { PROBES, type Probe } from './probe-texts.ts';
import { createRandom } from './random.ts';
import { type Conversation, type Policy, viewOrRefusal } from './replay.ts';

/** How statements are planted. */
export interface ProbeOptions {
  /** Chooses the statements, their places and their names: 1. */
  readonly seed?: number;
  /** What is planted: three wordings of each kind. */
  readonly probes?: readonly Probe[];
}

/** A planted statement, and whether the last view still holds it. */
export interface ProbeResult {
  readonly by: Probe['by'];
  readonly kind: string;
  readonly held: boolean;
}

/** Percent of the planted statements that the last views hold; undefined if nothing was planted. */
export interface ProbeSummary {
  readonly planted: number;
  readonly user: number | undefined;
  readonly assistant: number | undefined;
  readonly kinds: Readonly<Record<string, number>>;
}

const PLANTED = 8;
/** Only the beginning of a conversation, so that the statements are old at its end. */
const BEGINNING = 0.7;
const SHORTEST_MESSAGE = 40;
/** Key words belong together within this many characters. */
const NEAR = 300;

interface Planted extends Omit<Probe, 'text'> {
  readonly at: number;
}

/**
 * Plants statements into messages of a conversation, replays it under a new policy, and looks for them in the last view.
 * Deterministic. A policy that throws OVER_BUDGET sends everything. Rejects with what else it throws.
 */
export async function probe(
  conversation: Conversation,
  makePolicy: () => Policy,
  { seed = 1, probes = PROBES }: ProbeOptions = {},
): Promise<ProbeResult[]> {
  const { messages, planted } = plant(conversation.messages, seed, probes);
  const policy = makePolicy();
  let view: readonly ChatMessage[] = messages;
  for (const [index, { role }] of messages.entries()) {
    if (role !== 'assistant' || index === 0) continue;
    const history = messages.slice(0, index);
    view = (await viewOrRefusal(policy, history)) ?? history;
  }
  return planted.map(({ by, kind, keys }) => ({ by, kind, held: view.some((message) => holds(message, keys)) }));
}

/** Sums up the statements of several conversations. Pure. */
export function summarizeProbes(probed: readonly ProbeResult[]): ProbeSummary {
  const share = (isOne: (one: ProbeResult) => boolean): number | undefined => {
    const all = probed.filter(isOne);
    return all.length > 0 ? (100 * all.filter(({ held }) => held).length) / all.length : undefined;
  };
  const kinds = [...new Set(probed.map(({ kind }) => kind))].sort();
  return {
    planted: probed.length,
    user: share(({ by }) => by === 'user'),
    assistant: share(({ by }) => by === 'assistant'),
    kinds: Object.fromEntries(kinds.map((kind) => [kind, share((one) => one.kind === kind) ?? 0])),
  };
}

function plant(original: readonly ChatMessage[], seed: number, probes: readonly Probe[]) {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const messages = [...original];
  const planted: Planted[] = [];
  for (let n = 0; n < PLANTED; n++) {
    const chosen = probes[below(probes.length)];
    const places = chosen ? placesFor(chosen, messages, planted) : [];
    if (!chosen || places.length === 0) continue;
    const at = places[below(places.length)] ?? 0;
    const names = { '{A}': inventedName(random), '{B}': inventedName(random) };
    const filled = (text: string) => text.replace(/\{[AB]\}/g, (key) => names[key as keyof typeof names]);
    const message = messages[at] ?? { role: '' };
    const paragraphs = (message.content ?? '').split('\n\n');
    paragraphs.splice(below(paragraphs.length + 1), 0, filled(chosen.text));
    messages[at] = { ...message, content: paragraphs.join('\n\n') };
    planted.push({ at, by: chosen.by, kind: chosen.kind, keys: chosen.keys.map(filled) });
  }
  return { messages, planted };
}

/** Longer messages by the right role, after the first two and in the beginning, each for one statement. */
function placesFor({ by }: Probe, messages: readonly ChatMessage[], planted: readonly Planted[]): number[] {
  const end = Math.floor(messages.length * BEGINNING);
  return messages.flatMap(({ role, content }, i) => {
    const fits = i > 1 && i < end && role === by && (content?.length ?? 0) > SHORTEST_MESSAGE;
    return fits && !planted.some(({ at }) => at === i) ? [i] : [];
  });
}

const SYLLABLES = 'ba dor fen gul hix jam kel lor mip nax pol quor ris sul tev ulm vex wol yar zin'.split(' ');

/** A name that occurs nowhere else: capitalized, snake_case, a path or a plain word. */
function inventedName(random: () => number): string {
  const form = random();
  const word = [1, 2, 3].map(() => SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? '').join('');
  if (form < 0.4) return word.charAt(0).toUpperCase() + word.slice(1);
  if (form < 0.7) return `${word.slice(0, 4)}_${word.slice(4)}`;
  return form < 0.85 ? `src/${word}.ts` : word;
}

/** All key words are there, near one place of the first. */
function holds({ content }: ChatMessage, keys: readonly string[]): boolean {
  const [first = ''] = keys;
  const text = content ?? '';
  if (!keys.every((key) => text.includes(key))) return false;
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
    const near = text.slice(Math.max(0, at - NEAR), at + NEAR);
    if (keys.every((key) => near.includes(key))) return true;
  }
  return false;
}
