import type { AgentSetup } from '../../src/api/types.ts';
import { counted, money, percent, tokens } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import type { Lane } from './talk.ts';

/** An agent: what it is for, how full its view is, and what it cost. */
export function AgentCard({ agent, lane }: { readonly agent: AgentSetup; readonly lane: Lane | undefined }) {
  const { name, about = '', model, budget } = agent;
  const size = lane?.size;
  return (
    <li class={`agent-card ${lane?.isOn ? 'on' : ''}`} data-agent={name}>
      <p class="row">
        <b>{plain(name)}</b>
        {lane?.isOn && <span class="tag good live">speaking</span>}
        <span class="soft small nums">{lane && lane.cost > 0 ? money(lane.cost) : ''}</span>
      </p>
      <p class="small soft">
        {plain(about)} {model === undefined ? '' : plain(model)}
      </p>
      {size ? (
        <>
          <meter min={0} max={1} high={0.8} value={size.share} aria-label={`View of ${plain(name)}`} />
          <p class="small soft nums">
            {counted(size.messages, 'message')}, {size.estimated ? '~' : ''}
            {tokens(size.tokens)} tokens, {percent(size.share)} of its budget
            {lane.folds > 0 ? `, ${counted(lane.folds, 'fold')}` : ''}
          </p>
        </>
      ) : (
        budget && <p class="small soft nums">{budgetText(budget)}</p>
      )}
    </li>
  );
}

function budgetText({ tokens: most, messages }: NonNullable<AgentSetup['budget']>): string {
  const parts = [
    ...(most === undefined ? [] : [`${tokens(most)} tokens`]),
    ...(messages === undefined ? [] : [counted(messages, 'message')]),
  ];
  return parts.length === 0 ? '' : `budget: ${parts.join(', ')}`;
}
