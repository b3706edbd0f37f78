import { POLICIES } from '@holdfast/replay';
import { eachMessage } from '@holdfast/sessions';
import { cachePricesOf } from '../compare/compare-results.ts';
import { addToChat, type ChatForm } from '../data/chat-form.ts';
import { foldEntry } from '../read/folds.ts';
import type { Indexed } from '../read/indexes.ts';
import { withPauses } from '../read/with-pauses.ts';
import type { Parts } from './parts.ts';
import { ApiProblem } from './problem.ts';
import { NOT_OWNED } from './session-routes.ts';
import type { CompareJob, CompareSide, TravelResult } from './types.ts';

/** Messages of a session that can be compared: a replay keeps all of them in memory. */
const MOST_MESSAGES = 20_000;
const MOST_BYTES = 200_000_000;
/** Of system prompt and tools, if no fold says it. As in `holdfast replay`. */
const RESERVE = 10_000;

/** Policies that need no model: a comparison never sends a request. */
export const COMPARED: readonly string[] = POLICIES.filter((policy) => !policy.endsWith('+summary'));

/** `POST sessions/:id/compare`. */
export async function postCompare(parts: Parts, id: string, body: unknown): Promise<CompareJob> {
  const sides = sidesIn(body);
  const indexed = await parts.indexes.of(id);
  const { info } = indexed;
  if (info.messages > MOST_MESSAGES || info.bytes > MOST_BYTES)
    throw new ApiProblem(413, `the session is too long to be compared here: export it and use \`holdfast replay\``);
  const model = info.model === undefined ? undefined : parts.models(info.model);
  const prices = cachePricesOf(model);
  const job = parts.comparisons.add({
    session: id,
    sides,
    model,
    input: async () => ({
      ...(await chatOf(parts, indexed)),
      reserve: await reserveOf(parts, indexed),
      ...(prices ? { prices } : {}),
    }),
  });
  if (!job) throw new ApiProblem(503, 'too many comparisons wait: try again later', { 'retry-after': '10' });
  return job;
}

function sidesIn(body: unknown): readonly [CompareSide, CompareSide] {
  const { sides } = (body ?? {}) as { readonly sides?: unknown };
  const [left, right, more] = Array.isArray(sides) ? (sides as unknown[]) : [];
  if (left === undefined || right === undefined || more !== undefined)
    throw new ApiProblem(400, 'send { "sides": [{ "policy", "budget" }, { "policy", "budget" }] }');
  return [sideIn(left), sideIn(right)];
}

function sideIn(side: unknown): CompareSide {
  const { policy, budget } = (side ?? {}) as { readonly policy?: unknown; readonly budget?: unknown };
  if (typeof policy !== 'string' || !COMPARED.includes(policy))
    throw new ApiProblem(400, `policy must be one of ${COMPARED.join(', ')}`);
  if (policy !== 'everything' && (!Number.isSafeInteger(budget) || Number(budget) < 1 || Number(budget) > 1e9))
    throw new ApiProblem(400, 'budget must be a whole number of tokens, such as 40000');
  return { policy, budget: Number.isSafeInteger(budget) ? Number(budget) : 0 };
}

async function chatOf({ store, views }: Parts, indexed: Indexed): Promise<ChatForm> {
  const { id, last, messages } = indexed.info;
  const dialect = await views.dialect(indexed, last);
  const form: ChatForm = { messages: [], origins: [] };
  for await (const { index, message } of withPauses(eachMessage(store, id, 0, { last, messages })))
    addToChat(form, dialect, message, index);
  return form;
}

async function reserveOf({ store }: Parts, { info, index }: Indexed): Promise<number> {
  const newest = index.folds.folds.at(-1);
  return newest ? (await foldEntry(store, info.id, newest.seq)).receipt.reserve : RESERVE;
}

/** `POST sessions/:id/undo` and `redo`. */
export async function postTravel(parts: Parts, id: string, way: 'undo' | 'redo'): Promise<TravelResult> {
  const { index } = await parts.indexes.of(id);
  const before = index.folds.inEffect().at(-1);
  const { owner } = parts;
  const whyNot = owner ? owner.whyNot(id) : NOT_OWNED;
  if (!owner || whyNot !== undefined) throw new ApiProblem(409, whyNot ?? NOT_OWNED);
  if (!(await owner[way](id))) throw new ApiProblem(409, `the session has no fold to ${way}`);
  const { info, index: after } = await parts.indexes.of(id);
  const fold = way === 'undo' ? before : after.folds.inEffect().at(-1);
  return { session: await parts.row(info), fold: fold ?? 0 };
}
