import { HoldfastError } from 'holdfast';
import { configPlaces } from '../config/files.ts';
import { linkJudge } from './files/hard-links.ts';
import { openWorkspace } from './files/workspace.ts';
import { mcpServersSchema } from './mcp/config.ts';
import type { ToolsOptions } from './options.ts';
import { memoryOutputs } from './outputs/outputs.ts';
import { linkedConfig } from './protected/linked-config.ts';
import { fileJudge, guardConfig, matchConfig, pathsInside } from './protected/protected-files.ts';
import { unreachablePaths } from './protected/unreachable.ts';
import { scopeJudge } from './scope/judge.ts';
import { IGNORED } from './search/tree.ts';
import { createTreeClient } from './search/tree-client.ts';

/** What the tools of an agent share: its options, with defaults filled in, and what was made from them. */
export type ToolSetting = ReturnType<typeof settingOf>;

/** Fills the defaults and opens the workspace. Throws BAD_CONFIG. */
export function settingOf(options: ToolsOptions, warn: (message: string) => void) {
  const workspace = openWorkspace(options.workspace);
  const servers = mcpServersSchema.safeParse(options.mcp_servers ?? {});
  if (!servers.success) {
    const said = servers.error.issues.map((issue) => `mcp_servers.${issue.path.join('.')}: ${issue.message}`);
    throw new HoldfastError('BAD_CONFIG', said.join('; '), {}, servers.error);
  }
  const { scope, ignored = IGNORED, protected: named = [], revert_outside_scope: wanted = 'forbidden' } = options;
  const { root } = workspace;
  const unreachable = unreachablePaths(root.path, options.unreachable ?? []);
  const hidden = pathsInside(root.path, unreachable);
  // A configuration that is a symlink must be protected at its target, too.
  const kept = pathsInside(root.path, [...named, ...configPlaces(root.path)]);
  const max_watched_files = options.max_watched_files ?? 20_000;
  const linked = linkedConfig(root, ignored, max_watched_files);
  const isNamed = matchConfig(kept);
  const isConfig = (path: string) => isNamed(path) || linked.has(path);
  const forbids = scopeJudge({ forbidden: scope?.forbidden ?? [], problems: [] });
  return {
    ...options,
    workspace,
    client: createTreeClient(),
    judge: fileJudge(hidden, isConfig, scope),
    linked,
    links: linkJudge({ ...options, root, ignored, unreachable }),
    /** Restores Holdfast's own configuration, inside the workspace and outside. */
    guard: guardConfig(root.path, [...kept, ...named]),
    /** Paths in the workspace that file tools may not reach. */
    hidden,
    /** True if a file changed outside the scope should be restored. */
    revert: (path: string) =>
      isConfig(path) || (wanted === 'forbidden' ? forbids(path, 'write') !== undefined : wanted),
    /** Reports a problem with an MCP server. */
    warn,
    ignored,
    unreachable,
    outputs: options.outputs ?? memoryOutputs(),
    max_output_chars: Math.max(1_000, options.max_output_chars ?? 20_000),
    max_watched_files,
    time_limit_ms: options.time_limit_ms ?? 120_000,
    search_limit_ms: options.search_limit_ms ?? 10_000,
    grace_ms: options.grace_ms ?? 2_000,
    mcp_servers: servers.data,
    mcp_start_limit_ms: options.mcp_start_limit_ms ?? 15_000,
    env: options.env ?? process.env,
    pass_env: options.pass_env ?? [],
  };
}
