import type { EventContext } from '../../kernel/context.ts'
import { type DataField, listParticipantDataFields } from '../configuration/data-fields.ts'
import { type Configuration, lockDraftConfiguration, readDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import { listReferences } from '../configuration/references.ts'

/** The places in the event's configuration that use directory connections, and the fields that connections can fill. */

interface ConnectionUse {
  source: 'draft' | 'live version'
  /** JSON pointer of the flow or widget. */
  pointer: string
}
export type ConnectionUses = ReadonlyMap<string, readonly ConnectionUse[]>

export const readConnectionUses = async (ctx: EventContext): Promise<ConnectionUses> => collectUses(ctx, await readDraftConfiguration(ctx))

/** Lists where the event's draft uses connections. Locks the draft, so that it cannot be edited or published until the transaction ends. */
export const lockDraftAndReadConnectionUses = async (ctx: EventContext): Promise<ConnectionUses> =>
  collectUses(ctx, await lockDraftConfiguration(ctx))

async function collectUses(ctx: EventContext, draft: Configuration): Promise<ConnectionUses> {
  const live = await readLiveConfiguration(ctx, draft)
  const uses = [...listUses('draft', draft), ...(live ? listUses('live version', live) : [])]
  return Map.groupBy(uses, ({ code }) => code)
}

const listUses = (source: ConnectionUse['source'], { document }: Configuration) =>
  listReferences(document)
    .filter(({ target }) => target === 'directory')
    .map(({ from, written }) => ({ source, code: written, pointer: from.slice(0, from.lastIndexOf('/')) }))

export const listPathsUsingConnection = (uses: ConnectionUses, code: string): string[] => [
  ...new Set((uses.get(code) ?? []).map(({ pointer }) => pointer)),
]

export interface FieldsFilledByDirectory {
  fields: DataField[]
  tags: string[]
  /** Country of the venue, the default for phone numbers without a country code. */
  country: string | null
}

/**
 * Reads the fields that a directory can fill. File fields are left out, because directories provide no files, and retired fields are no
 * longer in use.
 */
export async function readFieldsFilledByDirectory(ctx: EventContext): Promise<FieldsFilledByDirectory> {
  const { config } = await readDraftConfiguration(ctx)
  return {
    fields: listParticipantDataFields(config).filter(({ retired, type }) => !retired && type !== 'file'),
    tags: config.tags.map(({ code }) => code),
    country: config.details.venue?.country ?? null,
  }
}
