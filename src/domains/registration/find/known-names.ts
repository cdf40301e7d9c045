import type { EventContext } from '../../../kernel/context.ts'
import type { FieldError } from '../../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import { UNVERIFIED_MEMBERSHIP_TAG } from '../../configuration/flow/collected-answers.ts'
import { toAnswerCodes } from '../../configuration/flow/answer-codes.ts'
import { readDraftConfiguration, readLiveConfiguration } from '../../configuration/read.ts'
import type { EventConfig } from '../../configuration/schema/event-config.ts'

type Section = 'tag' | 'product' | 'flow' | 'customField'

const SECTION_NOUNS: Record<Section, string> = { tag: 'tag', product: 'product', flow: 'flow', customField: 'custom field' }

/**
 * The codes of flows, products and other configuration items that filters accept, from the published version and the draft: stored records
 * use the published codes, and organizers may already use those of the draft.
 */
export interface KnownConfigCodes {
  codes: Record<Section, ReadonlySet<string>>
  fields: ReadonlyMap<string, EventConfig['customFields'][number]>
  /** Converts the name of a choice or country to the code that is stored as the answer to a custom field. */
  toStoredValue: (fieldCode: string, value: string) => string
}

export async function readKnownConfigCodes(ctx: EventContext): Promise<KnownConfigCodes> {
  const draft = await readDraftConfiguration(ctx)
  const live = await readLiveConfiguration(ctx, draft)
  const configs = [draft.config, ...(live ? [live.config] : [])]
  const of = <T>(items: (config: EventConfig) => readonly T[], name: (item: T) => string) => new Set(configs.flatMap(items).map(name))
  return {
    codes: {
      tag: of(
        (config) => config.tags,
        ({ code }) => code,
      ).add(UNVERIFIED_MEMBERSHIP_TAG),
      product: of(
        (config) => config.products,
        ({ code }) => code,
      ),
      flow: of(
        (config) => config.flows,
        ({ slug }) => slug,
      ),
      customField: of(
        (config) => config.customFields,
        ({ code }) => code,
      ),
    },
    toStoredValue: (code, value) => {
      const config = configs.find(({ customFields }) => customFields.some((field) => field.code === code))
      const type = config?.customFields.find((field) => field.code === code)?.responseType
      if (!config || !type) return value
      return toAnswerCodes(config, `@custom.${code}`, { type: type === 'multiChoice' ? 'choice' : type }, value) as string
    },
    fields: new Map(configs.flatMap(({ customFields }) => customFields).map((field) => [field.code, field])),
  }
}

/** Returns an error if the event's configuration has no item with this code. */
export const findUnknownConfigCodeErrors = ({ codes }: KnownConfigCodes, section: Section, path: string, name: string): FieldError[] =>
  codes[section].has(name) ? [] : [createUnknownNameFieldError(path, name, [...codes[section]], SECTION_NOUNS[section])]
