import { invalidArguments, preconditionFailed } from '../../../kernel/errors.ts'
import { sumQuantitiesByProduct } from '../sale/holdings.ts'
import type { OrderLineWithCredits } from '../../orders/lines.ts'
import { assertKnownTags } from '../add.ts'
import type { ParticipantRow } from '../participant-shape.ts'
import type { EventSnapshot } from '../event-snapshot.ts'

/** Returns the manual tags after an edit. Tags from a product, flow, group or directory can only be removed at their source. */
export function applyTagChanges(
  { config }: EventSnapshot,
  row: ParticipantRow,
  lines: readonly OrderLineWithCredits[],
  { add = [], remove = [] }: { add?: readonly string[] | undefined; remove?: readonly string[] | undefined },
): string[] {
  assertKnownTags(config, add)
  const both = add.filter((tag) => remove.includes(tag))
  if (both.length > 0) throw invalidArguments([{ path: 'removeTags', message: `${both.join(', ')} cannot be both added and removed` }])
  for (const tag of remove) {
    if (row.tags.includes(tag) && !row.manual_tags.includes(tag))
      throw preconditionFailed(`${tag} comes from ${describeTagOrigin({ config }, row, lines, tag)}`)
  }
  return [...new Set([...row.manual_tags.filter((tag) => !remove.includes(tag)), ...add])].sort()
}

function describeTagOrigin(
  { config }: Pick<EventSnapshot, 'config'>,
  row: ParticipantRow,
  lines: readonly OrderLineWithCredits[],
  tag: string,
): string {
  const held = sumQuantitiesByProduct(lines)
  const product = config.products.find(({ code, addsTags }) => held.has(code) && addsTags.includes(tag))
  if (product) return `product ${product.code} — remove the product`
  const flow = config.flows.find(({ slug, addsTags }) => slug === row.flow_slug && addsTags.includes(tag))
  if (flow) return `flow ${flow.slug} — move the participant to another flow`
  return row.directory_tags.includes(tag) ? 'the member directory' : 'the group — change its tags'
}
