import { chooseLanguage } from '../../../kernel/language/choose.ts'
import { filledIn } from '../../../kernel/language/words.ts'
import { de } from './phrases/de.ts'
import { en } from './phrases/en.ts'

export const TONES = ['neutral', 'warm', 'formal'] as const
export type Tone = (typeof TONES)[number]

type Key = keyof typeof en
export type Phrases = Record<Key, string>
type Part = Key extends `${string}.${infer P}` ? P : never

/** Every language that profiles are made in. A further one is a file in `phrases` and its name here. */
export const PHRASES: Record<string, Phrases> = { en, de }

/** Says the parts of a profile in a tone, in English where the language has no phrases. */
export function phrasesIn(wanted: string, tone: Tone) {
  const language = chooseLanguage([wanted], Object.keys(PHRASES)) ?? 'en'
  const phrases = PHRASES[language]!
  return {
    language,
    say: (part: Part, values: Record<string, string>) => filledIn(phrases[`${tone}.${part}`], language, values),
  }
}
