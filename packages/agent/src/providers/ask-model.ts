import { boundedFetch } from '../loop/fetch.ts';

/** Keys for a server. `token`: one that is sent as `authorization` although the API's usual key is not. */
export interface ServerKeys {
  readonly key?: string;
  readonly token?: string;
}

/** The request for one model: its path after the address, and its headers. Pure. */
export type ModelRequest = (
  id: string,
  keys: ServerKeys,
) => { readonly path: string; readonly headers: Readonly<Record<string, string>> };

/** Which server to ask, and how. */
export interface EndpointOptions extends ServerKeys {
  readonly modelRequest: ModelRequest;
  /** As for the official clients: Anthropic's without `/v1`, OpenAI's with it. */
  readonly base_url: string;
  /** Default: 5 seconds. */
  readonly timeout_ms?: number;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
}

/** What the endpoint said about a model, or why it said nothing. */
export interface AskedModel {
  readonly window?: number;
  readonly max_output?: number;
  /** Why there is no window: no answer came, or it has an error status, is not JSON, or names no window. */
  readonly failure?: 'no-answer' | 'refused' | 'unreadable' | 'no-window';
  /** The failure in words, without the key. */
  readonly reason?: string;
  /** The error status of a refusal. */
  readonly status?: number;
}

const FRESH_MS = 3_600_000;
const RETRY_MS = 60_000;
const MOST = 100;
const WINDOW_FIELDS = ['max_input_tokens', 'context_length', 'context_window', 'max_model_len', 'inputTokenLimit'];
const OUTPUT_FIELDS = ['max_tokens', 'max_output_tokens', 'max_completion_tokens', 'outputTokenLimit'];

/**
 * A function that asks a server for a model's context window and never throws. Answers are cached for an hour, failures for a
 * minute; concurrent calls for one model share a request.
 */
export function createEndpointLookup(options: EndpointOptions): (id: string) => Promise<AskedModel> {
  const { now = Date.now } = options;
  const kept = new Map<string, { readonly answer: Promise<AskedModel>; until: number }>();
  return (id) => {
    const known = kept.get(id);
    if (known && now() < known.until) return known.answer;
    const answer = ask(id, options);
    const entry = { answer, until: Number.POSITIVE_INFINITY };
    kept.delete(id);
    kept.set(id, entry);
    const [oldest] = kept.keys();
    if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    void answer.then(({ failure }) => {
      entry.until = now() + (failure === undefined ? FRESH_MS : RETRY_MS);
    });
    return answer;
  };
}

async function ask(id: string, options: EndpointOptions): Promise<AskedModel> {
  const { modelRequest, base_url, timeout_ms = 5_000, fetch: request = boundedFetch } = options;
  try {
    const { path, headers } = modelRequest(id, options);
    const response = await request(base_url.replace(/\/+$/, '') + path, {
      headers,
      redirect: 'error', // a redirect would carry the key to another host
      signal: AbortSignal.timeout(timeout_ms),
    });
    if (!response.ok) {
      await response.body?.cancel();
      const { status } = response;
      return { failure: 'refused', reason: `the models endpoint answered ${status}`, status };
    }
    return read(await response.json());
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    return {
      failure: error instanceof SyntaxError ? 'unreadable' : 'no-answer',
      reason: name === 'TimeoutError' ? `no answer within ${timeout_ms} ms` : `the request failed (${causeOf(error)})`,
    };
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there: ECONNREFUSED',
  ECONNRESET: 'the connection was closed: ECONNRESET',
  ENOTFOUND: 'no such host: ENOTFOUND',
  EAI_AGAIN: 'the host name cannot be resolved: EAI_AGAIN',
  ERR_INVALID_URL: 'not a URL',
  UND_ERR_SOCKET: 'the connection was closed',
  'bad port': 'this port is not allowed for HTTP',
  'unexpected redirect': 'it redirects to another address',
};

/** The cause of a `fetch` error by its code, or its name: messages say nothing, or might contain a key. Pure. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause, code: own } = error as {
    code?: unknown;
    cause?: { code?: unknown; message?: unknown; errors?: readonly { code?: unknown }[] };
  };
  const code = own ?? cause?.code ?? cause?.errors?.[0]?.code;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return CAUSES[code] ?? code;
  return CAUSES[String(cause?.message)] ?? error.name;
}

function read(body: unknown): AskedModel {
  const window = firstNumber(body, WINDOW_FIELDS);
  const max_output = firstNumber(body, OUTPUT_FIELDS);
  if (window === undefined) return { failure: 'no-window', reason: 'the answer does not include the context window' };
  return { window, ...(max_output === undefined ? {} : { max_output }) };
}

/** The first positive count; zero means unknown. */
function firstNumber(body: unknown, names: readonly string[]): number | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(body));
  const found = names.map((name) => fields.get(name)).find((value) => Number.isSafeInteger(value) && Number(value) > 0);
  return found as number | undefined;
}
