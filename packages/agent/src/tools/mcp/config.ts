import { z } from 'zod';
import { ToolFailure } from '../failure.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const texts = z.record(z.string(), z.string());

const program = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: texts.optional(),
  time_limit_ms: z.int().min(1).optional(),
});
const address = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  headers: texts.optional(),
  time_limit_ms: z.int().min(1).optional(),
});

/** `mcp_servers` in the configuration: for each server its name and a program to start or a URL to call. */
export const mcpServersSchema = z.record(
  z.string().regex(NAME, 'must be at most 32 letters, digits, "-" and "_"'),
  z.union([program, address], { error: 'expected { command, args?, env? } or { url, headers? }' }),
);

/** MCP servers by name. */
export type McpServers = z.infer<typeof mcpServersSchema>;

/** One MCP server: a program to start or a URL to call. */
export type McpServer = McpServers[string];

/** All keys an entry may have. */
export const MCP_SERVER_KEYS: readonly string[] = Object.keys({ ...program.shape, ...address.shape });

/** Replaces `${NAME}` in `env` and `headers` with that variable. Throws ToolFailure if it is not set. Pure. */
export function withVariables(
  name: string,
  server: McpServer,
  variables: Readonly<Record<string, string | undefined>>,
): McpServer {
  const fill = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [
        key,
        text.replace(/\$\{(\w+)\}/g, (_, variable: string) => {
          const value = variables[variable];
          if (value) return value;
          throw new ToolFailure(`MCP server "${name}" could not be started: set ${variable} in the environment`);
        }),
      ]),
    );
  if ('command' in server) return server.env ? { ...server, env: fill(server.env) } : server;
  return server.headers ? { ...server, headers: fill(server.headers) } : server;
}
