import type { CacheRules, FoundModel, ModelInfo } from '../model.ts';

export type ModelRow = Omit<ModelInfo, 'id'>;

/** What is known about one maker's models. `table.ts` lists the makers. */
export interface Maker {
  readonly models: Readonly<Record<string, ModelRow>>;
  /** What resellers put before the names of its models. */
  readonly prefix: RegExp;
  /** The usual spelling of a name, if resellers use another. Pure. */
  spelled?(name: string): string;
  /** What is known about an unlisted model from its name; undefined if the name is not one of this maker's. Pure. */
  guess(name: string): Pick<ModelRow, 'provider' | 'adaptive_thinking'> | undefined;
  /** How many blocks before a breakpoint its caches search, if they hold whole blocks. */
  readonly lookback?: number;
  /** How its server caches prompts. Pure. */
  cacheRules(model: FoundModel): CacheRules;
}
