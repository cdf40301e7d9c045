import { isRecord } from './pointers.ts'
import type { EventConfig } from './schema/event-config.ts'
import { ROOT_NODE } from './schema/nodes.ts'
import { mapValues } from './walk.ts'

/** The configuration in another language of the event. Untranslated texts stay in the main language, and their paths are returned. */
export function translateConfig(config: EventConfig, locale: string): { config: EventConfig; untranslated: string[] } {
  const { translations, ...rest } = config
  const entries = translations[locale] ?? {}
  const untranslated: string[] = []
  const mapped = mapValues(ROOT_NODE, rest, '', (node, value, path) => {
    if (typeof value !== 'string' || !node.annotations.translatable || !/\p{L}/u.test(value)) return value
    if (Object.hasOwn(entries, path)) return entries[path]!.text
    untranslated.push(path)
    return value
  })
  return { config: { ...(isRecord(mapped) ? mapped : {}), translations } as EventConfig, untranslated }
}

/** Pages request the same few languages repeatedly, and documents are immutable, so translated configurations are cached. */
const translatedConfigs = new WeakMap<EventConfig, Map<string, EventConfig>>()

export function getTranslatedConfig(config: EventConfig, locale: string): EventConfig {
  const languages = translatedConfigs.get(config) ?? new Map<string, EventConfig>()
  translatedConfigs.set(config, languages)
  const known = languages.get(locale)
  if (known) return known
  const made = translateConfig(config, locale).config
  languages.set(locale, made)
  return made
}
