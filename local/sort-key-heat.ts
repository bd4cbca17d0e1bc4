/** Ranges of sort keys that a partition is divided into. */
const ranges = 8;
/** It is divided anew after so many writes. The first division is rough: what it has counted ends with it. */
const [roughDivision, firstDivision, laterDivisions] = [64, 256, 512];
/** A time or a padded number: in order of writing in production, whatever order a measurement writes them in. */
const ordered = /^(?:\d{4}-\d{2}-\d{2}T|\d{12})/;

/**
 * How far AWS can split a partition key that is written too often. Without a local secondary index, DynamoDB divides
 * such a key's items by sort key, again and again. That does not help where writes go to one item, nor where each sort
 * key is higher than those before: all writes then reach the last part. See
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html and part 3 of "Scaling
 * DynamoDB: How partitions, hot keys, and split for heat impact performance" in the AWS Database Blog.
 * So earlier sort keys divide the partition into equal parts, as AWS would, and later writes are counted by part.
 */
export class SortKeyHeat {
  #next = roughDivision;
  #seen: string[] = [];
  #bounds: string[] | undefined;
  #parts: number[] = [];
  #hottest = 0;
  #total = 0;

  add(sortKey: string, units: number): void {
    if (this.#bounds) {
      const part = ordered.test(sortKey) ? ranges - 1 : this.#bounds.filter((bound) => sortKey >= bound).length;
      this.#parts[part] = (this.#parts[part] ?? 0) + units;
      this.#total += units;
    }
    if (this.#seen.push(sortKey) === this.#next) this.#divide();
  }

  /** The share of the writes that went to the hottest part: 1 when AWS cannot split it, or too few are known. */
  get hottestShare(): number {
    return this.#total === 0 ? 1 : (this.#hottest + Math.max(0, ...this.#current())) / this.#total;
  }

  #divide(): void {
    this.#hottest += Math.max(0, ...this.#current());
    if (this.#next === firstDivision) this.#hottest = this.#total = 0;
    this.#parts = [];
    const sorted = this.#seen.toSorted();
    const bound = (at: number) => sorted[Math.floor((at * sorted.length) / ranges)]!;
    this.#bounds = Array.from({ length: ranges - 1 }, (_, at) => bound(at + 1));
    if (this.#next !== roughDivision) this.#seen = [];
    this.#next = this.#next === roughDivision ? firstDivision : laterDivisions;
  }

  #current = (): number[] => Object.values(this.#parts);
}
