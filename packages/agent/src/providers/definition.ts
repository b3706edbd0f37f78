import type { ModelOverrides } from '@holdfast/models';
import type { Rows } from '../config/row.ts';
import type { ModelRequest } from './ask-model.ts';
import type { Provider } from './provider.ts';

/** Keys under `provider` in the configuration that all providers share. */
export interface SharedSettings {
  readonly model?: string;
  /** Any server that speaks the API. */
  readonly base_url?: string;
  /** Maximum tokens in one answer. */
  readonly max_output?: number;
  /** Whether the model thinks before it answers. */
  readonly thinking?: boolean;
}

/** Everything that Holdfast knows about one provider. `index.ts` lists them; all else derives from that list. */
export interface ProviderDefinition<Own extends object = object> {
  /** Its name in `provider.type` and `--provider`. */
  readonly type: string;
  /** Its own keys under `provider`. Providers with the same key must have the same row. */
  readonly rows?: Rows<Own>;
  /**
   * The format of its messages, or which of its keys decides. Undefined: it runs a program that keeps its own conversation and
   * has its own tools.
   */
  readonly dialect?: string | DialectChoice;
  /** The model if the configuration names none. Undefined: only the provider knows. */
  readonly defaultModel?: string;
  /** The server that it talks to. `doctor` checks its key, its address and the model. */
  readonly server?: ServerDefinition;
  /** The program that it runs. `doctor` looks for it. */
  readonly program?: ProgramDefinition;
  /** The command line plays it with a script. Other programs cannot create it. */
  readonly isScript?: true;
  /** Makes the provider and sends nothing. Throws BAD_CONFIG. */
  create(config: SharedSettings & Partial<Own> & { readonly api_key?: string }, models: ModelOverrides): Provider;
}

/** A key of the provider's own, and the format of the messages for each of its values. */
export interface DialectChoice {
  readonly key: string;
  readonly formats: Readonly<Record<string, string>>;
}

export interface ServerDefinition {
  /** Whose API it speaks, as in the model table: a chat offers those models. */
  readonly maker: string;
  /** Environment variables that hold its key, the usual one first. */
  readonly keys: readonly string[];
  /** The one of them that is sent as `authorization`, if the usual key is not. */
  readonly tokenVariable?: string;
  /** The environment variable that holds another address. */
  readonly baseUrlVariable: string;
  readonly base_url: string;
  readonly modelRequest: ModelRequest;
  /** What may be wrong with an address where nothing was found; undefined if it looks right. */
  wrongAddress?(base_url: string): string | undefined;
}

export interface ProgramDefinition {
  readonly name: string;
  /** How to install it, as an imperative without a full stop. */
  readonly install: string;
}
