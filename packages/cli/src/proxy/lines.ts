import { defaultBudget, MODELS, modelInfo } from '@holdfast/models';
import type { Costs, ProxyEvent, ProxyStatus, Totals } from '@holdfast/proxy';
import { CLIENTS } from '@holdfast/proxy';
import { counted, difference, duration, money, percent, tokens } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import { tableLines } from '../view/table.ts';
import { cut, pad } from '../view/text.ts';
import { PROXY_PORT } from './settings.ts';

/** What to print when the proxy listens: how to point each client at it. Pure. */
export function startLines({
  url,
  max_tokens,
  inspector,
  hasShellRecall,
}: Pick<ProxyStatus, 'url' | 'max_tokens'> & {
  readonly inspector: string;
  /** True if a shell can read the store. */
  readonly hasShellRecall: boolean;
}): string[] {
  const { port } = new URL(url);
  const clients = [
    ...CLIENTS.map(({ name, line }) => [name, line(url)] as const),
    ['any SDK', `ANTHROPIC_BASE_URL=${url} OPENAI_BASE_URL=${url}/v1 GOOGLE_GEMINI_BASE_URL=${url}`] as const,
  ];
  const width = Math.max(...clients.map(([name]) => name.length));
  return [
    `The proxy listens on ${url} and keeps prompts within ${budgetText(max_tokens)}. Start a client:`,
    '',
    ...clients.map(([name, line]) => `  ${pad(name, width)}  ${line}`),
    '',
    `Recall as a tool${hasShellRecall ? ', besides `holdfast recall` in a shell' : ''}:`,
    ...CLIENTS.flatMap(({ mcp }) => (mcp ? [`  ${mcp(url)}`] : [])),
    '',
    `See what the models see: ${inspector}`,
    `\`holdfast proxy status${port === `${PROXY_PORT}` ? '' : ` --port ${port}`}\` shows what is saved. Ctrl-C ends the proxy.`,
  ];
}

/** A budget for all models, or the range of their defaults. Pure. */
function budgetText(max_tokens: number | undefined): string {
  if (max_tokens !== undefined) return `${tokens(max_tokens)} tokens`;
  const all = Object.keys(MODELS).map((id) => defaultBudget(modelInfo(id)).tokens);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return least === most ? `${tokens(least)} tokens` : `${tokens(least)} to ${tokens(most)} tokens, by the model`;
}

/** An event on one line. Pure. */
export function eventLine(event: ProxyEvent): string {
  switch (event.type) {
    case 'fold-end': {
      const { model, conversation = '', fold, before, after } = event;
      return `folded ${conversation} (${clean(model)}): ${tokens(before)} to ${tokens(after)} tokens, fold ${fold}`;
    }
    case 'budget-small': {
      const { model, reserve, max_tokens, needed } = event;
      return `the budget of ${tokens(max_tokens)} tokens is too small for a client of ${clean(model)} that sends ${tokens(reserve)} of system prompt and tools: its requests pass unchanged; set --budget to at least ${needed}`;
    }
    case 'view-fail':
      return `${event.conversation ?? (clean(event.model) || event.api)}: ${event.code}: ${clean(event.message)}`;
    case 'thinking-retry':
      return `${event.conversation ?? clean(event.model)}: the API refused earlier thinking; sent again without it`;
    case 'answer-fail':
      return `${event.upstream} answered ${clean(event.path)} with ${event.status}: ${adviceFor(event.status)}`;
    default:
      return clean(event.message);
  }
}

/** What was saved, on one line, and for each status with which requests failed a line that says what to do. Pure. */
export function endLines({ totals, conversations }: Pick<ProxyStatus, 'totals' | 'conversations'>): string[] {
  const { requests, folds, failed } = totals;
  const failures = Object.entries(failed);
  const count = failures.reduce((sum, [, times]) => sum + times, 0);
  const answered = `${counted(requests, 'request')}${count > 0 ? ` answered, ${count} failed` : ''}`;
  const what = `${answered}, ${counted(folds, 'fold')} in ${counted(conversations.length, 'conversation')}`;
  return [
    [what, ...costTexts(totals)].join('; '),
    ...failures.map(
      ([status, times]) => `${counted(times, 'request')} failed with ${status}: ${adviceFor(Number(status))}`,
    ),
  ];
}

const ADVICE: Readonly<Record<number, string>> = {
  401: "the API refused the key; check the client's key or login",
  403: 'not allowed; check what the key may use',
  404: "the API has no such address or model; check the client's base URL and model, and the upstream of the proxy",
  413: 'the request was too large; lower --budget, or start a new conversation',
  429: 'too many requests, or no credit left; wait, or check the plan of the key',
  502: 'the API could not be reached; check its address and your network',
};

function adviceFor(status: number): string {
  return ADVICE[status] ?? (status >= 500 ? 'the API is failing; try again later' : 'the client shows why');
}

function costTexts({ dollars, units }: Totals): string[] {
  const inUnits = `${tokens(units.proxied)} instead of ${tokens(units.direct)} direct, in input tokens of models without a known price`;
  return [
    ...(dollars.direct > 0
      ? [`${money(dollars.proxied)} instead of ${money(dollars.direct)} direct: ${saved(dollars)}`]
      : []),
    ...(units.direct > 0 ? [`${inUnits}: ${share(units)}`] : []),
  ];
}

function saved(costs: Costs): string {
  const { proxied, direct } = costs;
  return `${difference(Math.max(proxied, direct), Math.min(proxied, direct))}, ${share(costs)}`;
}

/** A conversation that ends soon after a fold may cost more than without one. */
function share({ proxied, direct }: Costs): string {
  return proxied > direct ? `${percent(proxied / direct - 1)} more` : `${percent(1 - proxied / direct)} saved`;
}

/** The state of a running proxy, in rows of at most `columns` and as many as `rows`. Pure. */
export function statusLines(status: ProxyStatus, now: number, columns: number, rows: number): string[] {
  const { url, since, active, max_tokens, conversations } = status;
  const end = endLines(status);
  const most = Math.max(1, rows - 5 - end.length);
  const cost = (units: number, currency: string) => (currency === 'dollars' ? money(units) : `${tokens(units)} units`);
  const table = tableLines(conversations.slice(0, most), [
    { head: 'conversation', cell: ({ conversation }) => conversation },
    { head: 'model', cell: ({ model }) => cut(clean(model), 24) },
    { head: 'requests', cell: ({ requests }) => String(requests) },
    { head: 'folds', cell: ({ folds }) => String(folds) },
    { head: 'prompt', cell: ({ prompt }) => tokens(prompt) },
    { head: 'history', cell: ({ history }) => tokens(history) },
    { head: 'cost', cell: ({ costs, currency }) => cost(costs.proxied, currency) },
    { head: 'direct', cell: ({ costs, currency }) => cost(costs.direct, currency) },
  ]);
  const more = conversations.length > most ? [`… ${conversations.length - most} more`] : [];
  return [
    `${url}, up ${duration(now - since)}, budget ${budgetText(max_tokens)}, ${counted(active, 'request')} running`,
    ...(conversations.length === 0 ? ['no conversations yet'] : ['', ...table, ...more, '']),
    ...end,
  ].map((line) => cut(line, columns));
}
