import { isRecord } from '../json/record.ts';

/** The prompt tokens that a provider reported, and the model if it is named. */
export interface UsageReport {
  readonly tokens: number;
  readonly model?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields in which responses, messages and events keep their usage. */
const USAGE = [
  'usage',
  'usageMetadata',
  'usage_metadata',
  'tokens',
  'meta',
  'metadata',
  'info',
  'response',
  'message',
  'amazon-bedrock-invocationMetrics',
];
/** The fields in which they describe and name their model. */
const ABOUT = ['response_metadata', 'info', 'response', 'message'];
const MODELS = ['model', 'modelID', 'modelId', 'modelVersion', 'model_name'];
/** The deepest known case: an event with a message with Cohere's usage, in which `tokens` is one of two counts. */
const DEPTH = 4;

/** The prompt tokens in a usage object, or in a response, message or event that contains one; undefined if there are none. Pure. */
export function promptTokensOf(report: unknown): UsageReport | undefined {
  if (!isRecord(report)) return undefined;
  const tokens = within(report, USAGE, promptTokens, DEPTH);
  if (tokens === undefined) return undefined;
  const model = within(report, ABOUT, modelIn, DEPTH);
  return { tokens, ...(model === undefined ? {} : { model }) };
}

function within<T>(record: Fields, holders: readonly string[], read: (fields: Fields) => T | undefined, depth: number) {
  let found = read(record);
  for (const key of depth > 0 ? holders : []) {
    const held = record[key];
    if (found === undefined && isRecord(held)) found = within(held, holders, read, depth - 1);
  }
  return found;
}

function modelIn(fields: Fields): string | undefined {
  return MODELS.map((key) => fields[key]).find((value) => typeof value === 'string');
}

/**
 * The prompt tokens in the form of one provider or library, including cached ones. Most report a total that includes them.
 * Those whose input excludes them are recognized by their field names.
 */
function promptTokens(usage: Fields): number | undefined {
  const { inputTokens: input, cache, billed_units, billedUnits } = usage;
  // OpenAI Chat and compatible APIs; the AI SDK 4, Mistral and LangChain's tokenUsage; Gemini; Ollama.
  const total = sum(usage.prompt_tokens ?? usage.promptTokens ?? usage.promptTokenCount ?? usage.prompt_token_count);
  const counted = total ?? sum(usage.prompt_eval_count);
  if (counted !== undefined) return counted;
  // Cohere without its count of all tokens, which is in `tokens`.
  const billed = billed_units ?? billedUnits;
  if (isRecord(billed) && !isRecord(usage.tokens)) return promptTokens(billed);
  // The AI SDK's model interface since version 3.
  if (isRecord(input)) return sum(input.total) ?? sum(input.noCache, input.cacheRead, input.cacheWrite);
  // OpenCode, and pi, which has the same fields without a record for the cache.
  const cached = isRecord(cache) ? [cache.read, cache.write] : [usage.cacheRead, usage.cacheWrite];
  if (typeof usage.input === 'number') return sum(usage.input, ...cached);
  // Bedrock, Strands and the Claude Agent SDK.
  const outside = [usage.cacheReadInputTokens, usage.cacheWriteInputTokens ?? usage.cacheCreationInputTokens];
  const { cachedInputTokens: part } = usage;
  // A part cannot exceed the whole: some providers of the AI SDK 5 exclude it from the input.
  if (typeof input === 'number' && typeof part === 'number' && part > input) outside.push(part);
  // Bedrock's InvokeModel; Titan has its own name for the count.
  const invoked = [usage.inputTokenCount, usage.cacheReadInputTokenCount, usage.cacheWriteInputTokenCount];
  const metered = sum(...invoked) ?? sum(usage.inputTextTokenCount);
  if (metered !== undefined) return metered;
  // Anthropic's three fields add up; in OpenAI's Responses and LangChain's usage_metadata the first is the total.
  return (
    sum(input, ...outside) ?? sum(usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
  );
}

/** The sum of all positive numbers; undefined if there are none. */
function sum(...values: readonly unknown[]): number | undefined {
  let total = 0;
  for (const value of values) if (typeof value === 'number' && value > 0 && Number.isFinite(value)) total += value;
  return total > 0 ? total : undefined;
}
