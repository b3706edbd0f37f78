import { anthropicApi, createProvider, type HoldfastConfig, type Provider } from '@holdfast/agent';
import { codingTask, createStandIn, STAND_IN_MODELS } from '@holdfast/stand-in';
import { missingKey } from '../api-keys.ts';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';

/** What answers the prompts of a run. */
export interface ModelBehind {
  readonly provider: Provider;
  /** Lines to be told before the run starts. */
  readonly notice: readonly string[];
  close(): Promise<void>;
}

const MODEL = 'claude-sonnet-5';
/** What the stand-in signs with is the same in each process, so that it knows its own words after a resume. */
const SECRET = 'holdfast';

/** The provider that a configuration names; `stand-in` is started for this run and ends with it. Throws WrongUse. */
export async function modelBehind({ provider: config }: HoldfastConfig, { cwd, env }: Context): Promise<ModelBehind> {
  if (config.type !== 'stand-in') {
    const missing = missingKey(config, env);
    if (missing) throw new WrongUse(`${missing.text}: ${missing.advice}, or try --provider stand-in`);
    return { provider: createProvider(config), notice: [], close: async () => {} };
  }
  const { calls, edits, model = MODEL } = config;
  if (STAND_IN_MODELS[model]?.api !== 'anthropic')
    throw new WrongUse(`the stand-in has no model ${model}: leave --model out`);
  const standIn = await createStandIn({ script: codingTask(cwd, { calls, edits }), secret: SECRET });
  const does = edits ? 'reads files, edits them and runs commands' : 'reads files and changes nothing';
  return {
    provider: anthropicApi({ base_url: standIn.url, api_key: 'stand-in', model }),
    notice: ['The stand-in is no model, and costs nothing.', `A script of ${calls} tool calls ${does}.`],
    close: () => standIn.close(),
  };
}
