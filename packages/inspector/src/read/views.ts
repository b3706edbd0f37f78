import {
  dialectFor,
  type Moment,
  restoreConversation,
  type SessionInfo,
  type SessionStore,
  scopeOf,
  type WireMessage,
} from '@holdfast/sessions';
import { type Dialect, dialectNamed } from 'holdfast';
import { newestView, type ShapedView, shapedView, wholeView } from '../data/shaped-view.ts';
import { createCache } from './bounded-cache.ts';
import type { Indexed } from './indexes.ts';

/** A view, and why it is not known if it is not. */
export interface FoundView extends ShapedView {
  readonly unknown?: string;
}

/** The views of calls. Reads only what each view needs. */
export type Views = ReturnType<typeof createViews>;

/** Views that stay in memory: neighbouring calls, and those of the sessions that people look at. */
const MOST = 24;
/** Messages by which an unknown format is recognized. */
const SAMPLE = 4;

const OWN = 'the provider keeps its own conversation: what it sent to the model is not known';

export function createViews(store: SessionStore) {
  const cache = createCache<Promise<FoundView>>(MOST);
  /** The wire format at an entry. */
  const dialect = async ({ info, index }: Indexed, seq: number): Promise<Dialect<WireMessage>> => {
    const { dialect: name = info.dialect } = index.modelAt(seq) ?? {};
    const { items } = name === undefined ? await store.history(info.id, { limit: SAMPLE }) : { items: [] };
    try {
      return dialectFor(name, ...items.map(({ message }) => message)) as Dialect<WireMessage>;
    } catch {
      return dialectNamed('openai-chat') as Dialect<WireMessage>;
    }
  };
  const find = async (indexed: Indexed, moment: Moment): Promise<FoundView> => {
    const { info, index } = indexed;
    const whole = wholeView(
      moment.messages,
      index.pins.filter((pin) => pin < moment.messages),
    );
    const { calls, folds } = index;
    const isOwn = calls.length > 0 && calls.every(({ sent }) => sent === undefined) && info.kind !== 'crew';
    if (isOwn) return { ...whole, unknown: OWN };
    if (folds.inEffect(moment.last).length === 0) {
      // Without a strategy that folds, a crew shows its agents the newest messages and logs only how many.
      const { messages, sent } = (info.kind === 'crew' && calls.findLast(({ seq }) => seq <= moment.last)) || {};
      const first = Math.max(0, (messages ?? 0) - (sent ?? Number.POSITIVE_INFINITY));
      return first === 0 ? whole : newestView(moment.messages, first);
    }
    return await folded(store, { ...info, ...moment }, await dialect(indexed, moment.last), whole);
  };
  return {
    dialect,
    /** The view at a moment of the session. */
    at(indexed: Indexed, moment: Moment): Promise<FoundView> {
      const { id, created } = indexed.info;
      const key = `${id} ${created} ${moment.last} ${moment.messages}`;
      const found = cache.get(key) ?? find(indexed, moment);
      cache.set(key, found);
      found.catch(() => cache.delete(key));
      return found;
    },
  };
}

async function folded(
  store: SessionStore,
  info: SessionInfo,
  dialect: Dialect<WireMessage>,
  whole: ShapedView,
): Promise<FoundView> {
  const scope = scopeOf(info.id);
  try {
    return shapedView(await restoreConversation(store, info, dialect, scope === undefined ? {} : { scope }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...whole, unknown: `the view cannot be rebuilt from the log: ${why}` };
  }
}
