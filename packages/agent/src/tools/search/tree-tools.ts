import { z } from 'zod';
import { defined } from '../../defined.ts';
import { type AgentTool, defineTool } from '../define.ts';
import { ToolFailure } from '../failure.ts';
import { FILE_BYTES } from '../files/file-tools.ts';
import type { ToolSetting } from '../setting.ts';

const whereSchema = z.strictObject({
  path: z
    .string()
    .optional()
    .describe('Folder or file to start at, relative to the workspace; default: the whole workspace'),
  glob: z.string().optional().describe('Only matching files, such as *.ts or src/**/*.test.ts'),
  include_ignored: z.boolean().optional().describe('Also look into .git and node_modules'),
});
const listSchema = whereSchema.extend({
  depth: z.int().min(1).optional().describe('How many levels deep; 1 is the folder itself'),
});
const searchSchema = z.strictObject({
  pattern: z.string().min(1).describe('JavaScript regular expression, matched line by line'),
  literal: z.boolean().optional().describe('Treat pattern as plain text'),
  ignore_case: z.boolean().optional(),
  ...whereSchema.shape,
  context: z.int().min(0).max(20).optional().describe('Lines to show before and after each match'),
  max_matches: z.int().min(1).max(5_000).optional().describe('Default 200'),
});
const MOST_ENTRIES = 5_000;

/** `list_files` and `search`. */
export function treeTools(setting: ToolSetting): AgentTool[] {
  const { workspace, client, hidden, unreachable, scope, search_limit_ms } = setting;
  const query = ({ path = '.', glob, include_ignored }: z.infer<typeof whereSchema>) => {
    const ignored = include_ignored ? [] : setting.ignored;
    return defined({ root: workspace.root, names: workspace.names(path), ignored, hidden, glob, scope });
  };
  const late = `it took longer than ${search_limit_ms} ms and was stopped`;
  return [
    defineTool(setting, {
      name: 'list_files',
      description: 'Lists files and folders, one path per line; folders end in "/".',
      schema: listSchema,
      repeatable: true,
      async run({ depth, ...where }, { signal }) {
        const job = { type: 'list', ...query(where), ...(depth && { depth }), max: MOST_ENTRIES } as const;
        const { answer } = await client.run(job, search_limit_ms, signal);
        if (!Array.isArray(answer)) throw new ToolFailure(`list_files: ${late}; narrow it with path or depth`);
        return answer.join('\n') || 'no files';
      },
    }),
    defineTool(setting, {
      name: 'search',
      description: 'Searches files for a regular expression or plain text; shows path:line: text.',
      schema: searchSchema,
      repeatable: true,
      async run(
        { pattern, literal = false, ignore_case = false, context = 0, max_matches = 200, ...where },
        { signal },
      ) {
        const how = { pattern, literal, ignore_case, context, max_matches, maxBytes: FILE_BYTES, unreachable };
        const result = await client.run({ type: 'search', ...query(where), ...how }, search_limit_ms, signal);
        if (!result.late && Array.isArray(result.answer)) return [...result.lines, ...result.answer].join('\n');
        const advice = `search: ${late}; use a simpler pattern, set literal, or narrow it with path or glob`;
        throw new ToolFailure([...result.lines, `[${advice}]`].join('\n'));
      },
    }),
  ];
}
