import { blocksOf, type CacheControl } from '../wire.ts';
import { report, type Walk } from './rule-table.ts';
import { ANTHROPIC_TEXTS } from './texts.ts';

/** Checks a marker's place among the others outside of the messages; to be called in the order tools, system. */
function checkMarker(walk: Walk, marker: CacheControl, path: string): void {
  if (marker.ttl !== '1h') walk.short = true;
  else if (walk.short) report(walk, -1, 'marker-order', ANTHROPIC_TEXTS['marker-order'](path, walk));
}

/** Checks and counts the markers outside of the messages, which come before those of the messages. */
export function checkHeadMarkers(walk: Walk): void {
  const { tools = [], system, cache_control: top } = walk.request;
  if (top) walk.markers++;
  const heads = { tools, system: typeof system === 'string' ? [] : (system ?? []) };
  for (const [name, list] of Object.entries(heads)) {
    for (const [at, { cache_control: marker }] of list.entries()) {
      if (!marker) continue;
      walk.markers++;
      checkMarker(walk, marker, `${name}.${at}`);
    }
  }
}

/** Checks the marker of the request itself against the one of the block that it falls on. */
export function checkTopMarker(walk: Walk): void {
  const top = walk.request.cache_control;
  const target = top && blocksOf(walk.messages.at(-1)).at(-1)?.cache_control;
  if (!target) return;
  const ttl = top.ttl ?? '5m';
  const present = target.ttl ?? '5m';
  if (ttl === present) return;
  report(
    walk,
    -1,
    'marker-conflict',
    `Top-level cache_control has ttl='${ttl}' but the target block already has cache_control with ttl='${present}'`,
  );
}
