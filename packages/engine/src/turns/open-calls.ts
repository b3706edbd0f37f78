/** Most messages make no calls. Nothing is ever added to it. */
const NONE: string[] = [];

/** The calls without results, and those answered since none was open. Results usually come in order, which costs no lookup. */
export class OpenCalls {
  #ids: string[] = NONE;
  /** How many of the first calls have results, while these come in order; after that, `#left` are the calls without one. */
  #done = 0;
  #left: Set<string> | undefined;
  /** All ids, once a second message has made calls. */
  #met: Set<string> | undefined;

  get waits(): boolean {
    return this.#left ? this.#left.size > 0 : this.#done < this.#ids.length;
  }

  /** The ids without a result. */
  get open(): readonly string[] {
    return this.#left ? [...this.#left] : this.#ids.slice(this.#done);
  }

  /** The ids of all calls since none was open. */
  get called(): readonly string[] {
    return this.#ids;
  }

  /** Records a result; false if no open call has this id. */
  answer(id: string): boolean {
    if (!this.#left && this.#ids[this.#done] === id) {
      this.#done++;
      return true;
    }
    this.#left ??= new Set(this.#ids.slice(this.#done));
    return this.#left.delete(id);
  }

  /** Adds the calls of a message; false if two have the same id. */
  add(calls: readonly { readonly id: string }[]): boolean {
    if (!this.waits) {
      this.#ids = calls.length === 0 ? NONE : calls.map(({ id }) => id);
      this.#done = 0;
      this.#left = undefined;
      this.#met = undefined;
      // A set pays off only for many ids.
      if (calls.length < 9) return calls.every(({ id }, i) => this.#ids.indexOf(id) === i);
      return new Set(this.#ids).size === calls.length;
    }
    this.#met ??= new Set(this.#ids);
    for (const { id } of calls) {
      this.#ids.push(id);
      this.#left?.add(id);
      this.#met.add(id);
    }
    return this.#met.size === this.#ids.length;
  }
}
