/**
 * Tokens that a text takes, rather too many: a token is about four characters of English, and in other scripts seldom
 * less than one character, which has two or three bytes.
 */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);
