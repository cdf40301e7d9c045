import { type Issue, sortIssues } from './issues.ts'
import { isRecord, parsePointer, pointerOf } from './pointers.ts'
import type { Configuration } from './read.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { sourceHashOf, textsOf, translationStates } from './texts.ts'

const DEPTH_OF_ENTRIES = 3

/**
 * A value of the translations as people read it: without the hash of a text that is still the same. Of one that has changed since, the
 * hash stays, so that whoever writes back what they read does not make an old translation new.
 */
export function shownTranslations(document: ConfigDocument, path: string, value: unknown): unknown {
  const segments = parsePointer(path)
  if (segments[0] !== 'translations' || segments.length > DEPTH_OF_ENTRIES) return value
  const hashes = new Map(textsOf(document).map((text) => [text.path, sourceHashOf(text.text)]))
  const shown = (part: unknown, unit: string, depth: number): unknown => {
    if (!isRecord(part)) return part
    if (depth < DEPTH_OF_ENTRIES)
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, shown(inner, name, depth + 1)]))
    const { sourceHash, ...entry } = part
    return sourceHash === hashes.get(unit) ? entry : part
  }
  return shown(value, segments.at(-1)!, segments.length)
}

/** Every text that a language still lacks or has in an older form, with the text to translate. */
export function openTranslations({ document, config, facts }: Configuration, locale: string): Issue[] {
  const state = translationStates(document, config, facts).find((one) => one.locale === locale)
  const texts = new Map(textsOf(document).map(({ path, text }) => [path, text]))
  const issue =
    (code: string, message: string) =>
    (pointer: string): Issue => ({
      level: 'warning',
      code,
      path: pointerOf(['translations', locale, pointer]),
      message,
      value: texts.get(pointer)!,
    })
  return sortIssues([
    ...(state?.missing ?? []).map(issue('missing', 'is not translated')),
    ...(state?.stale ?? []).map(issue('stale', 'the text has changed since')),
  ])
}

/** The language whose translations a pointer leads to as a whole. */
export function localeOf(path: string): string | null {
  const [section, locale, ...below] = parsePointer(path)
  return section === 'translations' && locale !== undefined && below.length === 0 ? locale : null
}

/** A language of the event can be looked into before its first translation. */
export function withEmptyLocale(configuration: Configuration, path: string): Configuration {
  const locale = localeOf(path)
  const { document, facts } = configuration
  const isMissing = locale !== null && locale !== facts.locale && facts.locales.includes(locale) && !document.translations?.[locale]
  return isMissing
    ? { ...configuration, document: { ...document, translations: { ...document.translations, [locale]: {} } } }
    : configuration
}
