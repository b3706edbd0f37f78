import { counted } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import type { Utterance } from './talk.ts';

const [STEP, HIGH, NAME] = [12, 20, 96];
const MOST = 120;

/** Who spoke when: a lane for each speaker, a block for each time. */
export function Spoke({ said }: { readonly said: readonly Utterance[] }) {
  const turns = said.filter(({ role }) => role !== 'problem').slice(-MOST);
  if (turns.length === 0) return null;
  const names = [...new Set(turns.map(({ who }) => who))];
  const times = (name: string) => counted(turns.filter(({ who }) => who === name).length, 'time');
  return (
    <figure>
      <figcaption>
        <h3>Who spoke when</h3>
      </figcaption>
      <section class="scroll" tabIndex={0} aria-label="Who spoke when">
        <svg
          class="spoke"
          width={NAME + turns.length * STEP}
          height={names.length * HIGH}
          role="img"
          aria-label={plain(names.map((name) => `${name} ${times(name)}`).join(', '))}
        >
          {names.map((name, row) => (
            <text x={0} y={row * HIGH + 14} key={name}>
              {plain(name.length > 13 ? `${name.slice(0, 12)}…` : name)}
            </text>
          ))}
          {turns.map(({ who }, at) => {
            const row = names.indexOf(who);
            const [x, y] = [NAME + at * STEP, row * HIGH + 3];
            return <rect fill={`var(--c${row % 6})`} x={x} y={y} width={STEP - 2} height={HIGH - 6} rx={3} key={at} />;
          })}
        </svg>
      </section>
    </figure>
  );
}
