import { createHmac } from 'node:crypto';
import { isJson, type Json, parsed } from './json.ts';

/** Makes and opens texts that others cannot forge: signatures of thinking, encrypted reasoning. */
export interface Seal {
  close(content: Json, over?: string): string;
  /** The content; undefined if this seal did not close it, or not over that text. */
  open(sealed: string, over?: string): Json | undefined;
  /** The content, whatever text it was closed over. */
  peek(sealed: string): Json | undefined;
}

/** A seal: another one with the same secret opens what it made, even after a restart. Not real secrecy. */
export function createSeal(secret: string, prefix: string): Seal {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64url').slice(0, 32);
  const read = (sealed: string) => {
    const [, content = '', own = '', covered = ''] =
      new RegExp(`^${prefix}([\\w-]+)\\.([\\w-]+)\\.([\\w-]+)$`).exec(sealed) ?? [];
    if (own === '' || own !== sign(content)) return undefined;
    const value = parsed(Buffer.from(content, 'base64url').toString());
    return isJson(value) ? { content, covered, value } : undefined;
  };
  return {
    close(content, over = '') {
      const text = Buffer.from(JSON.stringify(content)).toString('base64url');
      return `${prefix}${text}.${sign(text)}.${sign(`${text}\0${over}`)}`;
    },
    open(sealed, over = '') {
      const found = read(sealed);
      return found && found.covered === sign(`${found.content}\0${over}`) ? found.value : undefined;
    },
    peek: (sealed) => read(sealed)?.value,
  };
}
