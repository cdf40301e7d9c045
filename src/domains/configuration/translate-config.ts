import { isJsonObject } from './pointers.ts'
import type { EventConfig } from './schema/event-config.ts'
import { ROOT_NODE } from './schema/nodes.ts'
import { mapConfigValues } from './walk.ts'

interface TranslatedConfig {
  config: EventConfig
  /** The paths of the texts without a translation. */
  untranslated: string[]
  untranslatedTexts: ReadonlySet<string>
}

/**
 * Translates the configuration into another language of the event. Untranslated texts stay in the main language, and their paths are
 * returned.
 */
export function translateConfig(config: EventConfig, locale: string): TranslatedConfig {
  const { translations, ...rest } = config
  const entries = translations[locale] ?? {}
  const untranslated: string[] = []
  const texts = new Set<string>()
  const mapped = mapConfigValues(ROOT_NODE, rest, '', (node, value, path) => {
    if (typeof value !== 'string' || !node.annotations.translatable || !/\p{L}/u.test(value)) return value
    if (Object.hasOwn(entries, path)) return entries[path]!.text
    untranslated.push(path)
    texts.add(value)
    return value
  })
  return { config: { ...(isJsonObject(mapped) ? mapped : {}), translations } as EventConfig, untranslated, untranslatedTexts: texts }
}

/** Cached translated configurations, because pages request the same few languages repeatedly and documents are immutable. */
const translatedConfigs = new WeakMap<EventConfig, Map<string, EventConfig>>()

const untranslatedTexts = new WeakMap<EventConfig, ReadonlySet<string>>()

export function getTranslatedConfig(config: EventConfig, locale: string): EventConfig {
  const languages = translatedConfigs.get(config) ?? new Map<string, EventConfig>()
  translatedConfigs.set(config, languages)
  const known = languages.get(locale)
  if (known) return known
  const made = translateConfig(config, locale)
  languages.set(locale, made.config)
  untranslatedTexts.set(made.config, made.untranslatedTexts)
  return made.config
}

/** Whether a text of a translated configuration is still in the main language of the event, because it has no translation. */
export const isUntranslated = (translated: EventConfig, text: string): boolean => untranslatedTexts.get(translated)?.has(text) ?? false
