/** Replaces the narrow no-break space, which French uses in numbers and before some punctuation, because the fonts do not have it. */
export const toPrintableCharacter = (character: string): string => (character === '\u202f' ? '\u00a0' : character)

/** Whether a character has no visible shape, such as a direction mark. Such characters are not printed if the font does not have them. */
export const isIgnorableCharacter = (character: string): boolean => /\p{Default_Ignorable_Code_Point}/v.test(character)

const RIGHT_TO_LEFT_LETTER = /[[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]&&[\p{L}\p{M}]]/v
const RIGHT_TO_LEFT_MARK = /[\u200f\u202b\u202e\u2067]/

/** Whether a word is written from right to left. Numbers are written from left to right in every script. */
export const isRightToLeftWord = (word: string): boolean => RIGHT_TO_LEFT_LETTER.test(word)

/** Whether parts of a text are written from right to left. */
export const hasRightToLeftText = (text: string): boolean => RIGHT_TO_LEFT_LETTER.test(text) || RIGHT_TO_LEFT_MARK.test(text)

const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/v

/** Whether a text has words that are written without spaces between them. */
export const hasUnspacedWords = (text: string): boolean => UNSPACED.test(text)
