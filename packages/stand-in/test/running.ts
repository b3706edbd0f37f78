import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { onTestFinished } from 'vitest';
import { createStandIn, type StandInOptions } from '../src/index.ts';

/** A stand-in for one test, and both official clients, which send nothing twice. */
export async function running(options: StandInOptions = {}) {
  const standIn = await createStandIn(options);
  onTestFinished(() => standIn.close());
  const anthropic = new Anthropic({ baseURL: standIn.url, apiKey: 'sk-planted-key', maxRetries: 0, logLevel: 'off' });
  const openai = new OpenAI({ baseURL: `${standIn.url}/v1`, apiKey: 'sk-planted-key', maxRetries: 0, logLevel: 'off' });
  return { standIn, anthropic, openai };
}

/** The error that a request ends with; fails if it does not. */
export async function failureOf(request: PromiseLike<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await request;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('the request was answered');
}

/** All of a stream. */
export async function all<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of stream) list.push(item);
  return list;
}

/** A text of so many tokens, rounded down to whole characters. */
export function words(tokens: number, word = 'lorem'): string {
  return `${word} `
    .repeat(tokens)
    .slice(0, Math.floor(tokens * 3.2) - 1)
    .padEnd(Math.floor(tokens * 3.2), '.');
}
