import { type CrewEvent, type CrewResult, usageTable } from '@holdfast/crew';
import { counted } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import { startFrames } from '../view/frame-loop.ts';
import { flushed } from '../view/guard-output.ts';
import { jsonLine } from '../view/harmless.ts';
import { countInterrupts, type Interrupts } from '../view/interrupts.ts';
import { failedPhrase, retryPhrase } from '../view/phrases.ts';
import { viewKind } from '../view/run/view.ts';
import { plainStyle, type Style, terminalStyle } from '../view/style.ts';
import { wrap } from '../view/text.ts';
import { createLanes } from './lanes.ts';

export interface CrewViewOptions {
  readonly json: boolean;
  readonly agents: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  onInterrupt(): void;
}

/**
 * Shows one request, and returns its result: lanes on a terminal, lines in a pipe, an object a line for programs. Gives the
 * terminal back at the end.
 */
export async function showCrew(
  events: AsyncIterable<CrewEvent>,
  { json, agents, env, onInterrupt }: CrewViewOptions,
): Promise<CrewResult | undefined> {
  const { stdout } = process;
  const isLive = viewKind(json, stdout, env) === 'live';
  const style = isLive ? terminalStyle(env) : plainStyle;
  const interrupts = countInterrupts(onInterrupt, () => {});
  const live = isLive ? await liveLanes(agents, style, interrupts) : undefined;
  let result: CrewResult | undefined;
  try {
    for await (const event of events) {
      const lines = json ? [jsonLine(event)] : linesOf(event, style);
      if (live) live.onEvent(event, lines);
      else for (const line of lines) stdout.write(`${line}\n`);
      if (event.type === 'result') result = event.result;
    }
  } finally {
    interrupts.stop();
    await live?.end();
    if (result && !json) stdout.write(`${endLines(result).join('\n')}\n`);
    await flushed(stdout);
  }
  return result;
}

/** Redraws the lanes below the lines. */
async function liveLanes(agents: readonly string[], style: Style, interrupts: Interrupts) {
  const lanes = createLanes(agents, style);
  const frames = await startFrames<string>({
    interrupts,
    live: (columns, _, tick) => lanes.rows(columns - 1, tick),
    rowsOf: wrap,
  });
  return {
    onEvent(event: CrewEvent, lines: readonly string[]): void {
      lanes.onEvent(event);
      frames.add(lines);
    },
    end: () => frames.end(),
  };
}

/** What is worth a line of an event. Pure. */
function linesOf(event: CrewEvent, { colours, marks }: Style): string[] {
  const agent = 'agent' in event ? clean(event.agent ?? '') : '';
  switch (event.type) {
    case 'agent-end': {
      const words = event.error === undefined ? event.output : `${marks.failed} ${event.error}`;
      return words.trim() === '' ? [] : said(agent, words, colours);
    }
    case 'call-start':
      return [colours.dim(`${agent} ${marks.arrow} ${clean(event.name)} ${clean(JSON.stringify(event.input))}`)];
    case 'call-end':
      return event.failed ? [`${agent} ${colours.red(marks.failed)} ${clean(failedPhrase(event))}`] : [];
    case 'hand-off':
      return [colours.cyan(clean(`${event.from} ${marks.arrow} ${event.to}`))];
    case 'group-start':
      return [colours.cyan(clean(`${event.group}: ${event.agents.join(', ')} at the same time`))];
    case 'history-append':
      return event.after < event.grown
        ? [colours.dim(`[HISTORY] Pruning from ${event.grown} to ${event.after} messages`)]
        : [];
    case 'fold-end': {
      const sizes = `${Math.round(event.before)} ${marks.arrow} ${Math.round(event.after)} tokens`;
      return [colours.dim(`${agent} ${marks.fold} fold: ${sizes}`)];
    }
    case 'limit-near': {
      const what = `${event.what}${agent ? ` of ${agent}` : ''}`;
      return [colours.yellow(`near the limit: ${what}, ${round(event.used)} of ${round(event.of)}`)];
    }
    case 'request-retry':
      return [colours.yellow(`${agent}: ${retryPhrase(event)}`)];
    default:
      return [];
  }
}

function said(agent: string, words: string, colours: Style['colours']): string[] {
  const [first = '', ...rest] = words.trim().split('\n').map(clean);
  return [`${colours.bold(`${agent}:`)} ${first}`, ...rest.map((line) => `  ${line}`)];
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** How it ended, with the budgets of all. Pure. */
function endLines(result: CrewResult): string[] {
  const { status, agent, reason, pruned, elapsedMs } = result;
  const who = agent === undefined ? '' : ` by ${clean(agent)}`;
  const gone = pruned === 0 ? '' : `, ${pruned} messages pruned`;
  return [
    '',
    usageTable(result.usage),
    '',
    `${status}${who} in ${(elapsedMs / 1_000).toFixed(1)} s, ${counted(result.rounds, 'round')}, ${counted(result.handOffs, 'hand-off')}${gone}`,
    ...(reason === undefined ? [] : [clean(reason)]),
  ];
}
