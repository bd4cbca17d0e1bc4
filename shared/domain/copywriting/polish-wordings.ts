import type { PolishGoal, PolishTone } from './polish-options.ts';

/** Wordings and what to put in their place; a set without tone or goal is for everybody. */
export interface WordingSet {
  why: string;
  tones?: readonly PolishTone[];
  goals?: readonly PolishGoal[];
  /** Only at the beginning of a sentence. */
  opening?: boolean;
  /** Not right after one of these words (a pattern). */
  unlessAfter?: string;
  /** `[what, instead]`: `what` is a pattern, matched as whole words without regard to case; where nothing stands instead, the next word moves up. */
  wordings: readonly (readonly [what: string, instead: string])[];
}

const wordy: WordingSet = {
  why: 'shorter',
  wordings: [
    ['in order to', 'to'],
    ['so as to', 'to'],
    ['for the purpose of', 'for'],
    ['due to the fact that', 'because'],
    ['owing to the fact that', 'because'],
    ['in light of the fact that', 'because'],
    ['on account of the fact that', 'because'],
    ['in view of the fact that', 'because'],
    ['in spite of the fact that', 'although'],
    ['despite the fact that', 'although'],
    ['regardless of the fact that', 'although'],
    ['in the event that', 'if'],
    ['on the condition that', 'if'],
    ['under circumstances in which', 'when'],
    ['until such time as', 'until'],
    ['at this point in time', 'now'],
    ['at the present time', 'now'],
    ['at this moment in time', 'now'],
    ['in the near future', 'soon'],
    ['at a later date', 'later'],
    ['at all times', 'always'],
    ['on a regular basis', 'regularly'],
    ['on a daily basis', 'daily'],
    ['on a weekly basis', 'weekly'],
    ['on a monthly basis', 'monthly'],
    ['in a timely manner', 'promptly'],
    ['in close proximity to', 'near'],
    ['in the vicinity of', 'near'],
    ['in excess of', 'more than'],
    ['with regard to', 'about'],
    ['with regards to', 'about'],
    ['with reference to', 'about'],
    ['in regard to', 'about'],
    ['in reference to', 'about'],
    ['for the reason that', 'because'],
    ['a large number of', 'many'],
    ['a great number of', 'many'],
    ['(?:a|the)(?: vast)? majority of (?=the |our |your |these |those )', 'most of '],
    ['(?:a|the)(?: vast)? majority of', 'most'],
    ['a sufficient number of', 'enough'],
    ['a sufficient amount of', 'enough'],
    ['a small number of', 'a few'],
    ['a limited number of', 'a few'],
    ['has the ability to', 'can'],
    ['is able to', 'can'],
    ['are able to', 'can'],
    ['make a decision', 'decide'],
    ['take into consideration', 'consider'],
    ['give consideration to', 'consider'],
    ['make use of', 'use'],
    ['get in touch with', 'contact'],
    ['provide assistance to', 'help'],
    ['by means of', 'by'],
    ['as a consequence of', 'because of'],
    ['as a result of', 'because of'],
    ['with the exception of', 'except'],
    ['in addition to this', 'also'],
    ['prior to', 'before'],
    ['subsequent to', 'after'],
    ['utilize', 'use'],
    ['utilizes', 'uses'],
    ['utilized', 'used'],
    ['utilizing', 'using'],
    ['utilise', 'use'],
    ['utilises', 'uses'],
    ['utilised', 'used'],
    ['utilising', 'using'],
  ],
};

const redundant: WordingSet = {
  why: 'says it once',
  wordings: [
    ['free gift', 'gift'],
    ['free gifts', 'gifts'],
    ['advance planning', 'planning'],
    ['end result', 'result'],
    ['end results', 'results'],
    ['final outcome', 'outcome'],
    ['past history', 'history'],
    ['future plans', 'plans'],
    ['each and every', 'every'],
    ['first and foremost', 'first'],
    ['new innovation', 'innovation'],
    ['new innovations', 'innovations'],
    ['added bonus', 'bonus'],
    ['basic fundamentals', 'fundamentals'],
    ['absolutely essential', 'essential'],
    ['completely free', 'free'],
    ['totally free', 'free'],
    ['100% free', 'free'],
    ['completely unique', 'unique'],
    ['very unique', 'unique'],
    ['exact same', 'same'],
    ['close proximity', 'proximity'],
    ['repeat again', 'repeat'],
    ['revert back', 'revert'],
    ['reply back', 'reply'],
    ['return back', 'return'],
    ['combine together', 'combine'],
    ['join together', 'join'],
    ['unexpected surprise', 'surprise'],
    ['PIN number', 'PIN'],
    ['ATM machine', 'ATM'],
  ],
};

