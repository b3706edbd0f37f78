/** The calls without results, and all calls since none was open. */
export class OpenCalls {
  readonly #open = new Set<string>();
  #ids: string[] = [];
  #met = new Set<string>();

  get waits(): boolean {
    return this.#open.size > 0;
  }

  /** The ids without a result. */
  get open(): readonly string[] {
    return [...this.#open];
  }

  /** The ids of all calls since none was open. */
  get called(): readonly string[] {
    return this.#ids;
  }

  /** Records a result; false if no open call has this id. */
  answer(id: string): boolean {
    return this.#open.delete(id);
  }

  /** Adds the calls of a message; false if two have the same id. */
  add(calls: readonly { readonly id: string }[]): boolean {
    if (!this.waits && this.#ids.length > 0) {
      this.#ids = [];
      this.#met = new Set();
    }
    for (const { id } of calls) {
      this.#ids.push(id);
      this.#met.add(id);
      this.#open.add(id);
    }
    return this.#met.size === this.#ids.length;
  }
}
