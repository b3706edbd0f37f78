import { describe, expect, test } from 'vitest';
import type { Wire } from '../test/histories.ts';
import { violationsOf } from '../test/promises.ts';
import { type Summarizer, summarizeMessages } from './index.ts';

/** A conversation of about so many tokens at four characters each. */
function talk(tokens: number, messages = 40): Wire[] {
  const each = Math.floor((tokens * 4) / messages);
  return Array.from({ length: messages }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `m${i}: work on src/part_${i}.ts `.padEnd(each, 'words and words '),
  }));
}

function model(answer = '1. Task Progress: half of it.') {
  const prompts: string[] = [];
  const summarizer: Summarizer = {
    async call(prompt, options) {
      prompts.push(prompt);
      expect(options?.max_tokens).toBe(2_000);
      return answer;
    },
  };
  return { prompts, summarizer };
}

describe('summarizeMessages', () => {
  test('returns the messages unchanged up to 80,000 tokens', async () => {
    const messages = talk(79_000);
    expect(await summarizeMessages(messages, 'You are an agent.')).toEqual(messages);
  });

  test('the system prompt counts', async () => {
    const messages = talk(79_000);
    expect(await summarizeMessages(messages, 'x'.repeat(8_000))).not.toEqual(messages);
  });

  test('above 80,000: the last 8 intact after a heuristic summary, without asking a model', async () => {
    const { prompts, summarizer } = model();
    const messages = talk(100_000);
    const view = await summarizeMessages(messages, 'You are an agent.', summarizer);
    expect(view.slice(-8)).toEqual(messages.slice(-8));
    expect(JSON.stringify(view)).toContain('[Note on the earlier conversation');
    expect(prompts).toEqual([]);
    expect(violationsOf('openai-chat', view)).toEqual([]);
  });

  test('above 120,000: a summary in six sections by the model', async () => {
    const { prompts, summarizer } = model();
    const messages = talk(130_000);
    const view = await summarizeMessages(messages, 'You are an agent.', summarizer);
    expect(view.slice(-8)).toEqual(messages.slice(-8));
    expect(JSON.stringify(view)).toContain('[Conversation Summary]\\n> 1. Task Progress: half of it.');
    for (const section of [
      'Create a detailed, structured summary that includes:',
      '1. Task Progress: What has been accomplished so far?',
      '2. Key Decisions: Important choices made and why',
      '3. Files & Changes: What files were created, modified, or read?',
      '4. Errors & Solutions: Any errors and how they were resolved',
      '5. Current Focus: What was the agent working on most recently?',
      '6. Important Context: Domain-specific knowledge discovered',
    ])
      expect(prompts[0]).toContain(section);
  });

  test('without a model, or with at most 8 messages, the summary is heuristic', async () => {
    const { prompts, summarizer } = model();
    expect(JSON.stringify(await summarizeMessages(talk(130_000), 'x'))).toContain('[Note on');
    const few = await summarizeMessages(talk(130_000, 8), 'x', summarizer);
    expect(prompts).toEqual([]);
    expect(few.length).toBeLessThanOrEqual(8);
  });

  test('unchanged content is not summarized twice', async () => {
    const { prompts, summarizer } = model();
    const messages = talk(130_000);
    const first = await summarizeMessages(messages, 'x', summarizer);
    expect(await summarizeMessages([...messages], 'x', summarizer)).toEqual(first);
    expect(prompts).toHaveLength(1);
  });

  test('a failing model is asked again next time', async () => {
    let calls = 0;
    const summarizer: Summarizer = {
      call: async () => {
        if (calls++ === 0) throw new Error('no');
        return 'Now it works.';
      },
    };
    const messages = talk(130_000);
    expect(JSON.stringify(await summarizeMessages(messages, 'x', summarizer))).toContain('[Note on');
    expect(JSON.stringify(await summarizeMessages(messages, 'x', summarizer))).toContain('Now it works.');
  });
});
