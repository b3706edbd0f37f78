import { nearest } from '@holdfast/agent/config';
import { NOTE_NAME } from '../history/note.ts';
import { signalsOf } from '../routing/signals.ts';
import { senselessTools } from './check-commands.ts';
import type { CrewConfig } from './config.ts';
import type { Wrong } from './shape.ts';

/** What is wrong with a crew whose values are all good by themselves: names that lead nowhere, turns that never end. Pure. */
export function senseless(crew: CrewConfig): Wrong[] {
  const wrong: Wrong[] = senselessTools(crew);
  const agents = Object.keys(crew.agents);
  const all = [...agents, ...Object.keys(crew.groups)];
  const refuse = (path: readonly PropertyKey[], text: string) => void wrong.push({ path, text });
  const known = (path: readonly PropertyKey[], name: string, names: readonly string[], what: string) => {
    if (names.includes(name)) return;
    const meant = nearest(name, names);
    refuse(path, `is ${JSON.stringify(name)}, which is no ${what}: ${meant ? `did you mean ${meant}?` : give(names)}`);
  };
  known(['entry'], crew.entry, agents, 'agent');
  if (agents.includes(NOTE_NAME)) refuse(['agents', NOTE_NAME], 'is the name of notes: give the agent another');
  if (Object.hasOwn(crew.groups, NOTE_NAME))
    refuse(['groups', NOTE_NAME], 'is the name of notes: give the group another');
  for (const name of Object.keys(crew.groups))
    if (agents.includes(name)) refuse(['groups', name], 'is the name of an agent, too: give the group another');
  for (const [name, group] of Object.entries(crew.groups)) {
    if (group.agents.length === 0) refuse(['groups', name, 'agents'], 'is empty: name at least one agent');
    group.agents.forEach((one, i) => {
      known(['groups', name, 'agents', i], one, agents, 'agent');
      if (group.agents.indexOf(one) < i)
        refuse(['groups', name, 'agents', i], `is ${one}, which is in the group already: name each agent once`);
    });
    known(['groups', name, 'join'], group.join, agents, 'agent');
    if (group.agents.includes(group.join))
      refuse(['groups', name, 'join'], `is ${group.join}, which is in the group: name another agent`);
  }
  for (const [name, agent] of Object.entries(crew.agents)) {
    const others = all.filter((one) => one !== name);
    const to = (path: readonly PropertyKey[], target: string) => {
      if (target === name) refuse(path, `is ${name} itself: name another agent, or leave it out`);
      else known(path, target, others, 'agent or group');
    };
    const own = agent.tools.indexOf('hand_off');
    if (own >= 0)
      refuse(['agents', name, 'tools', own], 'is hand_off, which who has hand_offs has by itself: leave it out');
    agent.tools.forEach((tool, i) => {
      if (agent.tools.indexOf(tool) < i)
        refuse(['agents', name, 'tools', i], `is ${tool}, which it has already: name each tool once`);
    });
    agent.hand_offs.forEach((target, i) => {
      to(['agents', name, 'hand_offs', i], target);
    });
    for (const [signal, target] of Object.entries(agent.signals)) to(['agents', name, 'signals', signal], target);
    if (agent.next !== undefined) to(['agents', name, 'next'], agent.next);
    const signals = signalsOf(agent);
    for (const [i, { signal, to: target }] of signals.entries()) {
      const first = signals.slice(0, i).find((one) => one.signal === signal && one.to !== target);
      if (first)
        refuse(
          ['agents', name, 'hand_offs', agent.hand_offs.indexOf(target)],
          `is ${target}, whose signal ${signal} leads to ${first.to}: give one of the two another name, or a signal of its own under signals`,
        );
    }
    const goesOn = signals.length > 0 || agent.next !== undefined;
    if (agent.terminal && goesOn)
      refuse(['agents', name, 'terminal'], 'is true, and it hands over, too: leave out hand_offs, signals and next');
    if (agent.pause && (agent.terminal || agent.next !== undefined))
      refuse(
        ['agents', name, 'pause'],
        `is true, and so the user goes on: leave out ${agent.next ? 'next' : 'terminal'}`,
      );
  }
  return wrong;
}

function give(names: readonly string[]): string {
  return names.length === 0 ? 'there is none' : `give one of ${names.join(', ')}`;
}
