import { listAnswerKeysOfFacts, type ProfileFacts } from './own-facts.ts'
import { getProfilePhrases, type ProfileTone } from './phrases.ts'

const MAX_CHOICES = 5
const MAX_SESSIONS = 3
const MAX_BIO_SENTENCES = 2
const MAX_BIO_CHARACTERS = 300

export interface ProfileOptions {
  tone: ProfileTone
  language: string
  maxWords: number
}

export interface GeneratedProfile {
  profile: string
  /** The bindings (identifiers of the questions) of the facts that the profile uses. */
  usedFields: string[]
  language: string
}

/** Builds a profile from fixed phrases. The same facts always give the same text. */
export function buildProfileFromPhrases(facts: ProfileFacts, { tone, language: wanted, maxWords }: ProfileOptions): GeneratedProfile {
  const { language, say } = getProfilePhrases(wanted, tone)
  const { name, jobTitle, company, city, country, bio, event } = facts
  const place = [city, country].filter((part) => part !== undefined).join(', ')
  const behind = place === '' ? '' : `, ${place}`
  const choices = facts.choices.flatMap(({ field, names }) => names.map((one) => ({ field, name: one }))).slice(0, MAX_CHOICES)
  const sessions = facts.sessions.slice(0, MAX_SESSIONS)
  const who = () => {
    if (jobTitle !== undefined && company !== undefined) return [say('jobAtCompany', { name, jobTitle, company, place: behind })]
    if (jobTitle !== undefined) return [say('job', { name, jobTitle, place: behind })]
    if (company !== undefined) return [say('company', { name, company, place: behind })]
    return place === '' ? [] : [say('place', { name, place })]
  }
  const listed = (names: readonly string[]) => names.join(', ')
  const sentences = [
    ...who(),
    ...(choices.length > 0 ? [say('interests', { list: listed(choices.map((choice) => choice.name)) })] : []),
    ...(bio === undefined ? [] : [shortenBio(bio, language)]),
    ...(sessions.length > 0 ? [say('sessions', { event, list: listed(sessions) })] : []),
  ]
  const used = {
    jobTitle,
    company,
    city,
    country,
    bio,
    sessions,
    choices: facts.choices.filter(({ field }) => choices.some((one) => one.field === field)),
  }
  return {
    profile: truncateToWordCount(sentences.join(' '), maxWords, language),
    usedFields: listAnswerKeysOfFacts(withoutAbsent(used)),
    language,
  }
}

const withoutAbsent = (facts: Record<string, unknown>): Partial<ProfileFacts> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))

/** Returns the first two sentences of the profile, shortened if they are too long. */
function shortenBio(bio: string, language: string): string {
  const sentences = [...new Intl.Segmenter(language, { granularity: 'sentence' }).segment(bio)].map(({ segment }) => segment)
  for (let count = MAX_BIO_SENTENCES; count > 0; count -= 1) {
    const beginning = sentences.slice(0, count).join('').trim()
    if (beginning.length <= MAX_BIO_CHARACTERS) return beginning
  }
  const cut = bio.slice(0, MAX_BIO_CHARACTERS - 1)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 1)).trimEnd()}…`
}

const wordsIn = (text: string, language: string) =>
  [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)].filter(({ isWordLike }) => isWordLike)

export const countWords = (text: string, language: string): number => wordsIn(text, language).length

export function truncateToWordCount(text: string, maxWords: number, language: string): string {
  const words = wordsIn(text, language)
  if (words.length <= maxWords) return text
  const last = words[maxWords - 1]!
  return `${text.slice(0, last.index + last.segment.length)}…`
}
