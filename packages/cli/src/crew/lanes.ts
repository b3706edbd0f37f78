import type { CrewEvent } from '@holdfast/crew';
import { money, percent } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import { failedPhrase } from '../view/phrases.ts';
import { type Style, spinnerAt } from '../view/style.ts';
import { cut, pad } from '../view/text.ts';

/** The state of an agent while it works. */
interface Lane {
  isOn: boolean;
  doing: string;
  isSaying: boolean;
  share: number;
  messages: number;
  cost: number;
  folds: number;
}

const GAUGE = 8;

/** One lane for each agent. */
export function createLanes(agents: readonly string[], style: Style) {
  const { colours, marks } = style;
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string): Lane => {
    const idle = { isOn: false, doing: '', isSaying: false, share: 0, messages: 0, cost: 0, folds: 0 };
    const lane = lanes.get(name) ?? idle;
    lanes.set(name, lane);
    return lane;
  };
  for (const name of agents) laneOf(name);
  const width = Math.max(...agents.map((name) => name.length), 5);
  return {
    onEvent(event: CrewEvent): void {
      if (!('agent' in event) || event.agent === undefined) return;
      const lane = laneOf(event.agent);
      const wasSaying = lane.isSaying;
      if (event.type !== 'usage-report') lane.isSaying = event.type === 'text-delta';
      if (event.type === 'agent-start') Object.assign(lane, { isOn: true, doing: 'waiting for the model' });
      else if (event.type === 'text-delta') lane.doing = wasSaying ? lane.doing + event.text : event.text;
      else if (event.type === 'call-start') lane.doing = `${marks.arrow} ${event.name} ${JSON.stringify(event.input)}`;
      else if (event.type === 'call-end')
        lane.doing = event.failed ? `${marks.failed} ${failedPhrase(event)}` : `${marks.passed} ${event.name}`;
      else if (event.type === 'fold-end') lane.folds++;
      else if (event.type === 'usage-report') lane.cost += event.cost ?? 0;
      else if (event.type === 'request-retry') lane.doing = `retrying (${event.category})`;
      else if (event.type === 'agent-end') Object.assign(lane, { isOn: false, doing: event.error ?? lane.doing });
      else if (event.type === 'view-ready') {
        lane.messages = event.messages;
        lane.share = Math.min(1, Math.max(event.messages / event.max.messages, event.tokens / event.max.tokens));
      }
    },
    /** One row each, cut to the terminal's width. */
    rows: (columns: number, tick: number) =>
      [...lanes].map(([name, lane]) => {
        const sign = lane.isOn ? spinnerAt(tick, style) : colours.dim(marks.dot);
        const filled = Math.round(lane.share * GAUGE);
        const gauge = marks.full.repeat(filled) + marks.empty.repeat(GAUGE - filled);
        const folds = lane.folds > 0 ? ` ${lane.folds}${marks.fold}` : '';
        const figures = pad(`${lane.messages} msg ${percent(lane.share)} ${money(lane.cost)}${folds}`, 20);
        const room = columns - width - GAUGE - 20 - 8;
        const words = room > 4 ? tail(clean(lane.doing).replaceAll('\n', ' '), room) : '';
        const shown = lane.isOn ? words : colours.dim(words);
        const bar = lane.share > 0.8 ? colours.yellow(gauge) : gauge;
        return cut(`${sign} ${colours.bold(pad(clean(name), width))} ${bar} ${figures} ${shown}`, columns);
      }),
  };
}

/** The end of a text. */
function tail(text: string, columns: number): string {
  return text.length <= columns ? text : `…${text.slice(-(columns - 1))}`;
}
