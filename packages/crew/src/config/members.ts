import type { Provider, ProviderConfig, Tool } from '@holdfast/agent';
import { createProvider } from '@holdfast/agent';
import { DEFAULT_PROVIDER, problemsError, providerOf } from '@holdfast/agent/config';
import type { CrewParts } from '../executor.ts';
import { unknownName } from './check.ts';
import type { AgentConfig, CrewConfig } from './config.ts';
import { pathText } from './shape.ts';

/** An agent with its provider, model and tools. */
export interface Member {
  readonly agent: AgentConfig;
  readonly provider: Provider;
  readonly model: string;
  readonly tools: readonly Tool[];
}

/** All agents with their providers and tools. Throws BAD_CONFIG for unknown tools. */
export function membersOf(crew: CrewConfig, parts: CrewParts): Map<string, Member> {
  const { provider: make, tools = [], placeOf } = parts;
  const names = tools.map(({ name }) => name);
  const problems = Object.entries(crew.agents).flatMap(([agent, { tools: wanted }]) =>
    wanted.flatMap((name, i) => unknownName(['agents', agent, 'tools', i], name, names, 'tool')),
  );
  if (problems.length > 0)
    throw problemsError(
      problems.map(({ path, text }) => ({ place: placeOf?.(path) ?? 'crew', text: pathText(path) + text })),
    );
  return new Map(
    Object.entries(crew.agents).map(([name, agent]) => {
      const config = {
        ...crew.provider,
        ...agent.provider,
        ...(agent.model === undefined ? {} : { model: agent.model }),
      };
      const provider = make ? make(name, config) : createProvider(config);
      const own = agent.tools.flatMap((wanted) => tools.filter((tool) => tool.name === wanted));
      return [name, { agent, provider, model: modelOf(config), tools: own }];
    }),
  );
}

/** The model that answers; if only the provider knows it, the default provider's, for its window and prices. */
function modelOf({ model, type = DEFAULT_PROVIDER }: Partial<ProviderConfig>): string {
  return model ?? providerOf(type)?.defaultModel ?? providerOf(DEFAULT_PROVIDER)?.defaultModel ?? '';
}
