import { createAnthropic } from '@ai-sdk/anthropic';
import { holdfast } from '@holdfast/integrations/ai-sdk';
import { createStandIn, fixedAnswers } from '@holdfast/stand-in';
import { generateText, isStepCount, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';

// What the "model" does: it reads 40 pages, one in each answer, and then says so.
const reads = Array.from({ length: 40 }, (_, i) => ({ calls: [{ name: 'read_page', input: { page: i + 1 } }] }));
const standIn = await createStandIn({ script: fixedAnswers(...reads, 'I have read all pages.') });
const anthropic = createAnthropic({ baseURL: `${standIn.url}/v1`, apiKey: 'any' });

const memory = holdfast({
  max_tokens: 10_000,
  onEvent: (event) => {
    if (event.type !== 'fold-end') return;
    const { before, after } = event.receipt;
    console.log(`folded ${before.tokens} tokens to ${after.tokens}`);
  },
});

const read_page = tool({
  description: 'Reads a page.',
  inputSchema: z.object({ page: z.number() }),
  execute: ({ page }) => `Page ${page}. ${'Some words of it. '.repeat(100)}`,
});

const { text } = await generateText({
  model: wrapLanguageModel({ model: anthropic('claude-opus-5-5'), middleware: memory }),
  tools: { read_page, recall: memory.recall },
  prompt: 'Read all pages.',
  stopWhen: isStepCount(100),
});
console.log(text, `${standIn.requests.length} requests`);
await standIn.close(); // otherwise the program keeps running
