import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { getCurrencyDecimals } from '../../kernel/money.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import { readDictionary } from '../figures/dictionary/custom-fields.ts'
import type { QueryEntity, QueryEntityField } from '../figures/dictionary/types.ts'
import type { ConditionTree } from '../figures/query/data-query.ts'
import { createInvalidArgumentError } from '../figures/query/names.ts'
import type { DataDictionary } from '../figures/query/plan.ts'
import type { QueryScope } from '../figures/query/scope.ts'
import { createComputedValueReader } from '../figures/query/computed-values.ts'
import { buildMatchingIdsSql } from '../figures/query/select-ids.ts'
import type { ProfileRuleConditions } from './features/read-vectors.ts'
import type { ProfileRule } from './options.ts'

/**
 * Compiles the filters of rules with the permissions of the caller, in the query language of reports. Throws for unknown fields, and for
 * sensitive fields even if the caller may read them.
 */
export async function compileProfileRules(ctx: EventContext, rules: readonly ProfileRule[]): Promise<ProfileRuleConditions> {
  if (rules.length === 0) return []
  const scope = await readScope(ctx)
  const dictionary = await readDictionary(ctx)
  const reader = { permissions: ctx.permissions, tool: 'rebuild_audience_profiles' }
  const compileRule = async ({ filter }: ProfileRule, index: number) => {
    const at = `rules/${index}/filter`
    const snapshot = { db: ctx.db, ctx, scope, event: scope.event!, dictionary: refuseSensitiveFields(dictionary, at), reader }
    return sql`p.id in (${await buildMatchingIdsSql(snapshot, 'participant', { tree: filter as unknown as ConditionTree, at })})`
  }
  return Promise.all(rules.map(compileRule))
}

async function readScope(ctx: EventContext): Promise<QueryScope> {
  const { facts } = await readDraftConfiguration(ctx)
  const { id, code } = ctx.event
  const { name, timezone, currency, startsOn, endsOn } = facts
  return {
    tenantId: ctx.tenantId,
    eventIds: [id],
    event: { id, code, name, clientId: ctx.client.id, timezone, currency, startsOn, endsOn },
    decimals: getCurrencyDecimals(currency),
    readComputedValues: createComputedValueReader(ctx),
    asOf: facts.now,
  }
}

/** Returns a copy of the data dictionary (the fields that filters can use) in which the use of a sensitive field throws. */
function refuseSensitiveFields(dictionary: DataDictionary, path: string): DataDictionary {
  const guard = ([name, field]: [string, QueryEntityField]): [string, QueryEntityField] => {
    if (field.class !== 'sensitive') return [name, field]
    const refuse = (): never => {
      throw createInvalidArgumentError(path, `${name} is sensitive, and sensitive fields are never used`)
    }
    return [name, { ...field, sql: refuse }]
  }
  return new Map(
    [...dictionary].map(([name, entity]): [string, QueryEntity] => [
      name,
      { ...entity, fields: Object.fromEntries(Object.entries(entity.fields).map(guard)) },
    ]),
  )
}
