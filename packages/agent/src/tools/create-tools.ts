import { runCommandTool } from './commands/run-command.ts';
import type { AgentTool } from './define.ts';
import { endingTools } from './endings.ts';
import { fileTools } from './files/file-tools.ts';
import { mcpTools } from './mcp/tools.ts';
import type { ToolsOptions } from './options.ts';
import { recallTool } from './recall.ts';
import { treeTools } from './search/tree-tools.ts';
import { settingOf } from './setting.ts';

/** Tools, ready for a provider. */
export interface Tools {
  readonly tools: readonly AgentTool[];
  /** Problems with MCP servers as they happen; never contains keys. */
  readonly warnings: readonly string[];
  /** Stops MCP servers and the search thread. */
  close(): Promise<void>;
}

const SWEEP_MS = 3_000;

/** Creates the agent's tools and starts its MCP servers. Throws BAD_CONFIG; a failing server only causes a warning. */
export async function createTools(options: ToolsOptions): Promise<Tools> {
  const warnings: string[] = [];
  const setting = settingOf(options, (message) => {
    warnings.push(message);
    options.logger?.warn(message);
  });
  const { client, ignored, hidden, workspace } = setting;
  // Not awaited: the queue puts lists, searches and watching after it.
  client.run({ type: 'sweep', root: workspace.root, names: [], ignored, hidden }, SWEEP_MS).catch(() => {});
  const mcp = await mcpTools(setting);
  const own = [...fileTools(setting), ...treeTools(setting), runCommandTool(setting), recallTool(setting)];
  return {
    tools: [...own, ...endingTools(setting), ...mcp.tools],
    warnings,
    close: async () => void (await Promise.all([mcp.close(), client.close()])),
  };
}
