import type { Tool } from '@holdfast/agent';
import type { AgentConfig, CrewConfig } from '../config/config.ts';
import { type Signal, signalsOf } from './signals.ts';

/** A hand-off made with the tool. */
export interface HandedOff {
  readonly to: string;
  readonly message: string;
}

/** The tool `hand_off` for one turn; undefined if the agent cannot hand over. A call ends the turn. */
export function handOffTool(agent: AgentConfig, onHandOff: (handed: HandedOff) => void): Tool | undefined {
  const targets = [...new Set(signalsOf(agent).map(({ to }) => to))];
  if (targets.length === 0) return undefined;
  return {
    name: 'hand_off',
    description: 'Hands the conversation over to another agent, who sees all that was said. Ends your turn.',
    input_schema: {
      type: 'object',
      properties: {
        to: { type: 'string', enum: targets },
        message: { type: 'string', description: 'What is to be done, and what they need to know for it' },
      },
      required: ['to', 'message'],
      additionalProperties: false,
    },
    ends: true,
    repeatable: true,
    run(input) {
      const { to, message } = (input ?? {}) as { to?: unknown; message?: unknown };
      if (typeof to !== 'string' || !targets.includes(to))
        throw new Error(`hand_off: invalid "to" ${JSON.stringify(to)}: expected one of ${targets.join(', ')}`);
      onHandOff({ to, message: typeof message === 'string' ? message : '' });
      return `Handed over to ${to}.`;
    },
  };
}

/** The answer of an agent that used the tool, with the signal at its end, so that any process can route by the text. Pure. */
export function handOffText(agent: AgentConfig, { to, message }: HandedOff, answer: string): string {
  const signal = signalsOf(agent).find((one) => one.to === to)?.signal ?? '';
  return [answer.trim(), `${message.trim()} ${signal}`.trim()].filter((part) => part !== '').join('\n\n');
}

const HANDS_OVER = ' hands over to ';
const PAUSES = 'Without a signal your answer goes to the user as a question, and their reply comes back to you.';

/** The system prompt: the agent's role, and how to hand over to the others. Pure. */
export function systemPrompt(crew: CrewConfig, name: string, agent: AgentConfig, withTool: boolean): string {
  const lines = signalsOf(agent).map(({ signal, to }) => {
    const about = crew.agents[to]?.about ?? crew.groups[to]?.about;
    return `- ${signal}${HANDS_OVER}${to}${about === undefined ? '' : `: ${about}`}`;
  });
  const by = `${withTool ? 'call the tool hand_off, or ' : ''}end your answer with one of these signals`;
  return [
    agent.role.trim(),
    `You are ${name}, one of several agents. What others of them said begins with their name in brackets.`,
    ...(lines.length > 0 ? [`To hand over, ${by}:\n${lines.join('\n')}`] : []),
    ...(agent.pause ? [PAUSES] : []),
  ].join('\n\n');
}

/**
 * The agents that an agent can hand over to, according to its system prompt; `pauses`: without a signal, its answer is a
 * question to the user.
 */
export interface HandOffs {
  readonly targets: readonly (Signal & { readonly about: string })[];
  readonly pauses: boolean;
}

/** Reads back what `systemPrompt` wrote, for scripts that play a model. Pure. */
export function readHandOffs(system: string): HandOffs {
  const listed = system.matchAll(new RegExp(`^- (\\[.*?\\]|\\S+)${HANDS_OVER}([\\w-]+)(?:: (.*))?$`, 'gm'));
  const targets = [...listed].map(([, signal = '', to = '', about = '']) => ({ signal, to, about }));
  return { targets, pauses: system.includes(PAUSES) };
}
