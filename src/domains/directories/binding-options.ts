import type { EventContext } from '../../kernel/context.ts'
import { getConnection } from './connections.ts'
import { findPreset } from './engine/presets.ts'
import { suggestBindings } from './engine/suggest.ts'
import { TRANSFORM_USAGES } from './engine/transforms.ts'
import { fillableAt } from './use-in-events.ts'

/** What can be bound to what: places seen in the last passed test, or else those that the preset knows of; never what was there. */
export async function listBindingOptions(ctx: EventContext, { connection: named }: { connection?: string | undefined }) {
  const connection = named === undefined ? null : await getConnection(ctx, named)
  const { fields } = await fillableAt(ctx)
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
    transforms: [...TRANSFORM_USAGES],
    suggested: suggestBindings(sources, fields).map(({ transform, ...pair }) => ({ ...pair, ...(transform ? { transform } : {}) })),
  }
}
