/** What a model may use to recall. */
export interface RecallWays {
  /** The command that takes a handle, for clients with a shell; false if no shell can reach the store. Default `holdfast recall`. */
  readonly command?: string | false;
}

/** The tool of our MCP server, as clients rename it: `mcp__holdfast__recall`, `holdfast_recall`. */
const RECALL_TOOL = /holdfast.*recall$/i;
/** Tools that run commands: `Bash`, `exec_command`, `run_shell_command`, `execute_command`, `run_in_terminal`. */
const SHELL_TOOL = /(?:^|[_.-])(?:bash|shell|powershell|exec|terminal|commands?)(?:$|[_.-])/i;

/**
 * The sentence of a note that says how this client's model recalls, with `{handle}` in it, by the tools of its request. Undefined
 * if it cannot recall. Pure.
 */
export function recallSentence(tools: unknown, { command = 'holdfast recall' }: RecallWays = {}): string | undefined {
  const names = toolNames(tools);
  const tool = names.find((name) => RECALL_TOOL.test(name));
  if (tool !== undefined) return `To read an original, call the tool ${tool} with its handle, such as {handle}.`;
  if (command === false || !names.some((name) => SHELL_TOOL.test(name))) return undefined;
  return `To read an original, run \`${command} {handle}\` in the shell with its handle.`;
}

/** The names of a request's tools in any API, those of a group with the group's name in front. Pure. */
function toolNames(tools: unknown, group = ''): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const {
      name,
      type,
      function: inner,
      tools: members,
      functionDeclarations,
    } = (tool ?? {}) as Readonly<Record<string, unknown>>;
    if (Array.isArray(functionDeclarations)) return toolNames(functionDeclarations);
    const own = name ?? (inner as { readonly name?: unknown } | undefined)?.name ?? type;
    if (typeof own !== 'string') return [];
    const full = group + own;
    return Array.isArray(members) ? toolNames(members, `${full}__`) : [full];
  });
}
