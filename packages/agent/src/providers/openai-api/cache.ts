import { createHash } from 'node:crypto';
import type { ResolvedOptions } from '../../loop/api-options.ts';
import type { FoundModel } from '../../models/model.ts';

/** One key for all requests that begin alike, so that they come to where that beginning is cached. */
export function cacheKey({ model, system = '', tools = [] }: ResolvedOptions): string {
  const names = tools.map(({ name }) => name);
  return `holdfast-${hash([model, system, ...names]).slice(0, 24)}`;
}

/** What thinking is bound to beside the messages. */
export function fingerprintOf({ model, system = '', tools = [] }: ResolvedOptions): string {
  const defined = tools.map(({ name, description, input_schema }) => [name, description, input_schema]);
  return hash([model, system, JSON.stringify(defined)]);
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** From GPT-5.6 on a prefix that is not marked is found only where an earlier request ended, so not behind a fold. */
export function wantsBreakpoints({ id, listed_as, provider }: FoundModel): boolean {
  const [, major = 0, minor = 0] = /^gpt-(\d+)(?:\.(\d+))?/.exec(listed_as ?? id) ?? [];
  return provider === 'openai' && Number(major) + Number(minor) / 100 >= 5.06;
}