const openers: WordingSet = {
  why: 'comes to the point',
  opening: true,
  wordings: [
    ['(?:i|we) (?:just )?want(?:ed)? to (?:let you know|inform you|tell you) that', ''],
    ['(?:i|we) (?:just )?would like to (?:let you know|inform you|tell you) that', ''],
    ["(?:i[’']m|i am|we[’']re|we are) writing to (?:let you know|inform you|tell you) that", ''],
    ['this (?:e-?mail|message) is to (?:let you know|inform you) that', ''],
    ['please be (?:advised|informed) that', ''],
    ['please (?:note|be aware) that', ''],
    ['it is important to note that', ''],
    ['it should be noted that', ''],
    ['as you (?:may|might|probably) (?:already )?know,', ''],
    ['needless to say,', ''],
    ['the fact of the matter is that', ''],
  ],
};

const plain: WordingSet = {
  why: 'plainer',
  tones: ['casual', 'friendly'],
  goals: ['clarity', 'brevity'],
  unlessAfter: 'an?',
  wordings: [
    ['approximately', 'about'],
    ['numerous', 'many'],
    ['sufficient', 'enough'],
    ['subsequently', 'later'],
    ['commence', 'start'],
    ['commences', 'starts'],
    ['commenced', 'started'],
    ['endeavou?r to', 'try to'],
    ['endeavou?rs to', 'tries to'],
    ['ascertain', 'find out'],
    ['terminate', 'end'],
    ['terminates', 'ends'],
    ['terminated', 'ended'],
    ['expedite', 'speed up'],
    ['remunerate', 'pay'],
    ['inquire', 'ask'],
    ['enquire', 'ask'],
    ['obtain', 'get'],
    ['obtains', 'gets'],
    ['obtaining', 'getting'],
    ['leverage (?=our|your|the|this|these|their|its)', 'use '],
    ['leverages (?=our|your|the|this|these|their|its)', 'uses '],
    ['leveraging (?=our|your|the|this|these|their|its)', 'using '],
    ['assist (?=you|us|them|your|our)', 'help '],
    ['notify (?=you|us|them)', 'tell '],
    ['regarding', 'about'],
    ['concerning your', 'about your'],
    ['henceforth', 'from now on'],
    ['forthwith', 'at once'],
  ],
};

const fillers: WordingSet = {
  why: 'says nothing',
  goals: ['brevity'],
  unlessAfter: 'an?|not|as|so|too|how|never|yours',
  wordings: [
    [
      '(?:very|really|quite|extremely|truly|basically|actually|literally|essentially)(?! (?:much|well|few|little|many|soon|often|an?|the|yours)\\b)',
      '',
    ],
    ['in my opinion,', ''],
    ['as a matter of fact,', ''],
    ['for all intents and purposes,?', ''],
    ['at the end of the day,', ''],
  ],
};

const hedges: WordingSet = {
  why: 'more direct',
  tones: ['persuasive'],
  goals: ['conversion'],
  wordings: [
    ['you might want to consider', 'consider'],
    ['you may want to consider', 'consider'],
    ['you might want to', 'you can'],
    ['you may want to', 'you can'],
    ['feel free to', ''],
    ["(?:please )?(?:don[’']t|do not) hesitate to", ''],
    ['we (?:think|believe|feel) that (?=you|this|our|it)', ''],
    ['if you would like to, you can', 'you can'],
    ['should you wish to, you can', 'you can'],
    ['we hope that you will', 'you will'],
  ],
};

