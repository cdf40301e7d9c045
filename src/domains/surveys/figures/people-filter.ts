import { sql } from 'kysely'
import { preconditionFailed } from '../../../kernel/errors.ts'
import { codeField, defineQueryEntity, listField } from '../../figures/dictionary/define.ts'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import { buildMatchingIdsSql } from '../../figures/query/select-ids.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'
import type { Survey } from '../survey-config.ts'
import type { SurveyResponseFilter } from './population.ts'

/** The fields of an anonymous response that a filter on people can use: its own copy of flow and tags, because it has no participant. */
const ANONYMOUS_PERSON = defineQueryEntity({
  name: 'participant',
  label: 'Anonymous responses',
  rowIs: 'one anonymous response',
  area: 'reports',
  source: 'survey_responses',
  fields: { flowSlug: codeField('Flow', 'flow_slug'), tags: listField('Tags', 'tags') },
})

const ANONYMOUS_DICTIONARY = new Map([['participant', ANONYMOUS_PERSON]])
const ANONYMOUS_FIELDS: readonly string[] = ['flowSlug', 'tags']

export const createAnonymousSurveyError = (what: string) =>
  preconditionFailed(`This survey is anonymous, so ${what}. Use flowSlug or tags of the responses instead.`)

/** Lists the fields that a filter's condition tree uses, without the prefix of the entity. A relation is listed by its name. */
function listFields(tree: ConditionTree): string[] {
  if (typeof tree !== 'object' || tree === null) return []
  if ('all' in tree) return Array.isArray(tree.all) ? tree.all.flatMap(listFields) : []
  if ('any' in tree) return Array.isArray(tree.any) ? tree.any.flatMap(listFields) : []
  if ('relation' in tree) return [String(tree.relation)]
  const { field, binding } = tree as { field?: unknown; binding?: unknown }
  return [toParticipantFieldName(String(field ?? binding))]
}

export const toParticipantFieldName = (path: string): string => path.replace(/^@/, '').replace(/^participant\./, '')

/** Compiles a filter on participants. For an anonymous survey the filter can only use fields that responses contain themselves. */
export async function compilePeopleFilter(
  snapshot: QuerySnapshot,
  survey: Survey,
  tree: ConditionTree | undefined,
): Promise<SurveyResponseFilter['people']> {
  if (tree === undefined) return undefined
  const people = { tree, at: 'filter' }
  if (!survey.anonymous) {
    const ids = await buildMatchingIdsSql(snapshot, 'participant', people)
    return { response: sql`r.participant_id in (${ids})`, invite: sql`i.participant_id in (${ids})` }
  }
  if (listFields(tree).some((field) => !ANONYMOUS_FIELDS.includes(field)))
    throw createAnonymousSurveyError('it cannot be filtered by data of participants')
  const responses = await buildMatchingIdsSql({ ...snapshot, dictionary: ANONYMOUS_DICTIONARY }, 'participant', people)
  const invited = await buildMatchingIdsSql(snapshot, 'participant', people)
  return { response: sql`r.id in (${responses})`, invite: sql`i.participant_id in (${invited})` }
}
