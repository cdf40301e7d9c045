import type { EventContext } from '../../kernel/context.ts'
import { getConnection } from './connections.ts'
import { findPreset } from './engine/presets.ts'
import { suggestBindings } from './engine/suggest.ts'
import { TRANSFORM_USAGE_TEXTS } from './engine/transforms.ts'
import { readFieldsFilledByDirectory } from './connection-uses.ts'

/**
 * Lists the values of a directory record that can be mapped to fields, as found by the last passed connection test or else as named by the
 * preset. Sample values are never returned.
 */
export async function listFieldMappingOptions(ctx: EventContext, { connection: named }: { connection?: string | undefined }) {
  const connection = named === undefined ? null : await getConnection(ctx, named)
  const { fields } = await readFieldsFilledByDirectory(ctx)
  const seen = connection?.sources ?? null
  const sources = seen ?? (connection && findPreset(connection.preset)?.sources) ?? []
  return {
    sources: sources.map((source) => ({ ...source, samplePresent: seen !== null })),
    targets: fields.map(({ binding, label, type, choices }) => ({
      binding,
      label,
      type,
      ...(choices ? { choices: choices.map(({ code }) => code) } : {}),
    })),
    transforms: [...TRANSFORM_USAGE_TEXTS],
    suggested: suggestBindings(sources, fields).map(({ transform, ...pair }) => ({ ...pair, ...(transform ? { transform } : {}) })),
  }
}
