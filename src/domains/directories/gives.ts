import type { EventContext } from '../../kernel/context.ts'
import type { DirectoryBinding, DirectoryTagRule } from './engine/spec.ts'
import type {} from './tables.ts'

/** What each connection of the event can bring about a person who is found, by code: tags, and fields it fills in. */
export async function connectionGives(ctx: EventContext): Promise<Map<string, { tags: string[]; fills: string[] }>> {
  const rows = await ctx.db
    .selectFrom('directory_connections')
    .select(['code', 'tag_rules', 'bindings'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .execute()
  return new Map(rows.map((row) => [row.code, givesOf(row)]))
}

export const givesOf = ({ tag_rules, bindings }: { tag_rules: DirectoryTagRule[]; bindings: DirectoryBinding[] }) => ({
  tags: [...new Set(tag_rules.flatMap(({ tag, elseTag }) => (elseTag === undefined ? [tag] : [tag, elseTag])))],
  fills: bindings.map(({ to }) => to),
})
