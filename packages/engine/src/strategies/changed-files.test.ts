import { describe, expect, test } from 'vitest';
import { agentHistory, sentViews, text, toolTurn } from '../../test/agent-histories.ts';
import { CONTENT_FORMATS, dialectOf, say, type Wire } from '../../test/histories.ts';
import { violationsOf } from '../../test/promises.ts';
import { type ConversationHistoryConfig, ConversationWindow, memoryArchive } from '../index.ts';

const CONFIRMED = 'File written: 12 lines.';
const wrote = (file: string) => ({ name: 'Write', input: { file_path: file, content: 'x' }, result: CONFIRMED });
const read = (i: number) => ({ result: `result ${i}` });

describe.each(CONTENT_FORMATS)('confirmations of writes that leave the view, in %s', (format) => {
  const dialect = dialectOf(format);
  const open = (config: ConversationHistoryConfig) =>
    new ConversationWindow<Wire>(config, { dialect, archive: memoryArchive(), logger: { warn() {} } });
  /** One write among the first of many reads. */
  const history = agentHistory(format, 120, (i) => (i === 3 ? wrote('src/parser/scan.ts') : read(i)));

  describe.each(['sliding', 'governed', 'rolling'] as const)('with %s', (strategy) => {
    test('the note names the file, and its handle brings the confirmation back', async () => {
      const window = open({ strategy });
      const { messages, receipt } = await window.fit(history);
      const [, handle = ''] = /src\/parser\/scan\.ts\W*: (?:changed|created) (m\d+)/.exec(receipt?.note ?? '') ?? [];
      expect(handle, receipt?.note).not.toBe('');
      expect(JSON.stringify(messages)).toContain('src/parser/scan.ts');
      expect(violationsOf(format, messages)).toEqual([]);
      const at = Number(handle.slice(1));
      const back = await window.recall(`m${at}-m${at + 1}`);
      expect(JSON.stringify(back.messages)).toContain(CONFIRMED);
    });

    test('so it does after any number of folds, in views that keep to the limit and do not change by themselves', async () => {
      const window = open({ strategy, max_messages: 30 });
      const views = await sentViews(window, history);
      expect(window.state().folds).toBeGreaterThan(2);
      for (const view of views.slice(5)) {
        expect(JSON.stringify(view)).toContain('src/parser/scan.ts');
        expect(view.length).toBeLessThanOrEqual(30);
        expect(violationsOf(format, view)).toEqual([]);
      }
      expect((await window.fit(history)).messages).toEqual(views.at(-1));
    });

    test('in a small budget of tokens, as many of the newest files as there is room for', async () => {
      const many = agentHistory(format, 200, (i) => wrote(`src/${text(30, i).replace(/\W/g, '_')}/file-${i}.ts`));
      const { messages, receipt, metrics } = await open({ strategy, max_tokens: 2_500 }).fit(many);
      expect(metrics.estimatedTokens).toBeLessThanOrEqual(2_500);
      expect(violationsOf(format, messages)).toEqual([]);
      const shown = [...(receipt?.note ?? '').matchAll(/file-(\d+)\.ts\W*: /g)].map(([, i]) => Number(i));
      expect(shown.length).toBeGreaterThan(2);
      expect(Math.max(...shown)).toBeGreaterThan(150);
    });
  });

  test('sliding and rolling name nothing else, and without a change rolling has no note', async () => {
    const reads = agentHistory(format, 120, read);
    expect((await open({ strategy: 'rolling' }).fit(reads)).receipt?.note).toBeUndefined();
    expect((await open({ strategy: 'sliding' }).fit(reads)).receipt?.note?.split('\n')).toHaveLength(1);
    for (const strategy of ['sliding', 'rolling'] as const) {
      const { receipt } = await open({ strategy }).fit(history);
      expect(receipt?.note?.split('\n')).toHaveLength(3);
    }
  });

  test('governed: behind its own line, the note names paths, tools, what failed and what was decided', async () => {
    const turns: Wire[] = [
      ...toolTurn(format, 'r', { input: { file_path: 'lib/lexer/tokens.ts' }, result: text(300, 1) }),
      ...toolTurn(format, 'w', wrote('src/parser/scan.ts')),
      ...toolTurn(format, 't', {
        name: 'Bash',
        input: { command: 'npm test' },
        result: 'FAIL scan.test.ts\nError: unexpected token\nexit code 1',
      }),
      say(format, 'assistant', 'I decided to keep the old scanner behind a flag because the tests depend on it.'),
      say(format, 'user', 'go on'),
    ];
    const long = [...history.slice(0, 2), ...turns, ...agentHistory(format, 40, read).slice(2)];
    const { receipt } = await open({ strategy: 'governed' }).fit(long);
    const lines = receipt?.note?.split('\n') ?? [];
    expect(lines[0]).toMatch(/^\[Earlier conversation trimmed — \d+ messages removed to stay within context budget\]$/);
    expect(lines[1]).toMatch(/^\[For the exact text recall a handle such as m\d+ \(.*\)\.\]$/);
    const rest = lines.slice(2).join('\n');
    for (const part of [
      'lib/lexer/tokens.ts',
      'src/parser/scan.ts',
      '## Tools used',
      'Bash',
      'npm test',
      'behind a flag',
    ])
      expect(rest).toContain(part);
  });
});
