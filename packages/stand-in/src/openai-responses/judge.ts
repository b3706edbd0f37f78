import { type OpenaiResponsesItem, openaiResponsesError, validateOpenaiResponses } from 'holdfast/rules';
import { isJson, type Json, textOf } from '../json.ts';
import { type Measured, measure } from '../measure.ts';
import type { OpenaiStandInModel } from '../models.ts';
import { checkParameters, missing, openaiModel } from '../openai-body.ts';
import { Refusal } from '../refusal.ts';
import type { State, StoredResponse } from '../state.ts';
import { responsesPieces } from './pieces.ts';

/** A request that no rule is broken in. */
export interface ResponsesJudged {
  readonly body: Json;
  /** The whole conversation: of the responses before, then of this request; references replaced by what they name. */
  readonly items: readonly OpenaiResponsesItem[];
  readonly model: OpenaiStandInModel;
  readonly prompt: readonly Measured[];
}

const PARAMETERS =
  'access_programs background context_management conversation image include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls personality previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user'.split(
    ' ',
  );
/** What needs a server that does more than this one. */
const BEYOND = ['background', 'context_management', 'conversation', 'prompt'];

/** Holds a request against every rule of the API. Throws a Refusal for the first that is broken. No `limit`: none. */
export function judgeResponses(
  value: unknown,
  state: State,
  limit?: (model: OpenaiStandInModel) => number,
): ResponsesJudged {
  if (!isJson(value)) throw new Refusal(400, 'Invalid type for the request body: expected an object.');
  checkParameters(value, PARAMETERS);
  const model = openaiModel(value.model, state);
  const { input, previous_response_id: parentId, store, conversation } = value;
  for (const key of BEYOND) if (value[key] && !(conversation && parentId)) throw beyond(key);
  if (value.truncation === 'auto') throw beyond('truncation');
  const own: unknown =
    typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? (parentId ? [] : undefined));
  if (!Array.isArray(own)) throw missing('input');
  const given: readonly OpenaiResponsesItem[] = own;
  const parent = typeof parentId === 'string' ? state.responses.get(parentId) : undefined;
  const items = [...(parent?.items ?? []), ...given.map((item) => resolved(item, state))];
  const prompt = measure('', responsesPieces(value, items, model), model.characters);
  const [violation] = validateOpenaiResponses(given, {
    ...factsOf(given, parent, state),
    ...(typeof parentId === 'string' && {
      previous_response_id: parentId,
      responses: new Set(parent ? [parentId] : []),
    }),
    ...(typeof store === 'boolean' && { store }),
    ...(conversation !== undefined && { conversation }),
    input_tokens: prompt.at(-1)?.tokens ?? 0,
    ...(limit && { limit: limit(model) }),
  });
  if (!violation && given.some(({ type }) => type === 'compaction_trigger')) throw beyond('compaction_trigger');
  if (!violation) return { body: value, items, model, prompt };
  const { status, error } = openaiResponsesError(violation);
  throw new Refusal(status, error.message, { param: error.param, code: error.code, rule: violation.rule });
}

function beyond(key: string): Refusal {
  return new Refusal(400, `${key}: the stand-in does not do this`, { param: key });
}

function resolved(item: OpenaiResponsesItem, state: State): OpenaiResponsesItem {
  const refers = isJson(item) && (item.type === 'item_reference' || (!item.type && item.role === undefined));
  return (refers && state.items.get(textOf(item.id))) || item;
}

/** What the server knows of the items in this request. */
function factsOf(items: readonly OpenaiResponsesItem[], parent: StoredResponse | undefined, state: State) {
  const ids = items.flatMap((item) => (isJson(item) && typeof item.id === 'string' ? [item.id] : []));
  const reasoning = new Map<string, string>();
  // The reasoning that stands in the conversation before this request is not missing.
  const before = new Set(parent?.items.map(({ id }) => id));
  for (const id of ids) {
    const pair = state.pairs.get(id);
    if (pair !== undefined && !before.has(pair)) reasoning.set(id, pair);
  }
  const unread = 'Encrypted content could not be decrypted or parsed.';
  return {
    items: new Set(ids.filter((id) => state.items.get(id) !== undefined)),
    reasoning,
    ...(parent && { open_calls: parent.open_calls }),
    ciphertext: (sealed: string) => (state.reasoning.open(sealed) ? undefined : unread),
  };
}
