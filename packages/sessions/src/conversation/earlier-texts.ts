import { type RecordedRequest, type StretchText, stretchTexts } from '../requests/text-recorder.ts';

/** Characters of one conversation's requests that are kept until it has a log: more than any usual budget. */
const MOST_CHARS = 1_000_000;
/** Characters of a token, where only an estimate is needed. */
const CHARACTERS = 4;

/** The texts of the requests before a conversation has a log, each text once. */
export class EarlierTexts {
  readonly #texts = new Map<string, StretchText>();
  #chars = 0;

  /** Tokens of all texts: how much memory they take. */
  get tokens(): number {
    return Math.ceil(this.#chars / CHARACTERS);
  }

  /** A request without its bytes; undefined if there is no room for it. */
  keep({ bytes, stretches }: RecordedRequest): readonly StretchText[] | undefined {
    if (bytes > MOST_CHARS) return undefined;
    const request = stretchTexts(stretches());
    const added = request.filter(({ hash }) => !this.#texts.has(hash));
    const chars = added.reduce((sum, { text }) => sum + text.length, 0);
    if (this.#chars + chars > MOST_CHARS) return undefined;
    this.#chars += chars;
    for (const { hash, text } of added)
      this.#texts.set(hash, { hash, text: typeof text === 'string' ? text : Buffer.from(text).toString('utf8') });
    return request.flatMap(({ hash }) => this.#texts.get(hash) ?? []);
  }
}
