import { expect, test } from 'vitest';
import { createCrewMetrics } from './metrics.ts';

test('reminders are counted by agent', async () => {
  const { observe, registry } = await createCrewMetrics();
  observe({ type: 'reminder-add', agent: 'writer', about: ['a.ts'], handles: ['m4'], tokens: 120 });
  observe({ type: 'reminder-add', agent: 'writer', about: ['a.ts'], handles: ['m9'], tokens: 80 });
  expect(await registry.metrics()).toContain('holdfast_crew_reminders_total{agent="writer"} 2\n');
});
