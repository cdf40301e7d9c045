import { type ConfigIssue, sortIssues } from './issues.ts'
import { isJsonObject, parsePointer, toPointer } from './pointers.ts'
import type { Configuration } from './read.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { hashSourceText, listTranslatableTexts, getTranslationStates } from './texts.ts'

const DEPTH_OF_ENTRIES = 3

/**
 * Returns the translations as shown to callers, without `sourceHash` where the source text is unchanged. An outdated translation keeps its
 * hash, so that a caller who writes the same value back does not mark it as current.
 */
export function omitUpToDateSourceHashes(document: ConfigDocument, path: string, value: unknown): unknown {
  const segments = parsePointer(path)
  if (segments[0] !== 'translations' || segments.length > DEPTH_OF_ENTRIES) return value
  const hashes = new Map(listTranslatableTexts(document).map((text) => [text.path, hashSourceText(text.text)]))
  const shown = (part: unknown, unit: string, depth: number): unknown => {
    if (!isJsonObject(part)) return part
    if (depth < DEPTH_OF_ENTRIES)
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, shown(inner, name, depth + 1)]))
    const { sourceHash, ...entry } = part
    return sourceHash === hashes.get(unit) ? entry : part
  }
  return shown(value, segments.at(-1)!, segments.length)
}

/** Lists every text whose translation into a language is missing or stale, with the source text. */
export function listMissingOrStaleTranslations({ document, config, facts }: Configuration, locale: string): ConfigIssue[] {
  const state = getTranslationStates(document, config, facts).find((one) => one.locale === locale)
  const texts = new Map(listTranslatableTexts(document).map(({ path, text }) => [path, text]))
  const issue =
    (code: string, message: string) =>
    (pointer: string): ConfigIssue => ({
      level: 'warning',
      code,
      path: toPointer(['translations', locale, pointer]),
      message,
      value: texts.get(pointer)!,
    })
  return sortIssues([
    ...(state?.missing ?? []).map(issue('missing', 'is not translated')),
    ...(state?.stale ?? []).map(issue('stale', 'the source text has changed since the translation')),
  ])
}

/** Returns the language of a pointer such as `/translations/de`; null for any other pointer. */
export function parseTranslationLocale(path: string): string | null {
  const [section, locale, ...below] = parsePointer(path)
  return section === 'translations' && locale !== undefined && below.length === 0 ? locale : null
}

/** Adds an empty object if the path is that of a language of the event without translations, so that the path exists. */
export function addEmptyLocale(configuration: Configuration, path: string): Configuration {
  const locale = parseTranslationLocale(path)
  const { document, facts } = configuration
  const isMissing = locale !== null && locale !== facts.locale && facts.locales.includes(locale) && !document.translations?.[locale]
  return isMissing
    ? { ...configuration, document: { ...document, translations: { ...document.translations, [locale]: {} } } }
    : configuration
}
