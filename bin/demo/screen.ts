const barWidth = 30;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A number with thousands separators. */
export const number = (value: number): string => value.toLocaleString('en-US');

/** A horizontal bar for a part of a whole; at least an eighth of a character unless the part is 0. */
export function bar(part: number, whole: number): string {
  const units = whole > 0 ? Math.min(barWidth * 8, Math.round((part / whole) * barWidth * 8)) : 0;
  const shown = part > 0 ? Math.max(1, units) : 0;
  return '█'.repeat(Math.floor(shown / 8)) + eighths[shown % 8];
}

/** A progress line: redrawn in a terminal, else printed once for each tenth. */
export class Progress {
  readonly #label: string;
  readonly #terminal = process.stdout.isTTY;
  #shown = '';

  constructor(label: string) {
    this.#label = label.padEnd(10);
  }

  /** Shows `done` of `total` with a note. */
  update(done: number, total: number, note: string): void {
    const share = total > 0 ? Math.min(1, done / total) : 0;
    if (this.#terminal) this.#draw(share, note);
    else this.#print(`${Math.floor(share * 10) * 10}%`.padStart(5), note);
  }

  /** Ends the line. */
  end(note: string): void {
    if (this.#terminal) process.stdout.write(`\r\x1b[2K  ${this.#label} ${note}\n`);
    else console.log(`  ${this.#label} ${note}`);
  }

  #draw(share: number, note: string): void {
    const drawn = bar(share, 1).padEnd(barWidth);
    process.stdout.write(`\r\x1b[2K  ${this.#label} ${drawn} ${`${Math.floor(share * 100)}%`.padStart(4)}  ${note}`);
  }

  #print(share: string, note: string): void {
    if (share === this.#shown) return;
    this.#shown = share;
    console.log(`  ${this.#label} ${share}  ${note}`);
  }
}
