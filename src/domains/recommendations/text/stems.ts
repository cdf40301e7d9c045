import { stemmer as german } from '@orama/stemmers/german'
import { stem as porter2 } from 'porter2'

/**
 * Words such as `added` and `egging`, whose double consonant Snowball 3 keeps. The `porter2` package implements an earlier edition of
 * Snowball, which shortens it.
 */
const SHORT_DOUBLED = /^([aeo](?:bb|dd|ff|gg|mm|nn|pp|rr|tt))(?:ed|ing)(?:ly)?$/

/** The Snowball stemmers by language. They expect lower-case words. */
export const STEMMERS: Readonly<Record<string, (word: string) => string>> = {
  en: (word) => SHORT_DOUBLED.exec(word)?.[1] ?? porter2(word),
  de: (word) => german(word),
}
