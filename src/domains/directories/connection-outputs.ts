import type { EventContext } from '../../kernel/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { DirectoryFieldMapping, DirectoryTagRule } from './engine/spec.ts'

/** Lists the tags and fields that each directory connection can set for a participant, by connection code. */
export async function readConnectionTagsAndFields(ctx: EventContext): Promise<Map<string, { tags: string[]; fills: string[] }>> {
  const rows = await eventDb(ctx).selectFrom('directory_connections').select(['code', 'tag_rules', 'bindings']).execute()
  return new Map(rows.map((row) => [row.code, listTagsAndFilledFields(row)]))
}

export const listTagsAndFilledFields = ({ tag_rules, bindings }: { tag_rules: DirectoryTagRule[]; bindings: DirectoryFieldMapping[] }) => ({
  tags: [...new Set(tag_rules.flatMap(({ tag, elseTag }) => (elseTag === undefined ? [tag] : [tag, elseTag])))],
  fills: bindings.map(({ to }) => to),
})
