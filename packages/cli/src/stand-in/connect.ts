import { anthropicApi, type HoldfastConfig } from '@holdfast/agent';
import { codingTask, createStandIn, type Script, STAND_IN_MODELS } from '@holdfast/stand-in';
import { WrongUse } from '../failure.ts';
import type { ConnectedModel } from '../run/connected-model.ts';

/** The stand-in's signing key, the same in every process, so that it accepts its own messages after a resume. */
export const SECRET = 'holdfast';

/** The models that it plays for a run or a chat. */
export const STAND_IN_NAMES: readonly string[] = Object.entries(STAND_IN_MODELS).flatMap(([name, { api }]) =>
  api === 'anthropic' ? [name] : [],
);

/** The script that the stand-in plays, and its description. */
export interface StandInPart {
  readonly script: Script;
  readonly does: string;
}

/** The script of a long task, by `calls` and `edits` of the configuration. */
export function taskPart({ provider: { calls, edits } }: HoldfastConfig, cwd: string): StandInPart {
  const does = edits ? 'reads files, edits them and runs commands' : 'reads files and changes nothing';
  return {
    script: codingTask(cwd, { calls, edits, remembers: edits }),
    does: `A script of ${calls} tool calls ${does}.`,
  };
}

/** Starts the stand-in. Throws WrongUse if it has no such model. */
export async function connectStandIn(model: string, { script, does }: StandInPart): Promise<ConnectedModel> {
  checkModel(model);
  const standIn = await createStandIn({ script, secret: SECRET });
  const withModel = (name: string) => {
    checkModel(name);
    return anthropicApi({ base_url: standIn.url, api_key: 'stand-in', model: name });
  };
  return {
    provider: withModel(model),
    model,
    withModel,
    // Views count costs as if a model had answered.
    notice: ['The stand-in is a script; the costs shown are not billed.', does],
    close: () => standIn.close(),
  };
}

function checkModel(model: string): void {
  if (!STAND_IN_NAMES.includes(model))
    throw new WrongUse(`the stand-in has no model ${model}; it has others, such as ${STAND_IN_NAMES[0]}`);
}
