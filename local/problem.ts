/** Something the person who runs the stack can put right: shown as one message, without a stack trace. */
export class Problem extends Error {
  override name = 'Problem';
}
