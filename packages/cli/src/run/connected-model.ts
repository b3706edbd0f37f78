import { createProvider, type HoldfastConfig, type Provider, type ProviderConfig } from '@holdfast/agent';
import { findKey, missingKey, providerOf } from '@holdfast/agent/config';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { askForKey } from '../setup/ask-for-key.ts';
import { connectStandIn, type StandInPart } from '../stand-in/connect.ts';

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
  return model ?? providerOf(type)?.defaultModel;
}

/**
 * The provider of a configuration, with its key from the environment or as `holdfast setup` saved it: the one place where
 * commands make providers. Sends nothing. `who` starts the message if there is no key. Throws WrongUse or BAD_CONFIG.
 */
export function makeProvider(
  config: Partial<ProviderConfig>,
  models: HoldfastConfig['models'],
  { env }: Pick<Context, 'env'>,
  who = '',
): Provider {
  const missing = missingKey(config, env);
  if (missing) throw new WrongUse(`${who}${missing.text}: ${missing.advice}, or try \`--provider stand-in\``);
  const found = findKey(config, env);
  return createProvider(config, models, found?.file === undefined ? undefined : found.key);
}

/** Connects to the configured provider; starts the stand-in if that is it. Asks for a missing key on a terminal. Throws WrongUse or Interrupted. */
export async function connectModel(
  whole: HoldfastConfig,
  context: Context,
  part: () => StandInPart,
): Promise<ConnectedModel> {
  const { provider: config, models } = whole;
  const model = modelNameOf(whole);
  if (providerOf(config.type)?.isScript) return connectStandIn(model ?? '', part());
  await askForKey(whole, context);
  const withModel = (name: string) => makeProvider({ ...config, model: name }, models, context);
  return { provider: makeProvider(config, models, context), model, withModel, notice: [], close: async () => {} };
}
