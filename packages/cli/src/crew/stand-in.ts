import { anthropicApi, openaiApi, type Provider } from '@holdfast/agent';
import { createStandIn, STAND_IN_MODELS, type StandIn } from '@holdfast/stand-in';
import { WrongUse } from '../failure.ts';
import { crewScript } from './crew-script.ts';

const MODEL = 'claude-sonnet-5';

/** Plays the agents of a crew that no model is asked for. */
export interface CrewStandIn {
  /** What is to be told, once all agents are known. */
  notice(): readonly string[];
  /** Plays an agent by the API of its model. Throws WrongUse for a model of the command line that there is none of. */
  play(agent: string, model: { readonly told?: string | undefined; readonly file?: string | undefined }): Provider;
  close(): Promise<void>;
}

/** One for all agents: they are made before the first is asked, and it is started only where one is. */
export function createCrewStandIn(): CrewStandIn {
  const lines = new Set<string>();
  let started: Promise<StandIn> | undefined;
  const stood = () => {
    started ??= createStandIn({ script: crewScript(), secret: 'holdfast' });
    return started;
  };
  return {
    notice: () => [...lines],
    play(agent, { told, file }) {
      lines.add('The stand-in is no model, and costs nothing: a script plays the agents; tools really run.');
      const asked = told ?? file ?? MODEL;
      const isKnown = Object.hasOwn(STAND_IN_MODELS, asked);
      if (!isKnown && told !== undefined) throw new WrongUse(`the stand-in has no model ${told}: leave --model out`);
      if (!isKnown) lines.add(`agent ${agent}: the stand-in has no model ${asked}, and plays ${MODEL} in its place`);
      return lazily(stood, isKnown ? asked : MODEL);
    },
    close: async () => (await started?.catch(() => undefined))?.close(),
  };
}

/** A provider on a stand-in that is started with the first prompt. */
function lazily(stood: () => Promise<StandIn>, model: string): Provider {
  let made: Promise<Provider> | undefined;
  const own = () => {
    made ??= stood().then(({ url }) => {
      const options = { api_key: 'stand-in', model, ask_window: false };
      return STAND_IN_MODELS[model]?.api === 'openai'
        ? openaiApi({ ...options, base_url: `${url}/v1` })
        : anthropicApi({ ...options, base_url: url });
    });
    return made;
  };
  return {
    name: 'stand-in',
    takesHistory: true,
    // The file's model may be none that the stand-in has.
    execute: async (prompt, options) => (await own()).execute(prompt, { ...options, model }),
  };
}
