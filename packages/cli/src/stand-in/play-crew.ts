import { anthropicApi, openaiApi, type Provider } from '@holdfast/agent';
import { createStandIn, STAND_IN_MODELS, type StandIn } from '@holdfast/stand-in';
import { WrongUse } from '../failure.ts';
import { SECRET } from './connect.ts';
import { crewScript } from './crew-script.ts';

const MODEL = 'claude-sonnet-5';

/** Plays the agents of a crew without a model: one stand-in for all, started with the first prompt. */
export function createCrewStandIn() {
  const lines = new Set<string>();
  let started: Promise<StandIn> | undefined;
  const stood = () => {
    started ??= createStandIn({ script: crewScript(), secret: SECRET });
    return started;
  };
  return {
    /** Lines for the user, once all agents are known. */
    notice: (): readonly string[] => [...lines],
    /** Plays an agent with the API of the flag's or the file's model. Throws WrongUse if the flag names an unknown model. */
    play(agent: string, flag: string | undefined, file: string | undefined): Provider {
      lines.add('Using the stand-in: a script plays the agents, and tools really run. The costs shown are not billed.');
      const asked = flag ?? file ?? MODEL;
      const isKnown = Object.hasOwn(STAND_IN_MODELS, asked);
      if (!isKnown && flag !== undefined) throw new WrongUse(`the stand-in has no model ${flag}: remove --model`);
      if (!isKnown) lines.add(`agent ${agent}: the stand-in has no model ${asked}, using ${MODEL} instead`);
      return lazily(stood, isKnown ? asked : MODEL);
    },
    close: async () => (await started?.catch(() => undefined))?.close(),
  };
}

/** A provider that starts its stand-in with the first prompt. */
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
    // The stand-in may not know the file's model.
    execute: async (prompt, options) => (await own()).execute(prompt, { ...options, model }),
  };
}
