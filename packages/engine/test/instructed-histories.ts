import fc from 'fast-check';
import { type Format, type Scenario, type Step, scenarios, type Wire } from './histories.ts';

/** How instructions open; the last two have neither tag nor heading. */
const OPENINGS = [
  (n: number) => `<rules level="${n}">\nRule ${n} holds.\n</rules>`,
  (n: number) => `<mode>\nYou are in mode ${n}.\n</mode>\n<limits>\nAt most ${n} files.\n</limits>`,
  (n: number) => `<limits>\nAt most ${n} files.\n</limits>`,
  (n: number) => `## Style of answers\n\nAnswer in ${n} words.`,
  (n: number) => `Command ${n} was approved.`,
  (n: number) => `Speak like a sailor, ${n} times.`,
];

/** Instructions of several kinds at random places between the messages of a conversation. */
export function instructedScenarios(format: Format, config?: fc.Arbitrary<Scenario['config']>): fc.Arbitrary<Scenario> {
  return fc
    .record({
      scenario: scenarios(format),
      places: fc.array(fc.record({ at: fc.nat(10_000), opening: fc.nat(OPENINGS.length - 1), long: fc.nat(9) }), {
        maxLength: 8,
      }),
      behindFirst: fc.boolean(),
      config: config ?? fc.constant(undefined),
    })
    .map(({ scenario, places, behindFirst, config: own }) => {
      const all = behindFirst ? [{ at: 0, opening: 0, long: 0 }, ...places] : places;
      return { ...scenario, ...(own ? { config: own } : {}), steps: instructed(format, scenario.steps, all) };
    });
}

interface Place {
  readonly at: number;
  readonly opening: number;
  readonly long: number;
}

function instructed(format: Format, steps: readonly Step[], places: readonly Place[]): Step[] {
  const free = steps.flatMap(({ messages }, step) =>
    mayFollow(format, messages, steps[step + 1]?.messages[0]) ? [step] : [],
  );
  const made = new Map<number, Wire>();
  for (const [n, { at, opening, long }] of places.entries()) {
    const step = free[at % Math.max(1, free.length)];
    if (step === undefined || made.has(step)) continue;
    const text = `${OPENINGS[opening]?.(n)}${long === 0 ? `\n${'It is a long rule. '.repeat(60)}` : ''}`;
    made.set(step, instruction(format, n, text));
  }
  return steps.map((step, i) => {
    const message = made.get(i);
    return message ? { ...step, messages: Object.freeze([...step.messages, message]) } : step;
  });
}

/** True if an instruction may stand between these messages and the next one. */
function mayFollow(format: Format, messages: readonly Wire[], next: Wire | undefined): boolean {
  if (format === 'gemini') return false;
  const last = messages.at(-1);
  if (last?.role === 'system' || last?.role === 'developer') return false;
  if (format !== 'anthropic') return true;
  return last?.role === 'user' && (next === undefined || next.role === 'assistant');
}

function instruction(format: Format, n: number, text: string): Wire {
  if (format === 'anthropic') return Object.freeze({ role: 'system', content: text });
  if (format === 'ai-sdk') return Object.freeze({ role: 'system', content: text });
  const role = n % 2 === 0 ? 'developer' : 'system';
  if (format === 'openai-chat') return Object.freeze({ role, content: text });
  return Object.freeze({
    type: 'message',
    role,
    content: Object.freeze([Object.freeze({ type: 'input_text', text })]),
  });
}
