import { counted } from '../files/text.ts';

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Most tools per server. Every request carries all of them; the limits are not measured. */
export const MOST_TOOLS = 100;
const DESCRIPTION_CHARS = 2_000;
const SCHEMA_CHARS = 20_000;
const ALL_CHARS = 200_000;
const NAMED = 5;

/** The server's tools that fit into a request, in order, and what was left out. Pure. */
export function withinCaps(offered: readonly McpTool[]): { tools: McpTool[]; leftOut: string[] } {
  const tools: McpTool[] = [];
  const cut: string[] = [];
  const large: string[] = [];
  const many: string[] = [];
  let room = ALL_CHARS;
  for (const tool of offered) {
    const { name, description = '' } = tool;
    const schema = JSON.stringify(tool.inputSchema).length;
    const size = schema + Math.min(description.length, DESCRIPTION_CHARS);
    if (schema > SCHEMA_CHARS) large.push(name);
    else if (tools.length === MOST_TOOLS || size > room) many.push(name);
    else {
      const isLong = description.length > DESCRIPTION_CHARS;
      if (isLong) cut.push(name);
      tools.push(isLong ? { ...tool, description: `${description.slice(0, DESCRIPTION_CHARS - 1)}…` } : tool);
      room -= size;
    }
  }
  const said = (names: readonly string[], what: string) => (names.length === 0 ? [] : [`${what} (${listed(names)})`]);
  return {
    tools,
    leftOut: [
      ...said(large, `${counted(large.length, 'tool')} left out: input schema over ${SCHEMA_CHARS} characters`),
      ...said(
        many,
        `${counted(many.length, 'tool')} or more left out: over ${MOST_TOOLS} tools or ${ALL_CHARS} characters`,
      ),
      ...said(cut, `${counted(cut.length, 'description')} cut at ${DESCRIPTION_CHARS} characters`),
    ],
  };
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).map((name) => (name.length > 64 ? `${name.slice(0, 63)}…` : name));
  return names.length > NAMED ? `${shown.join(', ')}, …` : shown.join(', ');
}
