import { dirname, resolve } from 'node:path';
import { commandTools, createTools } from '@holdfast/agent';
import { type LoadedCrew, loadCrew } from './config/load.ts';
import { CrewExecutor, type CrewParts } from './executor.ts';

/** A crew from a file, with its tools. */
export interface OpenCrew {
  readonly executor: CrewExecutor;
  readonly file: string;
  readonly warnings: readonly string[];
  /** Stops MCP servers and releases what the tools hold. */
  close(): Promise<void>;
}

/**
 * Opens a crew from a file, or one that was loaded from `cwd`. Its own commands run in the file's folder, built-in tools are confined to `cwd` and cannot reach
 * `unreachable` files, and MCP servers start if an agent may use them. Throws BAD_CONFIG with all problems.
 */
export async function openCrew(
  crew: string | LoadedCrew,
  parts: CrewParts & { readonly cwd?: string; readonly unreachable?: readonly string[] } = {},
): Promise<OpenCrew> {
  const { cwd = process.cwd(), unreachable = [], tools: more = [], ...rest } = parts;
  const { config, placeOf, warnings, file: name } = typeof crew === 'string' ? loadCrew(crew, cwd) : crew;
  const file = resolve(cwd, name);
  const own = commandTools(config.tools, { folder: dirname(file), workspace: cwd, protected: [file] });
  const wanted = new Set(Object.values(config.agents).flatMap(({ tools }) => tools));
  const known = new Set([...own, ...more].map(({ name }) => name));
  const isEnough = [...wanted].every((name) => known.has(name));
  const { logger } = rest;
  const built = isEnough
    ? undefined
    : await createTools({
        workspace: cwd,
        // A crew writes without asking, and these files instruct other runs.
        protected: [file, 'AGENTS.md', '.ai/AGENTS.md', '.ai/roles', '.ai/skills'],
        unreachable,
        mcp_servers: config.mcp_servers,
        ...(logger ? { logger } : {}),
      });
  try {
    const theirs = (built?.tools ?? []).filter(({ name, ends }) => !ends && !known.has(name));
    const executor = new CrewExecutor(config, { ...rest, tools: [...own, ...more, ...theirs], placeOf });
    return { executor, file, warnings: [...warnings, ...(built?.warnings ?? [])], close: async () => built?.close() };
  } catch (error) {
    await built?.close();
    throw error;
  }
}
