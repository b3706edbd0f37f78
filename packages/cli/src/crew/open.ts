import { anthropicApi, createProvider, type Logger, type Provider, type ProviderConfig } from '@holdfast/agent';
import { type CrewParts, type OpenCrew, openCrew } from '@holdfast/agent/crew';
import { createStandIn, type StandIn } from '@holdfast/stand-in';
import { missingKey } from '../api-keys.ts';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { crewScript } from './crew-script.ts';

/** What the flags say of who runs the models. */
export interface CrewFlags {
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly maxMessages?: string;
}

const DEFAULTS: ProviderConfig = { type: 'anthropic-api', api: 'chat', args: [], calls: 1, edits: false };
const STAND_IN_MODEL = 'claude-sonnet-5';

/** Opens the crew of a file; flags stand over what it says. Throws WrongUse or BAD_CONFIG. */
export async function openCrewFile(
  path: string,
  flags: CrewFlags,
  context: Context,
  parts: Pick<CrewParts, 'onEvent'> & { readonly logger?: Logger } = {},
): Promise<OpenCrew & { readonly notice: readonly string[] }> {
  const standIns: StandIn[] = [];
  // One for all agents: they are made before the first is asked, and it is started only where one is needed.
  let standIn: Promise<StandIn> | undefined;
  const stood = () => {
    standIn ??= createStandIn({ script: crewScript(), secret: 'holdfast' }).then((one) => {
      standIns.push(one);
      return one;
    });
    return standIn;
  };
  let isStandIn = false;
  const provider = (agent: string, config: Partial<ProviderConfig>): Provider => {
    const asked = { ...DEFAULTS, ...config, ...told(flags) };
    if (asked.type === 'stand-in') {
      isStandIn = true;
      return lazily(stood, asked.model);
    }
    const missing = missingKey(asked, context.env);
    if (missing) throw new WrongUse(`agent ${agent}: ${missing.text}: ${missing.advice}, or try --provider stand-in`);
    return createProvider(asked);
  };
  const crew = await openCrew(path, { cwd: context.cwd, provider, ...limitOf(flags), ...parts });
  return {
    ...crew,
    notice: isStandIn
      ? ['The stand-in is no model, and costs nothing: a script plays the agents; tools really run.']
      : [],
    close: async () => {
      await crew.close();
      await Promise.all(standIns.map((one) => one.close()));
    },
  };
}

function told({ provider, model, baseUrl }: CrewFlags): Partial<ProviderConfig> {
  return {
    ...(provider === undefined ? {} : { type: providerType(provider) }),
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
  };
}

function providerType(name: string): ProviderConfig['type'] {
  const types = ['anthropic-api', 'openai-api', 'claude-cli', 'cursor-cli', 'stand-in'] as const;
  const found = types.find((type) => type === name);
  if (found) return found;
  throw new WrongUse(`--provider ${name} is none: give one of ${types.join(', ')}`);
}

function limitOf({ maxMessages }: CrewFlags): Pick<CrewParts, 'max_messages_per_request'> {
  if (maxMessages === undefined) return {};
  if (/^[1-9]\d{0,8}$/.test(maxMessages)) return { max_messages_per_request: Number(maxMessages) };
  throw new WrongUse(`--max-messages ${maxMessages} is no count: give a whole number from 1 on`);
}

/** A provider on a stand-in that is started with the first prompt. */
function lazily(stood: () => Promise<StandIn>, model = STAND_IN_MODEL): Provider {
  let made: Promise<Provider> | undefined;
  const own = () => {
    made ??= stood().then(({ url }) => anthropicApi({ base_url: url, api_key: 'stand-in', model, ask_window: false }));
    return made;
  };
  return {
    name: 'stand-in',
    takes_said: true,
    execute: async (prompt, options) => (await own()).execute(prompt, options),
  };
}
