import { type Permission, type Permissions, permits } from '@holdfast/agent/chat';
import { realPath } from '@holdfast/agent/tools';
import type { Context } from '../context.ts';
import { changePermissions, readPermissions } from '../trust/trust-store.ts';
import type { Given } from './input/approval.ts';

/** A permission, and whether later chats in the folder have it too. */
export interface ListedPermission extends Permission {
  readonly isKept: boolean;
}

/** What this chat may do without asking: for this process, and for its folder. */
export interface ChatPermissions extends Permissions {
  /** Whether permissions of the folder count, and can be added. */
  readonly canKeep: boolean;
  list(): ListedPermission[];
  /** Gives the permission to later chats in this folder, too. Throws WrongUse. */
  keep(permission: Permission): void;
  /** Takes a permission back, wherever it is kept. Throws WrongUse. */
  revoke(permission: Permission): void;
}

/**
 * The permissions of a chat in this folder. Those of the folder are read at each call, so that one that was revoked elsewhere
 * no longer counts; in a folder that is not trusted they never do.
 */
export function openPermissions(context: Context): ChatPermissions {
  const folder = realPath(context.cwd);
  const canKeep = context.trusts === true;
  let own: readonly Permission[] = [];
  const kept = (): readonly Permission[] => (canKeep ? (readPermissions(context)[folder] ?? []) : []);
  const isSame = (a: Permission) => (b: Permission) => a.tool === b.tool && a.command === b.command;
  return {
    canKeep,
    add(permission) {
      if (![...own, ...kept()].some(isSame(permission))) own = [...own, permission];
    },
    allow: (call) => [...own, ...kept()].some((permission) => permits(permission, call)),
    list: () => [
      ...kept().map((permission) => ({ ...permission, isKept: true })),
      ...own.map((permission) => ({ ...permission, isKept: false })),
    ],
    keep({ tool, command }) {
      const permission = { tool, ...(command === undefined ? {} : { command }) };
      changePermissions(context, folder, (before) =>
        before.some(isSame(permission)) ? before : [...before, { ...permission, since: new Date().toISOString() }],
      );
    },
    revoke(permission) {
      own = own.filter((one) => !isSame(permission)(one));
      if (kept().some(isSame(permission)))
        changePermissions(context, folder, (before) => before.filter((one) => !isSame(permission)(one)));
    },
  };
}

/** Keeps a permission for the folder, if the user said so. Throws WrongUse. */
export function keepGiven({ approval, keep }: Given, permissions: ChatPermissions): void {
  if (keep && approval !== 'once' && 'always' in approval) permissions.keep(approval.always);
}
