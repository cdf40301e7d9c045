import type { EventContext } from '../../kernel/context.ts'
import type { FieldError } from '../../kernel/errors.ts'
import { unknownFault } from '../../kernel/nearest.ts'
import { UNVERIFIED_TAG } from '../configuration/flow/collects.ts'
import { readDraft, readLive } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'

type Section = 'tag' | 'product' | 'flow' | 'customField'

const NOUNS: Record<Section, string> = { tag: 'tag', product: 'product', flow: 'flow', customField: 'custom field' }

/** What the event has of each, live or drafted: records name the one, and people already speak of the other. */
export interface KnownNames {
  codes: Record<Section, ReadonlySet<string>>
  fields: ReadonlyMap<string, EventConfig['customFields'][number]>
}

export async function readKnownNames(ctx: EventContext): Promise<KnownNames> {
  const draft = await readDraft(ctx)
  const live = await readLive(ctx, draft)
  const configs = [draft.config, ...(live ? [live.config] : [])]
  const of = <T>(items: (config: EventConfig) => readonly T[], name: (item: T) => string) => new Set(configs.flatMap(items).map(name))
  return {
    codes: {
      tag: of(
        (config) => config.tags,
        ({ code }) => code,
      ).add(UNVERIFIED_TAG),
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
    fields: new Map(configs.flatMap(({ customFields }) => customFields).map((field) => [field.code, field])),
  }
}

/** What is wrong with a name that the event does not have. */
export const faultsOfName = ({ codes }: KnownNames, section: Section, path: string, name: string): FieldError[] =>
  codes[section].has(name) ? [] : [unknownFault(path, name, [...codes[section]], NOUNS[section])]
