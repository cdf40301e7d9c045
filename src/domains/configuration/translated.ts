import { isRecord } from './pointers.ts'
import type { EventConfig } from './schema/event-config.ts'
import { ROOT } from './schema/nodes.ts'
import { mapValues } from './walk.ts'

/** The configuration in another of the event's languages. What is not translated stays in the main one, and is named. */
export function translatedInto(config: EventConfig, locale: string): { config: EventConfig; untranslated: string[] } {
  const { translations, ...rest } = config
  const entries = translations[locale] ?? {}
  const untranslated: string[] = []
  const mapped = mapValues(ROOT, rest, '', (node, value, path) => {
    if (typeof value !== 'string' || !node.word.translatable || !/\p{L}/u.test(value)) return value
    if (Object.hasOwn(entries, path)) return entries[path]!.text
    untranslated.push(path)
    return value
  })
  return { config: { ...(isRecord(mapped) ? mapped : {}), translations } as EventConfig, untranslated }
}

/** Pages ask for the same few languages of the same document again and again, and a document never changes. */
const spoken = new WeakMap<EventConfig, Map<string, EventConfig>>()

export function spokenIn(config: EventConfig, locale: string): EventConfig {
  const languages = spoken.get(config) ?? new Map<string, EventConfig>()
  spoken.set(config, languages)
  const known = languages.get(locale)
  if (known) return known
  const made = translatedInto(config, locale).config
  languages.set(locale, made)
  return made
}
