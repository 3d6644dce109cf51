/** What a visitor may do: a viewer reads, an operator acts as well. */
export type Role = "viewer" | "operator";

/** Who a request is from. */
export type Visitor = {
  /** The name that was given at sign-in, or that the reverse proxy reports; `local` if no sign-in is required. */
  readonly name: string;
  readonly role: Role;
  /** The address that the request came from. */
  readonly from: string;
  /** How they signed in. */
  readonly by: "loopback" | "password" | "proxy";
};
