import type { SessionDetail, View } from '../../src/api/types.ts';
import { counted, money, percent, tokens, whole } from '../parts/format.ts';
import { countFates } from './rows.ts';

/** A question and its answer. */
interface Stat {
  readonly name: string;
  readonly value: string;
  readonly more?: string;
  readonly tone?: 'good' | 'bad' | 'view' | 'fold';
}

/** One request may be on its way, or may have been interrupted. */
const FAILING = 2;
/** The server counts no further. */
const MOST_UNANSWERED = 20;

/** The answers to a reader's first questions about a session. `view`: at the selected call. Pure. */
export function summaryOf(session: SessionDetail, view: View | undefined): Stat[] {
  return [health(session), cost(session), forgotten(session, view), cache(session)];
}

/** Of a conversation of several agents, which have a budget each. Pure. */
export function costAndForgotten(session: SessionDetail, view: View | undefined): Stat[] {
  return [cost(session), forgotten(session, view)];
}

function health(session: SessionDetail): Stat {
  const { kind, viewTokens, historyTokens, overWindow = 0, calls, unanswered = 0 } = session;
  const name = 'Is it healthy?';
  if (unanswered >= FAILING)
    return {
      name,
      value: 'No answer',
      more: `the last ${whole(unanswered)}${unanswered === MOST_UNANSWERED ? ' or more' : ''} requests were not answered`,
      tone: 'bad',
    };
  if (calls === 0 && kind === 'proxy')
    return { name, value: 'No answer yet', more: 'requests were sent, but none of them was answered', tone: 'bad' };
  if (calls === 0) return { name, value: 'No calls yet', more: 'nothing was sent to a model' };
  if (viewTokens === undefined) return { name, value: 'Unknown', more: 'no call says how much was sent' };
  const history = historyTokens === undefined ? '' : ` The whole history has ${tokens(historyTokens)} tokens.`;
  const lost = overWindow > 0 ? ` It would not have fit the model's window in ${counted(overWindow, 'call')}.` : '';
  const fullest = budgetsOf(session).toSorted((a, b) => b.used / b.most - a.used / a.most)[0];
  if (!fullest && kind === 'crew') {
    const sent = `${tokens(viewTokens)} tokens were sent for the user's last message.`;
    return { name, value: 'A budget per agent', more: `See Crew for how full each one is. ${sent}${history}${lost}` };
  }
  if (!fullest)
    return { name, value: `${tokens(viewTokens)} tokens sent`, more: `No budget is known.${history}${lost}` };
  const { used, most, text } = fullest;
  const isOver = used > most;
  return {
    name,
    value: isOver ? 'Over budget' : 'Within budget',
    more: `${text}, ${percent(used / most)}.${history}${lost}`,
    tone: isOver ? 'bad' : 'good',
  };
}

/** What bounds the view, with what the newest call used of it. */
function budgetsOf({ viewTokens = 0, budget, viewMessages, budgetMessages }: SessionDetail) {
  return [
    ...(budget === undefined
      ? []
      : [{ used: viewTokens, most: budget, text: `${tokens(viewTokens)} of ${tokens(budget)} tokens` }]),
    ...(budgetMessages === undefined || viewMessages === undefined
      ? []
      : [
          {
            used: viewMessages,
            most: budgetMessages,
            text: `${whole(viewMessages)} of ${counted(budgetMessages, 'message')}`,
          },
        ]),
  ].filter(({ most }) => most > 0);
}

function cost({ kind, costs: { spent, everything }, calls }: SessionDetail): Stat {
  const name = 'What did it cost?';
  if (calls === 0 && !spent)
    return { name, value: 'Nothing', more: kind === 'proxy' ? 'no answers yet' : 'no calls yet' };
  if (spent === undefined) return { name, value: 'Unknown', more: 'the price of a call is not known' };
  if (everything === undefined) return { name, value: money(spent), more: counted(calls, 'call'), tone: 'view' };
  const saved = everything > 0 ? 1 - spent / everything : 0;
  if (Math.abs(saved) < 0.005)
    return { name, value: money(spent), more: 'as much as sending everything', tone: 'view' };
  const more = `instead of ${money(everything)} for sending everything: ${percent(Math.abs(saved))} ${saved > 0 ? 'less' : 'more'}`;
  return { name, value: money(spent), more, tone: saved > 0 ? 'good' : 'bad' };
}

function forgotten({ folds, calls }: SessionDetail, view: View | undefined): Stat {
  const name = 'What was forgotten?';
  if (!view) return { name, value: '…' };
  if (view.unknown !== undefined) return { name, value: 'Unknown', more: 'what the model sees is not known' };
  const { folded, shortened } = countFates(view);
  const all = counted(view.messages, 'message');
  const when = view.call === undefined || view.call === calls ? '' : ` at call ${whole(view.call)}`;
  if (folded + shortened === 0)
    return { name, value: 'Nothing', more: `the model sees all ${all}${when}`, tone: 'good' };
  const value = `${whole(folded)} of ${whole(view.messages)}`;
  if (folds === 0) {
    const more = `messages no longer sent${when}: only the newest ${whole(view.sent)} are. Each can be recalled.`;
    return { name, value, more, tone: 'fold' };
  }
  const times = when === '' ? ` in ${counted(folds, 'fold')}` : when;
  if (folded === 0)
    return {
      name,
      value: `${whole(shortened)} shortened`,
      more: `of ${all}${times}: long output was cut. Each can be recalled.`,
      tone: 'fold',
    };
  const others = shortened === 0 ? '' : ` ${whole(shortened)} more ${shortened === 1 ? 'is' : 'are'} shortened.`;
  const more = `messages folded${times}${view.note ? ': a note stands in for them' : ''}. Each can be recalled.${others}`;
  return { name, value, more, tone: 'fold' };
}

function cache({ totals: { input, cacheRead, cacheWrite }, calls }: SessionDetail): Stat {
  const all = input + cacheRead + cacheWrite;
  const name = 'How much was cached?';
  if (all === 0) return { name, value: '–', more: counted(calls, 'call') };
  return {
    name,
    value: percent(cacheRead / all),
    more: `read ${tokens(cacheRead)}, written ${tokens(cacheWrite)}, in ${counted(calls, 'call')}`,
    tone: 'view',
  };
}
