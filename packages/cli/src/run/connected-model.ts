import { createProvider, type HoldfastConfig, type Provider } from '@holdfast/agent';
import { missingKey, providerOf } from '@holdfast/agent/config';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
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

/** Connects to the configured provider; starts the stand-in if that is it. Throws WrongUse. */
export async function connectModel(
  { provider: config, models }: HoldfastConfig,
  { env }: Pick<Context, 'env'>,
  part: () => StandInPart,
): Promise<ConnectedModel> {
  const model = modelNameOf({ provider: config });
  if (providerOf(config.type)?.isScript) return connectStandIn(model ?? '', part());
  const missing = missingKey(config, env);
  if (missing) throw new WrongUse(`${missing.text}: ${missing.advice}, or try --provider stand-in`);
  const withModel = (name: string) => createProvider({ ...config, model: name }, models);
  return { provider: createProvider(config, models), model, withModel, notice: [], close: async () => {} };
}
