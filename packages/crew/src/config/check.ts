import { nearest } from '@holdfast/agent/config';
import { NOTE_NAME } from '../history/note.ts';
import { signalsOf } from '../routing/signals.ts';
import { commandProblems } from './check-commands.ts';
import type { AgentConfig, CrewConfig, GroupConfig } from './config.ts';
import type { ShapeProblem } from './shape.ts';

type Path = ShapeProblem['path'];

/** Problems of a crew whose values are each valid: names that lead nowhere, turns that never end. Pure. */
export function crewProblems(crew: CrewConfig): ShapeProblem[] {
  const agents = Object.keys(crew.agents);
  const groups = Object.keys(crew.groups);
  const reserved = ': this name is reserved for notes: choose another';
  return [
    ...commandProblems(crew),
    ...unknownName(['entry'], crew.entry, agents, 'agent'),
    ...when(agents.includes(NOTE_NAME), ['agents', NOTE_NAME], reserved),
    ...when(groups.includes(NOTE_NAME), ['groups', NOTE_NAME], reserved),
    ...groups.flatMap((name) =>
      when(agents.includes(name), ['groups', name], ': an agent has the same name: choose another'),
    ),
    ...Object.entries(crew.groups).flatMap(([name, group]) => groupProblems(['groups', name], group, agents)),
    ...Object.entries(crew.agents).flatMap(([name, agent]) => agentProblems(name, agent, [...agents, ...groups])),
  ];
}

function groupProblems(path: Path, { agents, join }: GroupConfig, all: readonly string[]): ShapeProblem[] {
  return [
    ...when(agents.length === 0, [...path, 'agents'], 'is empty: name at least one agent'),
    ...agents.flatMap((agent, i) => unknownName([...path, 'agents', i], agent, all, 'agent')),
    ...repeated([...path, 'agents'], agents),
    ...unknownName([...path, 'join'], join, all, 'agent'),
    ...when(agents.includes(join), [...path, 'join'], `: ${join} is in the group: name another agent`),
  ];
}

function agentProblems(name: string, agent: AgentConfig, all: readonly string[]): ShapeProblem[] {
  const { tools, hand_offs, next, terminal, pause } = agent;
  const path = ['agents', name];
  const others = all.filter((one) => one !== name);
  const itself = `: ${name} cannot hand over to itself: name another agent, or remove it`;
  const target = (at: Path, to: string) =>
    to === name ? when(true, at, itself) : unknownName(at, to, others, 'agent or group');
  const signals = signalsOf(agent);
  const handsOver = signals.length > 0 || next !== undefined;
  const own = tools.indexOf('hand_off');
  return [
    ...when(own >= 0, [...path, 'tools', own], ': agents with hand_offs always have hand_off: remove it'),
    ...repeated([...path, 'tools'], tools),
    ...hand_offs.flatMap((to, i) => target([...path, 'hand_offs', i], to)),
    ...Object.entries(agent.signals).flatMap(([signal, to]) => target([...path, 'signals', signal], to)),
    ...(next === undefined ? [] : target([...path, 'next'], next)),
    ...signals.flatMap(({ signal, to }, i) => {
      const first = signals.slice(0, i).find((one) => one.signal === signal && one.to !== to);
      const text = `: the signal ${signal} of ${to} already leads to ${first?.to}: rename one of the two, or add a signal of its own under signals`;
      return when(first !== undefined, [...path, 'hand_offs', hand_offs.indexOf(to)], text);
    }),
    ...when(
      terminal && handsOver,
      [...path, 'terminal'],
      'is true, but the agent hands over: remove hand_offs, signals and next',
    ),
    ...when(
      pause && (terminal || next !== undefined),
      [...path, 'pause'],
      `is true, so the user is next: remove ${next ? 'next' : 'terminal'}`,
    ),
  ];
}

function when(isWrong: boolean, path: Path, text: string): ShapeProblem[] {
  return isWrong ? [{ path, text }] : [];
}

/** A problem if the name is not one of `names`, with the one that was probably meant. Pure. */
export function unknownName(path: Path, name: string, names: readonly string[], what: string): ShapeProblem[] {
  const meant = nearest(name, names);
  const all = names.length === 0 ? 'there is none' : `expected one of ${names.join(', ')}`;
  const advice = meant ? `did you mean ${meant}?` : all;
  return when(!names.includes(name), path, `: unknown ${what} ${JSON.stringify(name)}: ${advice}`);
}

function repeated(path: Path, names: readonly string[]): ShapeProblem[] {
  return names.flatMap((name, i) =>
    when(names.indexOf(name) < i, [...path, i], `: ${name} is listed twice: remove one`),
  );
}

/** Settings that work but are probably a mistake: repeated hand-offs, agents and groups that no agent hands over to. Pure. */
export function crewWarnings(crew: CrewConfig): ShapeProblem[] {
  const { entry, agents, groups } = crew;
  const reached = new Set([entry]);
  // The loop also visits the names that it adds.
  for (const name of reached) {
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
    const next = agent && [...agent.hand_offs, ...Object.values(agent.signals), ...(agent.next ? [agent.next] : [])];
    for (const one of [...(next ?? []), ...(group ? [...group.agents, group.join] : [])]) reached.add(one);
  }
  const text = ': no agent hands over to it: name it in hand_offs, signals or next of another agent, or remove it';
  return [
    ...Object.entries(agents).flatMap(([name, { hand_offs }]) => repeated(['agents', name, 'hand_offs'], hand_offs)),
    ...(['agents', 'groups'] as const).flatMap((part) =>
      Object.keys(crew[part])
        .filter((name) => !reached.has(name))
        .map((name) => ({ path: [part, name], text, key: true as const })),
    ),
  ];
}
