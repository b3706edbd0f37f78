import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { FORMATS, scenarios } from './histories.ts';
import { playRewrites } from './rewrites.ts';

const numRuns = SOAK ? 400 : 16;

describe.each(FORMATS)('rewinds, edits, undo, pins and restored states in %s', (format) => {
  test('every view is valid, no new window does better, and every handle resolves to its original', {
    timeout: 3_600_000,
  }, async () => {
    const complaints: string[] = [];
    let handles = 0;
    let noticed = 0;
    let fits = 0;
    for (const scenario of fc.sample(scenarios(format), { numRuns, seed: SOAK ? Date.now() : 16 })) {
      const played = await playRewrites(scenario);
      handles += played.handles;
      noticed += played.noticed;
      fits += played.fits;
      complaints.push(...played.complaints);
      if (complaints.length > 5) break;
    }
    if (SOAK) console.log(`${format}: ${handles} handles, ${fits} fits, ${noticed} rewrites noticed`);
    expect(complaints.slice(0, 5)).toEqual([]);
    expect(handles).toBeGreaterThan(SOAK ? 5_000 : 50);
    expect(noticed).toBeGreaterThan(SOAK ? 1_000 : 12);
  });
});
