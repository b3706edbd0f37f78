const TAG = /<(\/?)([a-z][\w-]{0,63})(?:\s[^<>]{0,300})?>/gi;

/** Tags around the user's own words. */
const OWN =
  /^(?:user[_-]?(?:query|message|request|input|prompt)|query|question|request|task|prompt|message|feedback)$/i;

/** Follows wrappers such as `<system-reminder>` line by line. A tag that is never closed is not a wrapper. */
export class Wrappers {
  /** How many closing tags of each name are still to come. */
  readonly #closing = new Map<string, number>();
  #open = '';
  #depth = 0;

  constructor(text: string) {
    if (!text.includes('</')) return;
    for (const [, slash, name = ''] of text.matchAll(TAG))
      if (slash && !OWN.test(name)) this.#closing.set(name, (this.#closing.get(name) ?? 0) + 1);
  }

  /** The line without the tags of wrappers, and whether some of it is inside one. */
  read(line: string): { readonly line: string; readonly wrapped: boolean } {
    let wrapped = this.#depth > 0;
    if (this.#closing.size === 0 || !line.includes('<')) return { line, wrapped };
    const rest = line.replace(TAG, (tag, slash: string, name: string) => {
      const closing = this.#closing.get(name) ?? 0;
      if (slash) this.#closing.set(name, closing - 1);
      else if (this.#depth === 0 && closing > 0) this.#open = name;
      if (name !== this.#open || closing === 0) return tag;
      this.#depth = Math.max(0, this.#depth + (slash ? -1 : 1));
      wrapped = true;
      return ' ';
    });
    return { line: rest, wrapped };
  }
}
