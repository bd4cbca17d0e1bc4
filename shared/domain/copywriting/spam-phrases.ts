/** Phrases known from spam, separated by commas, by weight: 1 is light, 3 is heavy. */
const phrases: Readonly<Record<1 | 2 | 3, string>> = {
  1: `
    guaranteed, prize, work from home, full refund, all natural, no fees, increase sales, act now, apply now,
    best price, big discount, buy now, buy direct, call now, click below, click here, deal ending soon,
    do it today, don't delete, don't miss out, exclusive deal, free gift, free trial, get it now, great offer,
    hurry up, instant access, last chance, limited time, lowest price, lowest prices, new customers only,
    now only, offer expires, once in a lifetime, order now, special promotion, supplies are limited,
    take action now, this is not spam, time limited, unlimited, urgent, while supplies last, why pay more
  `,
  2: `
    100% free, 100% satisfied, absolutely free, amazing offer, as seen on, avoid bankruptcy, be your own boss,
    bonus cash, bulk email, cancel at any time, cash bonus, cash prize, cheap meds, compare rates,
    completely free, consolidate debt, credit card offers, dear friend, direct email, eliminate debt,
    financial freedom, free access, free consultation, free info, free investment, free money, free quote,
    get paid, giving away, incredible deal, increase traffic, join millions, lose weight, lower rates, money back,
    no catch, no cost, no credit check, no hidden costs, no obligation, no purchase necessary, no questions asked,
    no strings attached, not junk, online pharmacy, potential earnings, pure profit, risk free,
    satisfaction guaranteed, save big money, search engine listings, stop snoring, viagra, weight loss,
    work at home
  `,
  3: `
    additional income, billion dollars, casino bonus, claim your prize, congratulations you won,
    double your income, double your money, earn extra cash, earn money fast, earn per week, extra income,
    fast cash, get rich quick, guaranteed income, inheritance, lottery, make money, make money fast,
    million dollars, miracle cure, multi level marketing, nigerian prince, passive income, social security number,
    this is not a scam, verify your account, wire transfer, you are a winner, you have been selected,
    you have won, you've been selected, you've won, your account has been suspended
  `,
};

const weights = new Map(
  Object.entries(phrases).flatMap(([weight, list]) =>
    list.split(',').map((phrase) => [phrase.trim(), Number(weight)] as const),
  ),
);
const escaped = (phrase: string) => phrase.replaceAll(' ', '[\\s,!-]+');
const longestFirst = [...weights.keys()].sort((a, b) => b.length - a.length);
const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'giu');

/** The spam phrases of a text, each once, heaviest first. */
export function spamPhrases(text: string): { phrase: string; weight: number }[] {
  const found = new Set(
    [...text.replaceAll('’', "'").matchAll(pattern)].map(([match]) => match.toLowerCase().replace(/[\s,!-]+/g, ' ')),
  );
  return [...found]
    .map((phrase) => ({ phrase, weight: weights.get(phrase) ?? 1 }))
    .sort((a, b) => b.weight - a.weight || a.phrase.localeCompare(b.phrase));
}
