import type { CacheRules } from 'holdfast/replay';
import type { ProviderConfig } from '../config/config.ts';
import type { ModelRequest } from '../models/ask-model.ts';
import type { FoundModel, ModelOverrides } from '../models/model.ts';
import type { Provider } from './provider.ts';

/** Everything that Holdfast knows about one provider. `index.ts` lists them; all else derives from that list. */
export interface ProviderDefinition {
  /** Its name in `provider.type` and `--provider`. */
  readonly type: string;
  /**
   * The format of its messages, or one for each `provider.api`. Undefined: it runs a program that keeps its own conversation
   * and has its own tools.
   */
  readonly dialect?: string | Readonly<Record<ProviderConfig['api'], string>>;
  /** The model if the configuration names none. Undefined: only the provider knows. */
  readonly default_model?: string;
  /** The server that it talks to. `doctor` checks its key, its address and the model. */
  readonly server?: ServerDefinition;
  /** The program that it runs. `doctor` looks for it. */
  readonly program?: ProgramDefinition;
  /** Makes the provider and sends nothing. Throws BAD_CONFIG. */
  create(config: ProviderSettings, models: ModelOverrides): Provider;
}

export interface ServerDefinition {
  /** Whose API it speaks, as in the model table: a chat offers those models. */
  readonly maker: string;
  /** Environment variables that hold its key, the usual one first. */
  readonly keys: readonly string[];
  /** The one of them that is sent as `authorization`, if the usual key is not. */
  readonly token_variable?: string;
  /** The environment variable that holds another address. */
  readonly baseUrlVariable: string;
  readonly base_url: string;
  readonly modelRequest: ModelRequest;
  /** How it caches the prompts of a model, for replays. */
  cacheRules(model: FoundModel): CacheRules;
  /** What may be wrong with an address where nothing was found; undefined if it looks right. */
  wrongAddress?(base_url: string): string | undefined;
}

export interface ProgramDefinition {
  readonly name: string;
  /** How to install it, as an imperative without a full stop. */
  readonly install: string;
}

/** The configuration of a provider whose type is known. */
export type ProviderSettings = Partial<Omit<ProviderConfig, 'type'>>;
