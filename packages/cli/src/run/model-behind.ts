import { anthropicApi, createProvider, type HoldfastConfig, type Provider } from '@holdfast/agent';
import { codingTask, createStandIn, STAND_IN_MODELS } from '@holdfast/stand-in';
import { WrongUse } from '../failure.ts';

/** What answers the prompts of a run. */
export interface ModelBehind {
  readonly provider: Provider;
  /** Said before the run starts, if there is something to know. */
  readonly notice?: string;
  close(): Promise<void>;
}

const MODEL = 'claude-sonnet-5';
/** What the stand-in signs with is the same in each process, so that it knows its own words after a resume. */
const SECRET = 'holdfast';

/** The provider that a configuration names; `stand-in` is started for this run and ends with it. */
export async function modelBehind({ provider: config }: HoldfastConfig, workspace: string): Promise<ModelBehind> {
  if (config.type !== 'stand-in') return { provider: createProvider(config), close: async () => {} };
  const { calls, edits, model = MODEL } = config;
  if (STAND_IN_MODELS[model]?.api !== 'anthropic')
    throw new WrongUse(`the stand-in has no model ${model}: leave --model out`);
  const standIn = await createStandIn({ script: codingTask(workspace, { calls, edits }), secret: SECRET });
  const does = edits ? 'reads, edits and runs commands' : 'reads, and changes nothing';
  return {
    provider: anthropicApi({ base_url: standIn.url, api_key: 'stand-in', model }),
    notice: `The stand-in is no model: a script makes ${calls} tool calls in this folder (it ${does}), and money is only counted.`,
    close: () => standIn.close(),
  };
}
