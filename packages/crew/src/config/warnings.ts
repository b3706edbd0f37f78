import type { CrewConfig } from './config.ts';
import type { Wrong } from './shape.ts';

/** What works, and is hardly meant: hand-offs that are named twice, agents and groups that nobody hands over to. Pure. */
export function doubtful(crew: CrewConfig): Wrong[] {
  const twice = Object.entries(crew.agents).flatMap(([name, { hand_offs }]) =>
    hand_offs.flatMap((to, i): Wrong[] =>
      hand_offs.indexOf(to) < i
        ? [{ path: ['agents', name, 'hand_offs', i], text: `is ${to}, which is named already: leave one out` }]
        : [],
    ),
  );
  const reached = reachable(crew);
  const unreached = (['agents', 'groups'] as const).flatMap((part) =>
    Object.keys(crew[part])
      .filter((name) => !reached.has(name))
      .map((name): Wrong => {
        const text = 'is reached by nobody: name it in hand_offs, signals or next of another, or leave it out';
        return { path: [part, name], text, key: true };
      }),
  );
  return [...twice, ...unreached];
}

function reachable({ entry, agents, groups }: CrewConfig): ReadonlySet<string> {
  const reached = new Set([entry]);
  // A set that grows is gone through to its end.
  for (const name of reached) {
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
    const next = agent && [...agent.hand_offs, ...Object.values(agent.signals), ...(agent.next ? [agent.next] : [])];
    for (const one of [...(next ?? []), ...(group ? [...group.agents, group.join] : [])]) reached.add(one);
  }
  return reached;
}
