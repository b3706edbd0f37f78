import { describe, expect, it } from 'vitest';
import { statementsOf } from './statements.ts';

describe('statementsOf', () => {
  it('takes what the assistant decided and found, not its progress reports', () => {
    const text = `Let me look at the file.

I went with \`SQLite\` rather than Redis. Now I'll run the tests.

\`\`\`ts
// never call this because it breaks
\`\`\`
The root cause is a stale lock file.`;
    expect(statementsOf(text, 'assistant').map(({ kind, text }) => [kind, text])).toEqual([
      ['decision', 'I went with `SQLite` rather than Redis.'],
      ['cause', 'The root cause is a stale lock file.'],
    ]);
  });
});
