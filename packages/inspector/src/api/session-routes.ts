import { type Moment, requestAt, type SessionInfo } from '@holdfast/sessions';
import { crewSession } from '../data/crew-turns.ts';
import { foldEntry, noteIn, readFold } from '../read/folds.ts';
import type { Indexed } from '../read/indexes.ts';
import { messagePage } from '../read/messages.ts';
import { recallIn } from '../read/recall.ts';
import { listSessions, searchHit } from '../read/session-list.ts';
import type { Parts } from './parts.ts';
import { ApiProblem } from './problem.ts';
import { countIn, dollarsIn, numberOf, textIn, wordIn } from './query.ts';
import type {
  Call,
  CallList,
  CrewSession,
  FoldDetail,
  Kind,
  MessagePage,
  Recall,
  SearchResult,
  SentRequest,
  SessionDetail,
  SessionList,
  SessionSort,
  View,
} from './types.ts';

const KINDS: readonly Kind[] = ['chat', 'run', 'crew', 'proxy', 'integration'];
const SORTS: readonly SessionSort[] = ['updated', 'created', 'cost', 'tokens', 'folds', 'messages'];
const MOST_ROWS = 200;
/** Messages of a page whose texts are whole. */
const MOST_FULL = 10;
const MOST_HITS = 100;
const MOST_UNANSWERED = 20;
const ANY = 999_999_999;

/** `GET sessions`. */
export function getSessions(parts: Parts, query: URLSearchParams): Promise<SessionList> {
  const filters = {
    kind: wordIn(query, 'kind', KINDS),
    model: textIn(query, 'model'),
    cost: dollarsIn(query, 'cost'),
    folds: countIn(query, 'folds', 0, ANY) || undefined,
    days: countIn(query, 'days', 0, ANY) || undefined,
  };
  const cursor = textIn(query, 'cursor');
  return listSessions(parts, {
    query: textIn(query, 'query') ?? '',
    filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    ...(cursor === undefined ? {} : { cursor }),
    sort: wordIn(query, 'sort', SORTS) ?? 'updated',
    limit: countIn(query, 'limit', 50, MOST_ROWS, 1),
    facets: query.get('facets') === '1',
  });
}

/** `GET sessions/:id`. */
export async function getSession(parts: Parts, id: string): Promise<SessionDetail> {
  const { info, index } = await parts.indexes.of(id);
  const { owner } = parts;
  const newest = index.calls.at(-1);
  const { budget, budgetMessages } =
    index.calls.findLast((call) => (call.budget ?? call.budgetMessages) !== undefined) ?? {};
  const { status, workspace } = index.run;
  const folder = index.models.findLast((model) => model.folder !== undefined)?.folder ?? workspace;
  const whyNot = owner ? owner.whyNot(id) : NOT_OWNED;
  const unanswered = await unansweredRequests(parts, info);
  return {
    ...(await parts.row(info)),
    ...(info.dialect === undefined ? {} : { dialect: info.dialect }),
    ...(budget === undefined ? {} : { budget }),
    ...(budgetMessages === undefined ? {} : { budgetMessages }),
    ...(typeof folder === 'string' ? { folder } : {}),
    pins: index.pins,
    calls: index.calls.length,
    totals: index.totals,
    costs: index.costs,
    ...(newest?.historyTokens === undefined ? {} : { historyTokens: newest.historyTokens }),
    ...(newest ? { viewTokens: newest.viewTokens } : {}),
    ...(newest?.sent === undefined ? {} : { viewMessages: newest.sent }),
    ...(index.overWindow > 0 ? { overWindow: index.overWindow } : {}),
    ...(typeof status === 'string' ? { status } : {}),
    ...(unanswered > 0 ? { unanswered } : {}),
    ...(index.forkedFrom === undefined ? {} : { forkedFrom: index.forkedFrom }),
    canUndo: whyNot === undefined && index.folds.inEffect().length > 0,
    canRedo: whyNot === undefined && index.folds.redoable > 0,
    ...(whyNot === undefined ? {} : { whyNot }),
  };
}

/** A crew notes what it used once for many requests, so those tell nothing. */
async function unansweredRequests({ store }: Parts, { id, kind }: SessionInfo): Promise<number> {
  if (kind === 'crew') return 0;
  const types = ['request', 'usage'] as const;
  const { items } = await store.read(id, { types, reverse: true, limit: MOST_UNANSWERED, onBroken: () => {} });
  const answered = items.findIndex(({ entry }) => entry.type === 'usage');
  return answered === -1 ? items.length : answered;
}

export const NOT_OWNED =
  'this server only reads the session: undo and redo folds where it runs, in a chat with /uncompact and /recompact';

/** `GET sessions/:id/calls`. */
export async function getCalls({ indexes }: Parts, id: string, query: URLSearchParams): Promise<CallList> {
  const { index } = await indexes.of(id);
  const most = query.get('most') ? countIn(query, 'most', 0, ANY, 10) : undefined;
  return index.callsSince(countIn(query, 'since', 0, ANY), most);
}

/** `GET sessions/:id/calls/:call`. */
export async function getCall({ indexes }: Parts, id: string, call: string): Promise<Call> {
  const { index } = await indexes.of(id);
  const found = index.callAt(numberOf(call, 'the call'));
  if (!found) throw noSuch('call', index.calls.length);
  return found;
}

