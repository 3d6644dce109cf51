/** A request that a server of ours refuses: it becomes a status and an error body. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** How many values of the request fit its operation before one did not; infinite if no value is the reason. */
  readonly fitted: number;

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    fitted = Number.POSITIVE_INFINITY,
  ) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.headers = headers;
    this.fitted = fitted;
  }
}
