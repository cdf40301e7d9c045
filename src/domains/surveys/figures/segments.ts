import { type RawBuilder, sql } from 'kysely'
import { isCategoricalField } from '../../figures/dictionary/classes.ts'
import { createInvalidArgumentError } from '../../figures/query/names.ts'
import { StatementPlan } from '../../figures/query/plan.ts'
import { requireQueryPermissions } from '../../figures/query/rights.ts'
import { toKyselyExpression } from '../../figures/query/read-in-batches.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { Survey } from '../survey-config.ts'
import { createAnonymousSurveyError, toParticipantFieldName } from './people-filter.ts'

/** SQL for segments by data that responses contain themselves. Other segments are fields of the participant. */
const OWN_SEGMENTS: Readonly<Record<string, RawBuilder<unknown>>> = {
  flowSlug: sql`select r.id, r.flow_slug from r`,
  // Responses of participants without tags form a segment of their own, as in the tool query_data.
  tags: sql`select r.id, t.tag from r left join unnest(r.tags) t(tag) on true`,
  session: sql`select r.id, r.session_id from r`,
}

const ALIASES: Readonly<Record<string, string>> = { 'flow.slug': 'flowSlug', flow: 'flowSlug', tag: 'tags', sessionId: 'session' }

/** Builds SQL for the id of each response and the key of each segment that it belongs to. */
export async function buildSegmentsSql(snapshot: QuerySnapshot, survey: Survey, path: string): Promise<RawBuilder<unknown>> {
  const name = toParticipantFieldName(path)
  const own = OWN_SEGMENTS[ALIASES[name] ?? name]
  if (own) return own
  if (survey.anonymous) throw createAnonymousSurveyError('its only segments are flowSlug, tags and session')
  const { dictionary, scope, reader } = snapshot
  const plan = new StatementPlan(dictionary, scope, dictionary.get('participant')!)
  const { field, sql: value } = plan.field(path, 'segmentBy', 'key')
  if (!isCategoricalField(field) && field.type !== 'code')
    throw createInvalidArgumentError(
      'segmentBy',
      `${path} is no category: segments need a field with few values, such as flowSlug, tags or country`,
    )
  requireQueryPermissions(plan, reader)
  const exploded = field.type === 'list' ? ` left join lateral unnest(${value}) x(key) on true` : ''
  const people = await toKyselyExpression(
    `select ${plan.row}.id, ${exploded === '' ? `(${value})::text` : 'x.key'} as key from ${plan.from()}${exploded} where ${plan.scopeCondition(null)}`,
    plan.values,
  )
  return sql`select r.id, p.key from r join (${people}) p on p.id = r.participant_id`
}
