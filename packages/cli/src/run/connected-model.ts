import { anthropicApi, createProvider, type HoldfastConfig, type Provider } from '@holdfast/agent';
import { missingKey, providerOf } from '@holdfast/agent/config';
import { codingTask, createStandIn, type Script, STAND_IN_MODELS } from '@holdfast/stand-in';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';

/** A provider that is ready to use. */
export interface ConnectedModel {
  readonly provider: Provider;
  /** The model's name; undefined if only the provider knows it. */
  readonly model: string | undefined;
  /** The same provider with another model. Throws WrongUse. */
  withModel(name: string): Provider;
  /** Lines to print before the run starts. */
  readonly notice: readonly string[];
  close(): Promise<void>;
}

/** The configured or default model; undefined if only the provider knows it. Pure. */
export function modelNameOf({ provider: { type, model } }: Pick<HoldfastConfig, 'provider'>): string | undefined {
  return model ?? providerOf(type)?.default_model;
}

/** The stand-in's signing key, the same in every process, so that it accepts its own messages after a resume. */
const SECRET = 'holdfast';

/** The script that the stand-in plays, and its description. */
export interface StandInPart {
  readonly script: Script;
  readonly does: string;
}

/** The script of a long task, by `calls` and `edits` of the configuration. */
export function taskPart({ provider: { calls, edits } }: HoldfastConfig, cwd: string): StandInPart {
  const does = edits ? 'reads files, edits them and runs commands' : 'reads files and changes nothing';
  return { script: codingTask(cwd, { calls, edits }), does: `A script of ${calls} tool calls ${does}.` };
}

/** Connects to the configured provider; starts the stand-in if that is it. Throws WrongUse. */
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
