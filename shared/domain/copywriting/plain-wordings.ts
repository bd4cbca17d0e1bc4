import { type WordingSet, wordingsOf } from './polish-options.ts';

/** Long phrases with a short equivalent. */
export const wordy: WordingSet = {
  why: 'shorter',
  wordings: [
    ...wordingsOf(`
      in order to / so as to = to; for the purpose of = for;
      due to the fact that / owing to the fact that / in light of the fact that = because;
      on account of the fact that / in view of the fact that = because;
      in spite of the fact that / despite the fact that / regardless of the fact that = although;
      in the event that / on the condition that = if; under circumstances in which = when; until such time as = until;
      at this point in time / at the present time / at this moment in time = now; in the near future = soon;
      at a later date = later; at all times = always; on a regular basis = regularly; on a daily basis = daily;
      on a weekly basis = weekly; on a monthly basis = monthly; in a timely manner = promptly;
      in close proximity to / in the vicinity of = near; in excess of = more than;
      with regard to / with regards to / with reference to / in regard to / in reference to = about;
      for the reason that = because; a large number of / a great number of = many
    `),
    ['(?:a|the)(?: vast)? majority of (?=the |our |your |these |those )', 'most of '],
    ['(?:a|the)(?: vast)? majority of', 'most'],
    ...wordingsOf(`
      a sufficient number of / a sufficient amount of = enough; a small number of / a limited number of = a few;
      has the ability to / is able to / are able to = can; make a decision = decide;
      take into consideration / give consideration to = consider; make use of = use; get in touch with = contact;
      provide assistance to = help; by means of = by; as a consequence of / as a result of = because of;
      with the exception of = except; in addition to this = also; prior to = before; subsequent to = after;
      utilize = use; utilizes = uses; utilized = used; utilizing = using; utilise = use; utilises = uses;
      utilised = used; utilising = using
    `),
  ],
};

/** Phrases that say the same twice. */
export const redundant: WordingSet = {
  why: 'says it once',
  wordings: wordingsOf(`
    free gift = gift; free gifts = gifts; advance planning = planning; end result = result; end results = results;
    final outcome = outcome; past history = history; future plans = plans; each and every = every;
    first and foremost = first; new innovation = innovation; new innovations = innovations; added bonus = bonus;
    basic fundamentals = fundamentals; absolutely essential = essential;
    completely free / totally free / 100% free = free; completely unique / very unique = unique; exact same = same;
    close proximity = proximity; repeat again = repeat; revert back = revert; reply back = reply;
    return back = return; combine together = combine; join together = join; unexpected surprise = surprise;
    PIN number = PIN; ATM machine = ATM
  `),
};

/** Openings of sentences that delay the message. */
export const openers: WordingSet = {
  why: 'comes to the point',
  opening: true,
  wordings: [
    ['(?:i|we) (?:just )?want(?:ed)? to (?:let you know|inform you|tell you) that', ''],
    ['(?:i|we) (?:just )?would like to (?:let you know|inform you|tell you) that', ''],
    ["(?:i[’']m|i am|we[’']re|we are) writing to (?:let you know|inform you|tell you) that", ''],
    [['this (?:e-?mail|message) is to (?:let you know|inform you) that', 'please be (?:advised|informed) that'], ''],
    [['please (?:note|be aware) that', 'it is important to note that', 'it should be noted that'], ''],
    [['as you (?:may|might|probably) (?:already )?know,', 'needless to say,', 'the fact of the matter is that'], ''],
  ],
};
