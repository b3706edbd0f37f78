import { resolve } from 'node:path';
import { realPath } from '@holdfast/agent/tools';
import type { Context } from '../context.ts';
import { Interrupted, WrongUse } from '../failure.ts';
import { readTask } from '../run/task-file.ts';
import { jsonText } from '../view/harmless.ts';
import { remember, type TrustFlags, trustStatusOf } from './ensure-trust.ts';
import { permissionText } from './permission-text.ts';
import { askTrust, hasTerminalToAsk, pendingLines, wrapSentences } from './question.ts';
import { nameIn } from './trust-items.ts';
import { readPermissions, readTrust, revokeTrust } from './trust-store.ts';
import { visible } from './visible.ts';

/** The flags of `holdfast trust`. */
export interface TrustCommandFlags extends TrustFlags {
  readonly crew?: string;
  readonly task?: string;
  readonly yes?: boolean;
}

/** `trust`: shows what is not trusted yet, and asks. Throws WrongUse, Interrupted or BAD_CONFIG. */
export async function trust(flags: TrustCommandFlags, context: Context): Promise<void> {
  const { crew, task, yes = false } = flags;
  const instructions = task === undefined ? { roles: [] } : readTask(context.cwd, task);
  const standing = trustStatusOf(context, flags, { instructions, crew });
  if (standing.pending.length === 0) {
    context.say(`${visible(standing.folder)}: everything here is already trusted.`);
    return;
  }
  const { columns } = context;
  // All of it, however many rows the screen has.
  const lines = pendingLines(standing.folder, standing.pending, { rows: 0, columns: columns ?? 0 });
  context.print(wrapSentences(lines, columns));
  if (!yes && !hasTerminalToAsk(process))
    throw new WrongUse('there is no terminal to ask on: pass --yes to trust all of this');
  const answer = yes ? 'yes' : await askTrust(process);
  if (answer === 'quit') throw new Interrupted('not trusted');
  if (answer === 'no') throw new WrongUse('not trusted');
  remember(context, standing);
  context.say(`${visible(standing.folder)} is now trusted. \`holdfast trust revoke\` undoes this.`);
}

/** `trust list`. */
export function list({ json = false }: { readonly json?: boolean }, context: Context): void {
  const trusted = readTrust(context);
  const permitted = readPermissions(context);
  const folders = [...new Set([...Object.keys(trusted), ...Object.keys(permitted)])].map((folder) => ({
    folder,
    files: Object.entries(trusted[folder] ?? {}).map(([path, { since }]) => ({ path, since })),
    permissions: permitted[folder] ?? [],
  }));
  if (json) {
    context.print(jsonText({ folders }));
    return;
  }
  if (folders.length === 0) context.print('No trusted folders yet.');
  const { dim } = context.paint;
  for (const { folder, files, permissions } of folders) {
    context.print(visible(folder));
    for (const { path, since } of files)
      context.print(`  ${visible(nameIn(folder, path))}  ${dim(`since ${visible(since)}`)}`);
    for (const permission of permissions)
      context.print(`  chat may: ${visible(permissionText(permission))}  ${dim(`since ${visible(permission.since)}`)}`);
  }
}

/** `trust revoke`. Throws WrongUse for a folder that is not trusted. */
export function revoke(
  folder: string | undefined,
  { all = false }: { readonly all?: boolean },
  context: Context,
): void {
  if (all && folder !== undefined) throw new WrongUse('--all means every folder: omit the folder');
  // A deleted folder has no real path.
  const named = resolve(context.cwd, folder ?? '.');
  const listed = { ...readPermissions(context), ...readTrust(context) };
  const known = [realPath(named), named].find((one) => Object.hasOwn(listed, one));
  if (all ? !revokeTrust(context) : known === undefined || !revokeTrust(context, known))
    throw new WrongUse(
      all ? 'there are no trusted folders' : `${visible(named)} is not trusted: see \`holdfast trust list\``,
    );
  context.say(all ? 'All trust is revoked.' : `${visible(known ?? named)} is no longer trusted.`);
}
