/** Why a request is not answered: thrown by whatever finds it, turned into the API's own envelope at the edge. */
export class Refusal extends Error {
  readonly status: number;
  /** `type` of the error, or the one that goes with the status. */
  readonly type: string | undefined;
  readonly param: string | null;
  readonly code: string | null;
  /** Name of the broken rule, where one of `holdfast/rules` was broken. */
  readonly rule: string | undefined;

  constructor(
    status: number,
    message: string,
    more: { readonly type?: string; readonly param?: string | null; readonly code?: string | null; rule?: string } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.type = more.type;
    this.param = more.param ?? null;
    this.code = more.code ?? null;
    this.rule = more.rule;
  }
}
