import { resolve } from 'node:path';
import type { Logger, Provider, ProviderConfig } from '@holdfast/agent';
import { PROVIDER_TYPES, providerOf } from '@holdfast/agent/config';
import { type CrewParts, loadCrew, type OpenCrew, openCrew } from '@holdfast/crew';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { countOf } from '../flag-values.ts';
import { makeProvider } from '../run/connected-model.ts';
import { createCrewStandIn } from '../stand-in/play-crew.ts';
import { checkAsTrusted, crewItem } from '../trust/trust-items.ts';

/** Flags that choose provider, model and limits. */
export interface CrewFlags {
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly maxMessages?: string;
  readonly trust?: boolean;
}

/** Opens a crew from a file; flags override it. Throws WrongUse or BAD_CONFIG. */
export async function openCrewFile(
  path: string,
  flags: CrewFlags,
  context: Pick<Context, 'cwd' | 'env' | 'trustedHashes'>,
  parts: Pick<CrewParts, 'onEvent'> & { readonly logger?: Logger; readonly unreachable?: readonly string[] } = {},
): Promise<OpenCrew & { readonly notice: readonly string[] }> {
  const { cwd } = context;
  const loaded = loadCrew(path, cwd);
  checkAsTrusted(context, crewItem(loaded, resolve(cwd, path), context));
  const standIn = createCrewStandIn();
  const provider = (agent: string, config: Partial<ProviderConfig>): Provider => {
    const asked = { ...config, ...fromFlags(flags) };
    if (asked.type !== undefined && providerOf(asked.type)?.isScript)
      return standIn.play(agent, flags.model, config.model);
    return withModel(makeProvider(asked, {}, context, `agent ${agent}: `), flags);
  };
  const { maxMessages } = flags;
  const limit =
    maxMessages === undefined ? {} : { max_messages_per_request: countOf(maxMessages, '--max-messages', 1) };
  const crew = await openCrew(loaded, { cwd, provider, ...limit, ...parts });
  return {
    ...crew,
    notice: standIn.notice(),
    close: async () => {
      await crew.close();
      await standIn.close();
    },
  };
}

/** The flag overrides the model that an agent passes from the file. */
function withModel(provider: Provider, { model }: CrewFlags): Provider {
  if (model === undefined) return provider;
  return { ...provider, execute: (prompt, options) => provider.execute(prompt, { ...options, model }) };
}

function fromFlags({ provider, model, baseUrl }: CrewFlags): Partial<ProviderConfig> {
  return {
    ...(provider === undefined ? {} : { type: providerType(provider) }),
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
  };
}

function providerType(name: string): ProviderConfig['type'] {
  const found = PROVIDER_TYPES.find((type) => type === name);
  if (found) return found;
  throw new WrongUse(`unknown provider "${name}": expected one of ${PROVIDER_TYPES.join(', ')}`);
}
