import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { quantitiesOf } from './holdings.ts'
import type { LineState } from '../orders/lines.ts'
import { refuseUnknownTags } from './add.ts'
import type { ParticipantRow } from './participant-shape.ts'
import type { Scene } from './scene.ts'

/** The manual tags after an edit. A tag that comes from elsewhere is taken away there. */
export function editedTags(
  { config }: Scene,
  row: ParticipantRow,
  lines: readonly LineState[],
  { add = [], remove = [] }: { add?: readonly string[] | undefined; remove?: readonly string[] | undefined },
): string[] {
  refuseUnknownTags(config, add)
  const both = add.filter((tag) => remove.includes(tag))
  if (both.length > 0) throw invalidArguments([{ path: 'removeTags', message: `${both.join(', ')} cannot be added and removed at once` }])
  for (const tag of remove) {
    if (row.tags.includes(tag) && !row.manual_tags.includes(tag))
      throw preconditionFailed(`${tag} comes from ${originOf({ config }, row, lines, tag)}`)
  }
  return [...new Set([...row.manual_tags.filter((tag) => !remove.includes(tag)), ...add])].sort()
}

function originOf({ config }: Pick<Scene, 'config'>, row: ParticipantRow, lines: readonly LineState[], tag: string): string {
  const held = quantitiesOf(lines)
  const product = config.products.find(({ code, addsTags }) => held.has(code) && addsTags.includes(tag))
  if (product) return `product ${product.code} — remove the product`
  const flow = config.flows.find(({ slug, addsTags }) => slug === row.flow_slug && addsTags.includes(tag))
  if (flow) return `flow ${flow.slug} — move the participant to another flow`
  return row.directory_tags.includes(tag) ? 'the member directory' : 'the group — change its tags'
}
