import { openers, redundant, wordy } from './plain-wordings.ts';
import { type WordingSet, wordingsOf } from './polish-options.ts';

const plain: WordingSet = {
  why: 'plainer',
  tones: ['casual', 'friendly'],
  goals: ['clarity', 'brevity'],
  unlessAfter: 'an?',
  wordings: [
    ...wordingsOf(`
      approximately = about; numerous = many; sufficient = enough; subsequently = later; commence = start;
      commences = starts; commenced = started; endeavou?r to = try to; endeavou?rs to = tries to;
      ascertain = find out; terminate = end; terminates = ends; terminated = ended; expedite = speed up;
      remunerate = pay; inquire / enquire = ask; obtain = get; obtains = gets; obtaining = getting
    `),
    ['leverage (?=our|your|the|this|these|their|its)', 'use '],
    ['leverages (?=our|your|the|this|these|their|its)', 'uses '],
    ['leveraging (?=our|your|the|this|these|their|its)', 'using '],
    ['assist (?=you|us|them|your|our)', 'help '],
    ['notify (?=you|us|them)', 'tell '],
    ...wordingsOf(`
      regarding = about; concerning your = about your; henceforth = from now on; forthwith = at once
    `),
  ],
};

const fillers: WordingSet = {
  why: 'says nothing',
  goals: ['brevity'],
  unlessAfter: 'an?|not|as|so|too|how|never|yours',
  wordings: [
    [
      '(?:very|really|quite|extremely|truly|basically|actually|literally|essentially)' +
        '(?! (?:much|well|few|little|many|soon|often|an?|the|yours)\\b)',
      '',
    ],
    [['in my opinion,', 'as a matter of fact,', 'for all intents and purposes,?', 'at the end of the day,'], ''],
  ],
};

const hedges: WordingSet = {
  why: 'more direct',
  tones: ['persuasive'],
  goals: ['conversion'],
  wordings: [
    [['you might want to consider', 'you may want to consider'], 'consider'],
    [['you might want to', 'you may want to'], 'you can'],
    [['feel free to', "(?:please )?(?:don[’']t|do not) hesitate to"], ''],
    ['we (?:think|believe|feel) that (?=you|this|our|it)', ''],
    [['if you would like to, you can', 'should you wish to, you can'], 'you can'],
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
    [['dear (?:valued )?customer', 'dear sir or madam'], 'hello'],
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
      '(is|are|was|were|do|does|did|has|have|had|could|should|would|must|need)' +
        "n[’']t(?! (?:i|you|we|they|he|she|it)\\b)",
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
    [['dear (?:valued )?customer', 'dear sir or madam'], 'hi there'],
    ['thank you for', 'thanks for'],
    ['kind regards', 'cheers'],
  ],
};

/** Every set, in the order of application. */
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
