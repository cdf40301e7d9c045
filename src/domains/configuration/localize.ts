import { chooseLanguage } from '../../kernel/language/negotiation.ts'
import type { Configuration } from './read.ts'
import { getTranslatedConfig } from './translate-config.ts'

/** Returns the configuration in the given language, or in the event's main language if the event does not have that language. */
export function localizeConfiguration(configuration: Configuration, language: string | null): Configuration {
  const { config, facts } = configuration
  const locale = chooseLanguage([language ?? ''], [facts.locale, ...facts.locales]) ?? facts.locale
  return locale === facts.locale
    ? configuration
    : { ...configuration, config: getTranslatedConfig(config, locale), facts: { ...facts, locale } }
}
