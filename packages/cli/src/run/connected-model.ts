import { anthropicApi, createProvider, type HoldfastConfig, type Provider } from '@holdfast/agent';
import { missingKey, providerOf } from '@holdfast/agent/config';
import { codingTask, createStandIn, type Script, STAND_IN_MODELS } from '@holdfast/stand-in';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';

/** What answers prompts. */
export interface ConnectedModel {
  readonly provider: Provider;
  /** Its name; undefined where the provider alone knows it. */
  readonly model: string | undefined;
  /** The same with another model. Throws WrongUse. */
  withModel(name: string): Provider;
  /** Lines to be told before the run starts. */
  readonly notice: readonly string[];
  close(): Promise<void>;
}

/** The model that a configuration names or means; undefined where the provider alone knows it. Pure. */
export function modelNameOf({ provider: { type, model } }: Pick<HoldfastConfig, 'provider'>): string | undefined {
  return model ?? providerOf(type)?.default_model;
}

/** What the stand-in signs with is the same in each process, so that it knows its own words after a resume. */
const SECRET = 'holdfast';

/** What the stand-in says in place of a model, and how that is told. */
export interface StandInPart {
  readonly script: Script;
  readonly does: string;
}

/** The part of a long task: `calls` and `edits` of the configuration. */
export function taskPart({ provider: { calls, edits } }: HoldfastConfig, cwd: string): StandInPart {
  const does = edits ? 'reads files, edits them and runs commands' : 'reads files and changes nothing';
  return { script: codingTask(cwd, { calls, edits }), does: `A script of ${calls} tool calls ${does}.` };
}

/** The provider that a configuration names; `stand-in` is started with its part and ends with `close`. Throws WrongUse. */
export async function connectModel(
  { provider: config, models }: HoldfastConfig,
  { env }: Pick<Context, 'env'>,
  part: () => StandInPart,
): Promise<ConnectedModel> {
  if (config.type !== 'stand-in') {
    const missing = missingKey(config, env);
    if (missing) throw new WrongUse(`${missing.text}: ${missing.advice}, or try --provider stand-in`);
    const withModel = (model: string) => createProvider({ ...config, model }, models);
    const model = modelNameOf({ provider: config });
    return { provider: createProvider(config, models), model, withModel, notice: [], close: async () => {} };
  }
  const model = modelNameOf({ provider: config }) ?? '';
  checkModel(model);
  const { script, does } = part();
  const standIn = await createStandIn({ script, secret: SECRET });
  const withModel = (name: string) => {
    checkModel(name);
    return anthropicApi({ base_url: standIn.url, api_key: 'stand-in', model: name });
  };
  return {
    provider: withModel(model),
    model,
    withModel,
    notice: ['The stand-in is a script, not a model, and costs nothing.', does],
    close: () => standIn.close(),
  };
}

function checkModel(model: string): void {
  if (STAND_IN_MODELS[model]?.api !== 'anthropic')
    throw new WrongUse(`the stand-in has no model ${model}: omit --model`);
}
