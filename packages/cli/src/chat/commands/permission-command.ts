import { WrongUse } from '../../failure.ts';
import { permissionText } from '../../trust/permission-text.ts';
import { clean } from '../../view/clean.ts';
import { cut, wrapText } from '../../view/text.ts';
import type { CommandContext } from './command.ts';

/** `/permissions`: lists what needs no approval; `revoke 2` or `revoke all` takes it back. Throws WrongUse. */
export async function permissions(
  args: string,
  { face, permissions: all }: Pick<CommandContext, 'face' | 'permissions'>,
): Promise<undefined> {
  const list = all.list();
  const say = (text: string) => face.print(wrapText(text, face.columns));
  const [, which] = /^revoke\s+(\d{1,4}|all)$/.exec(args) ?? [];
  if (args !== '' && which === undefined)
    throw new WrongUse('/permissions lists them; /permissions revoke 2, or revoke all, takes them back');
  if (list.length === 0) {
    say('Every call that may change something asks first.');
    return undefined;
  }
  if (which === undefined) {
    const rows = list.map(
      (one, i) => `${String(i + 1).padStart(3)}  ${where(one.isKept)}  ${clean(permissionText(one))}`,
    );
    face.print(rows.map((row) => cut(row, face.columns)));
    say('/permissions revoke 1 takes one back; /permissions revoke all, all of them.');
    return undefined;
  }
  const revoked = which === 'all' ? list : list.slice(Number(which) - 1, Number(which));
  if (revoked.length === 0 || which === '0')
    throw new WrongUse(`there is no permission ${which}: /permissions lists them`);
  for (const one of revoked) all.revoke(one);
  say(`Revoked: ${revoked.map(permissionText).map(clean).join(', ')}.`);
  return undefined;
}

function where(isKept: boolean): string {
  return isKept ? 'this folder    ' : 'until you leave';
}
