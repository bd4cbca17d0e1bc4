/** An error that the user of the stack can fix; shown as a message without a stack trace. */
export class Problem extends Error {
  override name = 'Problem';
}
