/** A promise that somebody else settles. Node 20 has no `Promise.withResolvers`. */

const nothing = () => undefined;

/** A promise and the two functions that settle it. */
export class Deferred<T> {
  resolve: (value: T) => void = nothing;
  reject: (reason: unknown) => void = nothing;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}
