import type { Arrived } from './http.ts';
import type { Json } from './json.ts';
import type { StandInModel } from './models.ts';
import { NO_MODEL } from './no-model.ts';
import type { Outcome } from './outcome.ts';
import { Refusal } from './refusal.ts';
import type { State } from './state.ts';

const CREATED = Date.UTC(2026, 0, 1);

/** `GET /v1/models`: those of the API that the client speaks. */
export function listModels(arrived: Arrived, state: State): Outcome {
  const api = apiOf(arrived);
  const data = [...state.models].filter(([, model]) => model.api === api).map(([id, model]) => shown(id, model));
  if (api === 'openai') return { body: { object: 'list', data } };
  return { body: { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null } };
}

/** `GET /v1/models/{id}`. Throws a Refusal if there is none. */
export function readModel(arrived: Arrived, state: State): Outcome {
  const id = decodeURIComponent(arrived.path.split('/').at(-1) ?? '');
  const model = state.models.get(id);
  const api = apiOf(arrived);
  if (model?.api === api) return { body: shown(id, model) };
  if (api === 'anthropic') throw new Refusal(404, `model: ${id}`);
  throw new Refusal(404, `The model '${id}' does not exist`, { param: 'model', code: 'model_not_found' });
}

function apiOf({ header }: Arrived): 'anthropic' | 'openai' {
  return header('anthropic-version') === undefined ? 'openai' : 'anthropic';
}

function shown(id: string, model: StandInModel): Json & { readonly id: string } {
  if (model.api === 'openai')
    return { id, object: 'model', created: CREATED / 1000, owned_by: 'stand-in', ...NO_MODEL };
  return {
    type: 'model',
    id,
    display_name: `${id} (stand-in)`,
    created_at: new Date(CREATED).toISOString(),
    deprecated_at: null,
    retires_at: null,
    lifecycle: 'active',
    line: null,
    capabilities: null,
    max_input_tokens: model.announced ?? model.window,
    max_tokens: model.max_output,
    ...NO_MODEL,
  };
}
