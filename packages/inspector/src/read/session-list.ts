import { type Hit, type SessionInfo, type SessionStore, wordsIn } from '@holdfast/sessions';
import type { SearchHit, SessionList, SessionRow, SessionSort } from '../api/types.ts';
import { type ListFilters, passes } from '../data/list-filters.ts';
import { kindOf } from '../data/session-row.ts';
import type { Catalogue } from './catalogue.ts';
import type { RunStatus } from './run-status.ts';

/** Which sessions to list. */
export interface ListQuery {
  readonly query: string;
  readonly filters: ListFilters;
  readonly sort: SessionSort;
  readonly limit: number;
  readonly cursor?: string;
  readonly facets: boolean;
}

interface Source {
  readonly store: SessionStore;
  readonly catalogue: Catalogue;
  readonly runStatus: RunStatus;
  rows(infos: readonly SessionInfo[]): Promise<SessionRow[]>;
}

/** Passages to ask for: many may be of one session. */
const HITS = 200;
/** Passages of one session that a list shows. */
const SHOWN_HITS = 3;
const MOST_MODELS = 100;

/** A page of sessions. The order by last use comes from the store, any other order and filter from memory. */
export async function listSessions(source: Source, query: ListQuery): Promise<SessionList> {
  const isPlain = query.query === '' && Object.keys(query.filters).length === 0 && query.sort === 'updated';
  const found = isPlain ? await plainPage(source, query) : await chosenPage(source, query);
  const withStatus = async (row: SessionRow) =>
    row.kind === 'run' ? { ...row, status: await source.runStatus(row) } : row;
  const page = { ...found, sessions: await Promise.all(found.sessions.map(withStatus)) };
  if (!query.facets) return page;
  const all = await source.catalogue.all();
  const known = facets.get(all) ?? facetsOf(all);
  facets.set(all, known);
  return { total: all.length, cost: costOf(all), ...page, ...known };
}

/** Of lists that did not change since. */
const facets = new WeakMap<readonly SessionInfo[], Required<Pick<SessionList, 'models' | 'kinds'>>>();

function facetsOf(all: readonly SessionInfo[]) {
  const models = new Set(all.flatMap(({ model }) => model ?? []));
  return { models: [...models].slice(0, MOST_MODELS).sort(), kinds: [...new Set(all.map(kindOf))] };
}

function costOf(sessions: readonly { readonly cost: number }[]): number {
  return sessions.reduce((sum, { cost }) => sum + cost, 0);
}

/** As the store lists them, a page at a time. */
async function plainPage({ store, rows }: Source, { limit, cursor }: ListQuery): Promise<SessionList> {
  const before = cursor === undefined ? undefined : placeIn(cursor);
  const found = await store.list({ limit: limit + 1, ...(before ? { before } : {}) });
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    sessions: await rows(found.slice(0, limit)),
    ...(last ? { next: `${last.updated}.${last.id}` } : {}),
  };
}

function placeIn(cursor: string): Pick<SessionInfo, 'id' | 'updated'> | undefined {
  const [, updated, id] = /^(\d{1,16})\.([\w.-]{1,100})$/.exec(cursor) ?? [];
  return id === undefined ? undefined : { updated: Number(updated), id };
}

async function chosenPage(source: Source, query: ListQuery): Promise<SessionList> {
  const now = Date.now();
  const all = (await source.catalogue.all()).filter((info) => passes(filterable(info), query.filters, now));
  if (query.query !== '') return await searched(source, query, all);
  const from = Number(/^o(\d{1,9})$/.exec(query.cursor ?? '')?.[1] ?? 0);
  const rows = (await source.rows(all)).sort(by(query.sort));
  const end = from + query.limit;
  return {
    sessions: rows.slice(from, end),
    total: rows.length,
    cost: costOf(rows),
    ...(rows.length > end ? { next: `o${end}` } : {}),
  };
}

function filterable(info: SessionInfo) {
  const { cost, folds, updated, model } = info;
  return { kind: kindOf(info), cost, folds, updated, ...(model === undefined ? {} : { model }) };
}

function by(sort: SessionSort): (a: SessionRow, b: SessionRow) => number {
  return (a, b) => Number(b.live) - Number(a.live) || b[sort] - a[sort] || b.updated - a.updated;
}

/** Sessions with passages that match, the best first, then those whose title or id has all words. */
async function searched(
  source: Source,
  { query, limit }: ListQuery,
  all: readonly SessionInfo[],
): Promise<SessionList> {
  const known = new Map(all.map((info) => [info.id, info]));
  const hits = new Map<string, Hit[]>();
  for (const hit of await source.store.search(query, { limit: HITS })) {
    if (!known.has(hit.session)) continue;
    const own = hits.get(hit.session) ?? [];
    if (own.length < SHOWN_HITS) hits.set(hit.session, [...own, hit]);
  }
  const words = wordsIn(query);
  const isNamed = ({ id, title }: SessionInfo) => {
    const own = new Set(wordsIn(`${title} ${id}`));
    return id.startsWith(query) || (words.length > 0 && words.every((word) => own.has(word)));
  };
  const named = all.filter((info) => !hits.has(info.id) && isNamed(info)).map(({ id }) => id);
  const found = [...hits.keys(), ...named].flatMap((id) => known.get(id) ?? []);
  const rows = await source.rows(found.slice(0, limit));
  return {
    sessions: rows.map((row) => ({ ...row, hits: (hits.get(row.id) ?? []).map(searchHit) })),
    total: found.length,
    cost: costOf(found),
  };
}

/** A passage as the API has it. Pure. */
export function searchHit({ session, index, handle, lines, snippet, text }: Hit): SearchHit {
  return { session, index, handle, lines, snippet, text };
}
