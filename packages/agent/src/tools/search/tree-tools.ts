import { z } from 'zod';
import { type AgentTool, type Caps, defineTool } from '../define.ts';
import { ToolFailure } from '../failure.ts';
import { FILE_BYTES } from '../files/read-file.ts';
import type { Workspace } from '../files/workspace.ts';
import type { Scope } from '../scope/judge.ts';
import type { TreeClient } from './tree-client.ts';

/** What list_files and search work with. */
export interface Trees {
  readonly workspace: Workspace;
  readonly client: TreeClient;
  readonly ignored: readonly string[];
  readonly hidden: readonly string[];
  readonly unreachable: readonly string[];
  readonly scope?: Scope;
  readonly time_limit_ms: number;
}

const where = {
  path: z
    .string()
    .optional()
    .describe('Folder or file to start at, relative to the workspace; default: the whole workspace'),
  glob: z.string().optional().describe('Only matching files, such as *.ts or src/**/*.test.ts'),
  include_ignored: z.boolean().optional().describe('Also look into .git and node_modules'),
};
const listSchema = z.strictObject({
  ...where,
  depth: z.int().min(1).optional().describe('How many levels deep; 1 is the folder itself'),
});
const searchSchema = z.strictObject({
  pattern: z.string().min(1).describe('JavaScript regular expression, matched line by line'),
  literal: z.boolean().optional().describe('Treat pattern as plain text'),
  ignore_case: z.boolean().optional(),
  ...where,
  context: z.int().min(0).max(20).optional().describe('Lines to show before and after each match'),
  max_matches: z.int().min(1).max(5_000).optional().describe('Default 200'),
});
const MOST_ENTRIES = 5_000;

/** `list_files` and `search`. */
export function treeTools(trees: Trees, caps: Caps): AgentTool[] {
  const { workspace, client, scope, time_limit_ms } = trees;
  const query = (input: {
    path?: string | undefined;
    glob?: string | undefined;
    include_ignored?: boolean | undefined;
  }) => ({
    root: workspace.root,
    names: workspace.names(input.path ?? '.'),
    ignored: input.include_ignored ? [] : trees.ignored,
    hidden: trees.hidden,
    ...(input.glob === undefined ? {} : { glob: input.glob }),
    ...(scope === undefined ? {} : { scope }),
  });
  const late = `it took longer than ${time_limit_ms} ms and was stopped`;
  return [
    defineTool(
      {
        name: 'list_files',
        description: 'Lists files and folders, one path per line; folders end in "/".',
        schema: listSchema,
        repeatable: true,
        async run(input, { signal }) {
          const depth = input.depth === undefined ? {} : { depth: input.depth };
          const job = { type: 'list', ...query(input), ...depth, max: MOST_ENTRIES } as const;
          const { answer } = await client.run(job, time_limit_ms, signal);
          if (!Array.isArray(answer)) throw new ToolFailure(`list_files: ${late}; narrow it with path or depth`);
          return answer.join('\n') || 'no files';
        },
      },
      caps,
    ),
    defineTool(
      {
        name: 'search',
        description: 'Searches files for a regular expression or plain text; shows path:line: text.',
        schema: searchSchema,
        repeatable: true,
        async run(input, { signal }) {
          const { pattern, literal = false, ignore_case = false, context = 0, max_matches = 200 } = input;
          const { unreachable } = trees;
          const how = { pattern, literal, ignore_case, context, max_matches, max_bytes: FILE_BYTES, unreachable };
          const result = await client.run({ type: 'search', ...query(input), ...how }, time_limit_ms, signal);
          if (!result.late && Array.isArray(result.answer)) return [...result.lines, ...result.answer].join('\n');
          const advice = `search: ${late}; use a simpler pattern, set literal, or narrow it with path or glob`;
          throw new ToolFailure([...result.lines, `[${advice}]`].join('\n'));
        },
      },
      caps,
    ),
  ];
}