function noSuch(what: string, count: number): ApiProblem {
  return new ApiProblem(
    404,
    `there is no such ${what}: ${count === 0 ? 'there are none yet' : `the last one is ${count}`}`,
  );
}

/** The moment of a call, or of the newest entry. Throws ApiProblem if there is no such call. */
function momentIn({ info, index }: Indexed, query: URLSearchParams): Moment {
  if (!query.get('call')) return { last: info.last, messages: info.messages };
  const call = index.calls[countIn(query, 'call', 1, ANY, 1) - 1];
  if (!call) throw noSuch('call', index.calls.length);
  return { last: call.seq, messages: call.messages };
}

/** `GET sessions/:id/messages`. */
export async function getMessages(parts: Parts, id: string, query: URLSearchParams): Promise<MessagePage> {
  const indexed = await parts.indexes.of(id);
  const at = momentIn(indexed, query);
  const view = await parts.views.at(indexed, at);
  const dialect = await parts.views.dialect(indexed, at.last);
  const full = query.get('full') === '1';
  const most = countIn(query, 'limit', full ? 1 : 50, full ? MOST_FULL : MOST_ROWS, 1);
  const before = query.get('before') ? countIn(query, 'before', 0, ANY) : undefined;
  const from = before === undefined ? countIn(query, 'from', 0, ANY) : Math.max(0, before - most);
  const limit = before === undefined ? most : Math.min(most, before - from);
  if (limit === 0) return { messages: [], total: at.messages };
  return await messagePage(parts.store, id, { at, view, dialect }, { from, limit, full });
}

/** `GET sessions/:id/view`. */
export async function getView(parts: Parts, id: string, query: URLSearchParams): Promise<View> {
  const indexed = await parts.indexes.of(id);
  const { index } = indexed;
  const at = momentIn(indexed, query);
  const view = await parts.views.at(indexed, at);
  const folds = index.folds.inEffect(at.last);
  const number = folds.at(-1);
  const seq = number === undefined ? undefined : index.folds.folds[number - 1]?.seq;
  const note =
    view.note && number !== undefined && seq !== undefined
      ? noteIn(await foldEntry(parts.store, id, seq), number)
      : undefined;
  const call = index.calls.findLast((one) => one.seq <= at.last)?.call;
  return {
    ...(call === undefined ? {} : { call }),
    messages: view.messages,
    sent: view.sent,
    runs: view.runs,
    ...(note && view.note ? { note: { ...note, before: view.note.before } } : {}),
    reminders: view.reminders,
    pins: view.pins,
    folds,
    ...(view.unknown === undefined ? {} : { unknown: view.unknown }),
  };
}

/** `GET sessions/:id/requests/:call`. */
export async function getRequest(parts: Parts, id: string, call: string, query: URLSearchParams): Promise<SentRequest> {
  const { index } = await parts.indexes.of(id);
  const number = numberOf(call, 'the call');
  const found = index.calls[number - 1];
  if (!found) throw noSuch('call', index.calls.length);
  const n = countIn(query, 'n', 1, ANY, 1);
  const seq = found.sentAs[n - 1];
  if (seq === undefined && found.sentAs.length > 0) throw noSuch('request', found.sentAs.length);
  if (seq === undefined)
    throw new ApiProblem(
      404,
      'the log does not have this request: programs with a conversation of their own, agent frameworks and older versions store none',
    );
  const { time, body, masked } = await requestAt(parts.store, id, seq);
  return { call: number, n, seq, time, body, masked };
}

/** `GET sessions/:id/folds/:n`. */
export async function getFold(parts: Parts, id: string, n: string): Promise<FoldDetail> {
  const indexed = await parts.indexes.of(id);
  const dialect = await parts.views.dialect(indexed, indexed.info.last);
  const fold = await readFold(parts.store, indexed, dialect, numberOf(n, 'the fold'));
  if (!fold) throw noSuch('fold', indexed.index.folds.folds.length);
  return fold;
}

/** `GET sessions/:id/search`. */
export async function getSearch(parts: Parts, id: string, query: URLSearchParams): Promise<SearchResult> {
  const words = textIn(query, 'q');
  if (words === undefined) throw new ApiProblem(400, 'q is missing: pass the words to search for');
  const limit = countIn(query, 'limit', 20, MOST_HITS, 1);
  const indexed = await parts.indexes.of(id);
  const found = await parts.store.search(words, { session: id, limit });
  const { last, messages } = indexed.info;
  const view = await parts.views.at(indexed, { last, messages });
  return { hits: found.map((hit) => ({ ...searchHit(hit), fate: view.fate(hit.index).type })) };
}

/** `GET sessions/:id/recall/:handle`. */
export async function getRecall(parts: Parts, id: string, handle: string): Promise<Recall> {
  const indexed = await parts.indexes.of(id);
  return await recallIn(parts.store, id, await parts.views.dialect(indexed, indexed.info.last), handle);
}

/** `GET sessions/:id/crew`. */
export async function getCrew(parts: Parts, id: string): Promise<CrewSession> {
  const indexed = await parts.indexes.of(id);
  if (indexed.info.kind !== 'crew') throw new ApiProblem(404, `session ${id} does not belong to a crew`);
  return crewSession(await parts.spoken.of(indexed), parts.crew);
}
