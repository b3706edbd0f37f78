import { expect, test } from 'vitest';
import { crewConfig } from '../config/load.ts';
import { readHandOffs, systemPrompt } from './hand-off.ts';

test('what a system prompt says about hand-offs can be read back', () => {
  const crew = crewConfig({
    entry: 'triage',
    agents: {
      triage: { role: 'Sort:\n- by urgency', hand_offs: ['disk-check'], signals: { '[ASK NOW]': 'asker' } },
      'disk-check': { role: 'Check disks.', about: 'disks: full, slow', terminal: true },
      asker: { role: 'Ask.', hand_offs: ['disk-check'], pause: true },
    },
  });
  const read = (name: string) => {
    const agent = crew.agents[name];
    return agent && readHandOffs(systemPrompt(crew, name, agent, true));
  };
  const disks = { signal: '[ROUTE_DISK_CHECK]', to: 'disk-check', about: 'disks: full, slow' };
  expect(read('triage')).toEqual({ targets: [{ signal: '[ASK NOW]', to: 'asker', about: '' }, disks], pauses: false });
  expect(read('asker')).toEqual({ targets: [disks], pauses: true });
  expect(read('disk-check')).toEqual({ targets: [], pauses: false });
});
