import type { EventContext } from '../../kernel/context.ts'
import { type DataField, dataFieldsOf } from '../configuration/data-fields.ts'
import { type Configuration, lockDraft, readDraft, readLive } from '../configuration/read.ts'
import { referencesIn } from '../configuration/references.ts'

/** What connections need of the event's configuration: where they are used, and what they can fill. */

interface Use {
  source: 'draft' | 'live version'
  /** Of the flow or widget. */
  pointer: string
}
export type Uses = ReadonlyMap<string, readonly Use[]>

export const usesOf = async (ctx: EventContext): Promise<Uses> => usesIn(ctx, await readDraft(ctx))

/** For a change that depends on them: nobody edits or publishes until it ends. */
export const lockUses = async (ctx: EventContext): Promise<Uses> => usesIn(ctx, await lockDraft(ctx))

async function usesIn(ctx: EventContext, draft: Configuration): Promise<Uses> {
  const live = await readLive(ctx, draft)
  const uses = [...usesBy('draft', draft), ...(live ? usesBy('live version', live) : [])]
  return Map.groupBy(uses, ({ code }) => code)
}

const usesBy = (source: Use['source'], { document }: Configuration) =>
  referencesIn(document)
    .filter(({ target }) => target === 'directory')
    .map(({ from, written }) => ({ source, code: written, pointer: from.slice(0, from.lastIndexOf('/')) }))

/** Each place once, also when draft and live version agree. */
export const pointersTo = (uses: Uses, code: string): string[] => [...new Set((uses.get(code) ?? []).map(({ pointer }) => pointer))]

export interface Fillable {
  fields: DataField[]
  tags: string[]
  /** The venue's: whose phone numbers those without a country code are. */
  country: string | null
}

/** A directory knows no files of ours, and what is retired is asked of nobody. */
export async function fillableAt(ctx: EventContext): Promise<Fillable> {
  const { config } = await readDraft(ctx)
  return {
    fields: dataFieldsOf(config).filter(({ retired, type }) => !retired && type !== 'file'),
    tags: config.tags.map(({ code }) => code),
    country: config.details.venue?.country ?? null,
  }
}
