import { stemmer as german } from '@orama/stemmers/german'
import { stem as porter2 } from 'porter2'

/** Words such as `added` and `egging`: Snowball 3 keeps their double consonant, but the `porter2` package implements an earlier edition. */
const SHORT_DOUBLED = /^([aeo](?:bb|dd|ff|gg|mm|nn|pp|rr|tt))(?:ed|ing)(?:ly)?$/

/** The Snowball stemmers, by language. They expect words in lower case. */
export const STEMMERS: Readonly<Record<string, (word: string) => string>> = {
  en: (word) => SHORT_DOUBLED.exec(word)?.[1] ?? porter2(word),
  de: (word) => german(word),
}
