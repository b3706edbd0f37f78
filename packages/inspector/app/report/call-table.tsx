import type { ReportRun } from '../../src/report/types.ts';
import { tokens } from '../parts/format.ts';

interface CallTableProps {
  readonly run: ReportRun;
  readonly columns: readonly { readonly name: string; readonly tokens: readonly number[] }[];
}

const ROWS = 25;

/** A chart as a table: about 25 calls, and every call after a fold. */
export function CallTable({ run: { at, folds }, columns }: CallTableProps) {
  const every = Math.max(1, Math.ceil(at.length / ROWS));
  const folded = new Map(folds.map(({ call, number }) => [call, number]));
  const shown = at.map((call, n) => ({ call, n }));
  const rows = shown.filter(({ call, n }) => n % every === 0 || n === at.length - 1 || folded.has(call));
  return (
    <section class="scroll" tabIndex={0} aria-label="Tokens by call, table">
      <table>
        <thead>
          <tr>
            <th scope="col">call</th>
            {columns.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
            <th scope="col">fold</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ call, n }) => (
            <tr key={call}>
              <th scope="row">{call}</th>
              {columns.map((column) => (
                <td key={column.name}>{tokens(column.tokens[n] ?? 0)}</td>
              ))}
              <td>{folded.get(call) ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
