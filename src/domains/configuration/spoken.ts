import { chooseLanguage } from '../../kernel/language/choose.ts'
import type { Configuration } from './read.ts'
import { spokenIn } from './translated.ts'

/** The configuration as somebody who speaks this language reads it; in the event's own where it does not speak theirs. */
export function spokenTo(configuration: Configuration, language: string | null): Configuration {
  const { config, facts } = configuration
  const locale = chooseLanguage([language ?? ''], [facts.locale, ...facts.locales]) ?? facts.locale
  return locale === facts.locale ? configuration : { ...configuration, config: spokenIn(config, locale), facts: { ...facts, locale } }
}
