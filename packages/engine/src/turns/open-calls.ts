/** Most messages make no calls; never changed, because none of it waits. */
const NONE: string[] = [];

/**
 * The calls that wait for results, and those that had theirs since none was waiting. Results in the order of their calls,
 * which is the rule, cost no look-up.
 */
export class OpenCalls {
  #ids: string[] = NONE;
  /** How many of the first have their result, as long as results come in order; then `#left` are those without. */
  #done = 0;
  #left: Set<string> | undefined;
  /** All ids, once a second message has called. */
  #met: Set<string> | undefined;

  get waits(): boolean {
    return this.#left ? this.#left.size > 0 : this.#done < this.#ids.length;
  }

  /** The ids that wait. */
  get open(): readonly string[] {
    return this.#left ? [...this.#left] : this.#ids.slice(this.#done);
  }

  /** The ids of all calls since none was waiting. */
  get called(): readonly string[] {
    return this.#ids;
  }

  /** Takes in a result; false if no call waits for it. */
  answer(id: string): boolean {
    if (!this.#left && this.#ids[this.#done] === id) {
      this.#done++;
      return true;
    }
    this.#left ??= new Set(this.#ids.slice(this.#done));
    return this.#left.delete(id);
  }

  /** Takes in the calls of a message; false if two have the same id. */
  add(calls: readonly { readonly id: string }[]): boolean {
    if (!this.waits) {
      this.#ids = calls.length === 0 ? NONE : calls.map(({ id }) => id);
      this.#done = 0;
      this.#left = undefined;
      this.#met = undefined;
      // A set is worth its making only for many.
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
