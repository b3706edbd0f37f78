import { UNCALIBRATED } from 'holdfast/restore';
import { promptOf } from '../entry.ts';
import type { Earlier, LoggedUsage, RequestName } from './conversation-log.ts';
import { EarlierTexts } from './earlier-texts.ts';
import { newScope, openingOf } from './identity.ts';
import type { FittedHistory, IncomingHistory } from './incoming.ts';

/** Openings that wait for their conversations, and tokens of their requests' texts; beyond that, the oldest are forgotten. */
const MOST = 1_000;
const MOST_TOKENS = 4_000_000;

/**
 * The requests before the model's first answer. A conversation is known by that answer, so it takes over its opening with the
 * next request.
 */
export interface Opening<C> {
  readonly place: string;
  /** The scope that its conversation will have. */
  readonly scope: string;
  /** What its answers used. */
  earlier: Earlier;
  /** Undefined while it waits. */
  conversation?: C | undefined;
}

/** Openings by caller and by what was said in them. */
export interface Openings<C, M> {
  /** A history without an answer, as it came: what its request uses waits for the conversation. */
  open(history: IncomingHistory<M>, sketches: readonly string[]): FittedHistory<M>;
  /** The opening of the conversation that begins with this history; it waits no longer. */
  take(history: IncomingHistory<M>, sketches: readonly string[]): Opening<C> | undefined;
  /** Lets it wait again, because its conversation failed. */
  putBack(opening: Opening<C>): void;
}

/** `record`: called for what arrives after the conversation has begun. */
export function createOpenings<C, M>(
  record: (conversation: C, used: LoggedUsage, request: RequestName) => Promise<void>,
): Openings<C, M> {
  const waiting = new Map<string, Opening<C>>();
  const forgetOldest = () => {
    let tokens = [...waiting.values()].reduce((sum, { earlier }) => sum + earlier.texts.tokens, 0);
    for (const [place, { earlier }] of waiting) {
      if (waiting.size <= MOST && tokens <= MOST_TOKENS) return;
      tokens -= earlier.texts.tokens;
      waiting.delete(place);
    }
  };
  const placeOf = ({ owner, hint }: IncomingHistory<M>, sketches: readonly string[]) =>
    openingOf(owner, sketches, hint);
  return {
    open(history, sketches) {
      const place = placeOf(history, sketches);
      const earlier = { owed: [], texts: new EarlierTexts() };
      const opening = waiting.get(place) ?? { place, scope: newScope(), earlier };
      // The one used last comes last.
      waiting.delete(place);
      waiting.set(place, opening);
      forgetOldest();
      return waitingView(opening, history, record);
    },
    take(history, sketches) {
      const place = placeOf(history, sketches);
      const opening = waiting.get(place);
      waiting.delete(place);
      return opening;
    },
    putBack(opening) {
      opening.conversation = undefined;
      if (!waiting.has(opening.place)) waiting.set(opening.place, opening);
    },
  };
}

function waitingView<C, M>(
  opening: Opening<C>,
  { messages, model, bounds }: IncomingHistory<M>,
  record: Parameters<typeof createOpenings<C, M>>[0],
): FittedHistory<M> {
  const [count, max] = [messages.length, { tokens: bounds.max_tokens }];
  let request: RequestName;
  return {
    conversation: opening.scope,
    messages,
    isWhole: true,
    withoutThinking: async () => undefined,
    async sent(sent) {
      request = opening.earlier.texts.keep(sent);
    },
    async answered(_, tokens, cost) {
      const window = { seen: count, sent: count, calibration: UNCALIBRATED, historyTokens: promptOf(tokens), max };
      const used = { tokens, ...(cost === undefined ? {} : { cost }), model, window };
      if (opening.conversation) {
        await record(opening.conversation, used, request).catch(() => undefined);
        return;
      }
      const texts = typeof request === 'object' ? request : undefined;
      const { owed } = opening.earlier;
      opening.earlier = {
        ...opening.earlier,
        owed: [...owed, { at: count, entry: { type: 'usage', ...used }, texts }],
      };
    },
  };
}
