/** The link between what clients send and what handlers get of it, in types alone: no value has the member. */

declare const read: unique symbol

/** joined to a wire type: the server reads it as `A` */
export interface ReadAs<A> {
  readonly [read]?: A
}

/** what handlers get of a wire type */
export type Read<Wire> = Wire extends ReadAs<infer A> ? A : Wire
