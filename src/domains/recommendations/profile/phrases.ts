import { chooseLanguage } from '../../../kernel/language/negotiation.ts'
import { fillPlaceholders } from '../../../kernel/language/translator.ts'
import { germanProfilePhrases } from './phrases/de.ts'
import { englishProfilePhrases } from './phrases/en.ts'
import { spanishProfilePhrases } from './phrases/es.ts'
import { frenchProfilePhrases } from './phrases/fr.ts'
import { italianProfilePhrases } from './phrases/it.ts'
import { dutchProfilePhrases } from './phrases/nl.ts'
import { portugueseProfilePhrases } from './phrases/pt.ts'

export const PROFILE_TONES = ['neutral', 'warm', 'formal'] as const
export type ProfileTone = (typeof PROFILE_TONES)[number]

type Key = keyof typeof englishProfilePhrases
export type ProfilePhrases = Record<Key, string>
type Part = Key extends `${string}.${infer P}` ? P : never

/** Profile phrases by language. To add a language, create a file in `phrases` and list it here. */
export const PROFILE_PHRASES_BY_LANGUAGE: Record<string, ProfilePhrases> = {
  en: englishProfilePhrases,
  de: germanProfilePhrases,
  fr: frenchProfilePhrases,
  es: spanishProfilePhrases,
  it: italianProfilePhrases,
  nl: dutchProfilePhrases,
  pt: portugueseProfilePhrases,
}

/** Returns the phrases in a tone and language; in English if there are none in the language. */
export function getProfilePhrases(wanted: string, tone: ProfileTone) {
  const language = chooseLanguage([wanted], Object.keys(PROFILE_PHRASES_BY_LANGUAGE)) ?? 'en'
  const phrases = PROFILE_PHRASES_BY_LANGUAGE[language]!
  return {
    language,
    say: (part: Part, values: Record<string, string>) => fillPlaceholders(phrases[`${tone}.${part}`], language, values),
  }
}
