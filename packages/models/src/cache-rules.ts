import { openai } from './makers/openai.ts';
import type { CacheRules, FoundModel } from './model.ts';
import { MODEL_MAKERS } from './table.ts';

/** How the server of a model caches prompts; as OpenAI's if its maker is not listed. Pure. */
export function cacheRules(model: FoundModel): CacheRules {
  return (MODEL_MAKERS[model.provider] ?? openai).cacheRules(model);
}
