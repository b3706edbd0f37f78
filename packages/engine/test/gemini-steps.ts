import { PIXEL, type ResultScript, type RoundScript, type Step, type Wire } from './histories.ts';

type Part = Readonly<Record<string, unknown>>;

const content = (role: 'user' | 'model', parts: readonly Part[]): Wire => ({ role, parts });
const picture = (): Part => ({ inlineData: { mimeType: 'image/png', data: PIXEL } });

/** With ids in some turns and none in others, signed calls, code that the model runs itself, results that are not text. */
export function geminiSteps(script: readonly RoundScript[]): Step[] {
  const steps: Step[] = [];
  let made = 0;
  const think = (): Part => ({ text: `let me see, ${++made}`, thought: true });
  for (const { words: said, image, turns, answer, answerThinking } of script) {
    steps.push({ messages: [content('user', [{ text: said }, ...(image ? [picture()] : [])])], ask: true });
    for (const { calls, text: aloud, thinking, aside, marked } of turns) {
      const first = ++made;
      made += calls.length;
      const named = (i: number) => (first % 3 === 0 ? {} : { id: `call_${first + i}` });
      const parts: Part[] = thinking.map(think);
      if (aloud !== undefined) parts.push({ text: aloud });
      if (marked) parts.push(...codeRun(first));
      for (const [i, { name, input }] of calls.entries())
        parts.push({
          functionCall: { ...named(i), name, args: input },
          ...(i === 0 ? { thoughtSignature: `c2lnbmF0dXJl${first}` } : {}),
        });
      const results = calls.map(({ name, result }, i) => ({
        functionResponse: { ...named(i), name, ...geminiResponse(result) },
      }));
      steps.push({ messages: [content('model', parts), content('user', results)], ask: true });
      if (aside !== undefined) steps.push({ messages: [content('user', [{ text: aside }])], ask: true });
    }
    if (answer !== undefined) {
      const last = { text: answer, ...(answer.length % 2 === 0 ? { thoughtSignature: `c2ln${++made}` } : {}) };
      steps.push({ messages: [content('model', [...(answerThinking ? [think()] : []), last])], ask: false });
    }
  }
  return steps;
}

function codeRun(n: number): Part[] {
  return [
    { executableCode: { language: 'PYTHON', code: `print(${n})` } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: `${n}\n` } },
  ];
}

function geminiResponse(script: ResultScript): Part {
  if (script.kind === 'none') return { response: {} };
  const { kind, text } = script;
  if (kind === 'image') return { response: { output: text }, parts: [picture()] };
  if (kind === 'error') return { response: { error: text } };
  return { response: kind === 'blocks' ? { stdout: text, exit_code: 0 } : { output: text } };
}
