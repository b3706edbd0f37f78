import { expect, test } from 'vitest';
import type { ToolContext } from '../providers/provider.ts';
import { approved } from './approved.ts';

test('"always" approves a tool, except for calls that must be approved each time', async () => {
  const asked: unknown[] = [];
  const write = { name: 'write', description: '', input_schema: {}, run: () => 'done' };
  const [tool] = approved([write], {
    approve: async ({ input }) => {
      asked.push(input);
      return { always: { tool: 'write' } };
    },
    askAgain: ({ input }) => input === 'AGENTS.md',
  });
  const context: ToolContext = { callId: '1', signal: new AbortController().signal, fileChanged() {} };
  for (const path of ['a', 'b', 'AGENTS.md', 'AGENTS.md', 'c']) await tool?.run(path, context);
  expect(asked).toEqual(['a', 'AGENTS.md', 'AGENTS.md']);
});