const warmOpenings: WordingSet = {
  why: 'kinder',
  tones: ['friendly'],
  goals: ['warmth'],
  opening: true,
  wordings: [
    ['we regret to inform you that', 'we are sorry to tell you that'],
    ['you (?:must|are required to) (?!not |be |have |never |also |only )', 'please '],
    ['it is mandatory to', 'please'],
    ['dear (?:valued )?customer', 'hello'],
    ['dear sir or madam', 'hello'],
    ['kind regards', 'warm regards'],
  ],
};

const warm: WordingSet = {
  why: 'kinder',
  tones: ['friendly'],
  goals: ['warmth'],
  wordings: [["(?:don[’']t|do not) hesitate to", 'feel free to']],
};

const formal: WordingSet = {
  why: 'more formal',
  tones: ['formal', 'professional'],
  wordings: [
    ['gonna', 'going to'],
    ['wanna', 'want to'],
    ["(?<=[a-z])[’']ve gotta", ' have to'],
    ['gotta', 'have to'],
    ['kinda', 'rather'],
    ['lemme', 'let me'],
    ['asap', 'as soon as possible'],
    ['fyi,?', 'for your information,'],
    ['btw,?', 'by the way,'],
    ['awesome', 'excellent'],
    ['super (?=easy|simple|fast|quick|important|useful)', 'very '],
    ['(?:a ton|tons|loads) of', 'plenty of'],
    ['a bunch of', 'several'],
  ],
};

const formalOpenings: WordingSet = {
  why: 'more formal',
  tones: ['formal'],
  opening: true,
  wordings: [
    ['(?:hey|hi)', 'hello'],
    ['thanks(?! to )', 'thank you'],
    ['cheers,', 'kind regards,'],
  ],
};

const strictlyFormal: WordingSet = {
  why: 'more formal',
  tones: ['formal'],
  wordings: [
    ['check out (?=our|the|your|these|this)', 'see '],
    ["can[’']t", 'cannot'],
    ["won[’']t", 'will not'],
    ["shan[’']t", 'shall not'],
    [
      "(is|are|was|were|do|does|did|has|have|had|could|should|would|must|need)n[’']t(?! (?:i|you|we|they|he|she|it)\\b)",
      '$1 not',
    ],
    ["(i)[’']m", '$1 am'],
    ["(you|we|they)[’']re", '$1 are'],
    ["(i|you|we|they|who)[’']ve", '$1 have'],
    ["(i|you|he|she|it|we|they|that|there|who)[’']ll", '$1 will'],
    ["(it|that|there|he|she|what|here|who)[’']s (?=been\\b|got\\b)", '$1 has '],
    ["(it|that|there|what|here|who|he|she)[’']s(?= )", '$1 is'],
    ["let[’']s (?=[a-z])", 'let us '],
  ],
};

const contracted: WordingSet = {
  why: 'how people talk',
  tones: ['casual', 'friendly'],
  unlessAfter: 'who|what|where|how|whatever|wherever|than|as',
  wordings: [
    ['can ?not(?! only\\b)', "can't"],
    ['will not', "won't"],
    ['(is|are|was|were|do|does|did|has|have|had|could|should|would) not(?! only\\b)', "$1n't"],
    ['(i) am (?=[a-z])', "$1'm "],
    ['(you|we|they) are (?=[a-z])', "$1're "],
    ['(i|you|we|they) have (?=been |got |made |added |built |updated |created |prepared |saved |put )', "$1've "],
    ['(i|you|he|she|it|we|they) will (?=[a-z])', "$1'll "],
    ['(it|that|here|there) is (?=a |an |the |your |our |time |easy |so |not |all |now |here )', "$1's "],
  ],
};

const casualGreetings: WordingSet = {
  why: 'less stiff',
  tones: ['casual'],
  opening: true,
  wordings: [
    ['dear (?:valued )?customer', 'hi there'],
    ['dear sir or madam', 'hi there'],
    ['thank you for', 'thanks for'],
    ['kind regards', 'cheers'],
  ],
};

/** Every set, in the order in which they are applied. */
export const wordingSets: readonly WordingSet[] = [
  openers,
  wordy,
  redundant,
  plain,
  fillers,
  hedges,
  warmOpenings,
  warm,
  formal,
  formalOpenings,
  strictlyFormal,
  casualGreetings,
  contracted,
];
