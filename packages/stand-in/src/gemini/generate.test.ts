import { type Content, GoogleGenAI } from '@google/genai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createStandIn, fixedAnswers, type StandInOptions } from '../index.ts';

const MODEL = 'gemini-3.8-flash';

async function running(options: StandInOptions = {}) {
  const standIn = await createStandIn(options);
  onTestFinished(() => standIn.close());
  const client = new GoogleGenAI({ apiKey: 'planted-key', httpOptions: { baseUrl: standIn.url } });
  const post = (path: string, body: unknown, headers: Record<string, string> = { 'x-goog-api-key': 'k' }) =>
    fetch(`${standIn.url}/v1beta/models/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { standIn, client, post };
}

const CALLS = {
  text: 'I look at both.',
  thinking: 'First a.ts, then b.ts.',
  calls: [
    { name: 'read_file', input: { path: 'a.ts' } },
    { name: 'read_file', input: { path: 'b.ts' } },
  ],
};
const go: Content = { role: 'user', parts: [{ text: 'Look at it.' }] };
const config = {
  systemInstruction: 'Be brief.',
  tools: [{ functionDeclarations: [{ name: 'read_file', parametersJsonSchema: { type: 'object' } }] }],
  thinkingConfig: { includeThoughts: true },
};

/** Answers for all calls of the model, in one content. */
function resultsFor({ parts = [] }: Content): Content {
  return {
    role: 'user',
    parts: parts.flatMap(({ functionCall: call }) =>
      call ? [{ functionResponse: { id: call.id ?? '', name: call.name ?? '', response: { output: 'seen' } } }] : [],
    ),
  };
}

describe('generateContent', () => {
  test('answers the official client the same with and without a stream, and takes its answer back', async () => {
    const { client } = await running({ script: fixedAnswers(CALLS, CALLS, 'Done.') });
    const whole = await client.models.generateContent({ model: MODEL, contents: [go], config });
    const content = whole.candidates?.[0]?.content as Content;
    expect(content.parts?.map((part) => (part.functionCall ? 'call' : part.thought ? 'thought' : 'text'))).toEqual([
      'thought',
      'text',
      'call',
      'call',
    ]);
    expect(content.parts?.map((part) => part.thoughtSignature !== undefined)).toEqual([false, false, true, false]);
    const parts = [];
    let usage: unknown;
    for await (const chunk of await client.models.generateContentStream({ model: MODEL, contents: [go], config })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      usage = chunk.usageMetadata;
    }
    const said = parts.flatMap(({ text, thought }) => (text && !thought ? [text] : [])).join('');
    expect(said).toBe(CALLS.text);
    expect(parts.flatMap(({ functionCall: call }) => (call ? [call.args] : []))).toEqual(
      CALLS.calls.map(({ input }) => input),
    );
    expect(usage).toMatchObject({ candidatesTokenCount: whole.usageMetadata?.candidatesTokenCount });
    const answer = await client.models.generateContent({
      model: MODEL,
      contents: [go, content, resultsFor(content)],
      config,
    });
    expect(answer.text).toBe('Done.');
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
  });

  test('refuses a call without its signature, with another, or changed after it was signed', async () => {
    const { client, standIn } = await running({ script: fixedAnswers(CALLS) });
    const { candidates } = await client.models.generateContent({ model: MODEL, contents: [go], config });
    const content = candidates?.[0]?.content as Content;
    const [, , call = {}, other = {}] = content.parts ?? [];
    const { thoughtSignature: _, ...unsigned } = call;
    const changed = { ...call, functionCall: { ...call.functionCall, args: { path: 'c.ts' } } };
    const forged = { ...call, thoughtSignature: 'Zm9yZ2Vk' };
    for (const [part, message] of [
      [unsigned, 'missing a thought_signature'],
      [changed, 'Corrupted thought signature'],
      [forged, 'Corrupted thought signature'],
    ] as const) {
      const said = { role: 'model', parts: [part, other] };
      const contents = [go, said, resultsFor(said)];
      await expect(client.models.generateContent({ model: MODEL, contents, config })).rejects.toThrow(message);
    }
    expect(standIn.requests.map(({ verdict }) => verdict)).toEqual(['answered', 'refused', 'refused', 'refused']);
  });

  test('models before Gemini 3 send neither ids nor signatures', async () => {
    const { client } = await running({ script: () => CALLS });
    const { candidates } = await client.models.generateContent({ model: 'gemini-2.5-pro', contents: [go], config });
    const [, , call] = candidates?.[0]?.content?.parts ?? [];
    expect(call).toEqual({ functionCall: { name: 'read_file', args: { path: 'a.ts' } } });
  });

  test('reads a long prefix from its cache, and the prompt counts all of it', async () => {
    const { client } = await running();
    const ask = async (text: string) => {
      const contents = [{ role: 'user', parts: [{ text: 'lorem ipsum '.repeat(1_000) }, { text }] }];
      return (await client.models.generateContent({ model: MODEL, contents })).usageMetadata;
    };
    const first = await ask('one');
    const second = await ask('two');
    expect(first?.cachedContentTokenCount).toBeUndefined();
    expect(second?.cachedContentTokenCount).toBeGreaterThan(3_000);
    expect(second?.promptTokenCount).toBe(first?.promptTokenCount);
  });

  test('counts as many tokens as it bills', async () => {
    const { client } = await running();
    const { usageMetadata } = await client.models.generateContent({ model: MODEL, contents: [go] });
    const { totalTokens } = await client.models.countTokens({ model: MODEL, contents: [go] });
    expect(totalTokens).toBe(usageMetadata?.promptTokenCount);
  });

  test('answers a side request with JSON that fits its schema', async () => {
    const { toolLoop } = await import('../index.ts');
    const { client } = await running({ script: toolLoop({ calls: 1, command: () => 'ls' }) });
    const responseSchema = { type: 'OBJECT', properties: { choice: { type: 'STRING' } }, required: ['choice'] };
    const { text } = await client.models.generateContent({
      model: MODEL,
      contents: [go],
      config: { responseMimeType: 'application/json', responseSchema: responseSchema as never },
    });
    expect(JSON.parse(text ?? '')).toEqual({ choice: expect.any(String) });
  });
});

describe('its errors have Google’s form', () => {
  test.each([
    ['no key', {}, { contents: [go] }, 403, 'PERMISSION_DENIED', 'unregistered callers'],
    [
      'an unknown field',
      undefined,
      { contents: [go], messages: [] },
      400,
      'INVALID_ARGUMENT',
      'Unknown name "messages"',
    ],
    ['no contents', undefined, { contents: [] }, 400, 'INVALID_ARGUMENT', 'contents is not specified'],
    ['a body that is not an object', undefined, [], 400, 'INVALID_ARGUMENT', 'Invalid JSON payload'],
  ] as const)('%s', async (_, headers, body, code, status, text) => {
    const { post } = await running();
    const response = await post(`${MODEL}:generateContent`, body, headers);
    expect(response.status).toBe(code);
    expect(await response.json()).toEqual({ error: { code, status, message: expect.stringContaining(text) } });
  });

  test('an unknown model, a stream that is not SSE, and a key in the query', async () => {
    const { post, standIn } = await running();
    const unknown = await post('gemini-9:generateContent', { contents: [go] });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { status: 'NOT_FOUND' } });
    expect((await post(`${MODEL}:streamGenerateContent`, { contents: [go] })).status).toBe(400);
    expect((await post(`${MODEL}:generateContent?key=planted`, { contents: [go] }, {})).status).toBe(200);
    expect(JSON.stringify(standIn.requests)).not.toContain('planted');
  });

  test.each([
    ['rate-limit', 429, 'RESOURCE_EXHAUSTED'],
    ['overloaded', 503, 'UNAVAILABLE'],
    ['server-error', 500, 'INTERNAL'],
    ['too-long', 400, 'INVALID_ARGUMENT'],
  ] as const)('the fault %s', async (fault, code, status) => {
    const { post } = await running({ faults: [fault] });
    const response = await post(`${MODEL}:generateContent`, { contents: [go] });
    expect(await response.json()).toMatchObject({ error: { code, status } });
  });

  test('an error in the middle of a stream', async () => {
    const { post } = await running({ faults: ['error-event'] });
    const response = await post(`${MODEL}:streamGenerateContent?alt=sse`, { contents: [go] });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('"status":"INTERNAL"');
  });
});
