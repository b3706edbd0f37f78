import { createHash } from 'node:crypto';
import type { ResolvedOptions } from '../../loop/api-options.ts';

/** One key for all requests with the same beginning, which routes them to the same cache. */
export function cacheKey({ model, system = '', tools = [] }: ResolvedOptions): string {
  const names = tools.map(({ name }) => name);
  return `holdfast-${createHash('sha256')
    .update(JSON.stringify([model, system, ...names]))
    .digest('hex')
    .slice(0, 24)}`;
}
