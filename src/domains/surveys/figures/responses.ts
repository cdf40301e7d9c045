import { createHash } from 'node:crypto'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../../../kernel/columns.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { AppError, invalidArguments } from '../../../kernel/errors.ts'
import { decryptCursor, type SortColumn, readPage } from '../../../kernel/page.ts'
import { buildWordMatchCondition } from '../../../kernel/search.ts'
import { toDayInZone, formatInstant } from '../../../kernel/time.ts'
import { countCappedTotal } from '../../../kernel/totals.ts'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import { runInSnapshot, type QuerySnapshot } from '../../figures/query/snapshot.ts'
import { MIN_PEOPLE_PER_RESULT_GROUP } from '../../figures/query/suppress.ts'
import { type AnswerColumns, type AnswerValue, formatSurveyAnswer, toAnswerValue } from '../answers.ts'
import { getQuestionsByCode, getSurvey, mayReadAnswers, type Question, readSurveyConfig, type Survey } from '../survey-config.ts'
import { requireConferenceSession } from './aggregate.ts'
import { compilePeopleFilter } from './people-filter.ts'
import { buildSurveyResponseCondition, buildResponseFilterCondition, type ResponseStatus } from './population.ts'

const TOOL = 'get_survey_responses_data'

export interface ResponsesRequest {
  surveyCode: string
  questionCodes?: readonly string[] | undefined
  sessionId?: string | undefined
  status: ResponseStatus
  filter?: ConditionTree | undefined
  search?: string | undefined
  minRating?: number | undefined
  maxRating?: number | undefined
  sort: 'completedAt' | 'rating' | 'nps'
  limit: number
  cursor?: string | undefined
}

/** Lists single responses. Responses of an anonymous survey have no person and no time, and are shown only if enough of them match. */
export async function listSurveyResponses(ctx: EventContext, request: ResponsesRequest) {
  if (request.cursor !== undefined) decryptCursor(ctx, request.cursor)
  const { config } = await readSurveyConfig(ctx)
  const survey = getSurvey(config.surveys, request.surveyCode)
  const questions = getQuestionsByCode(survey, request.questionCodes)
  requireArguments(ctx, survey, request)
  if (request.sessionId !== undefined) await requireConferenceSession(ctx, request.sessionId)
  return runInSnapshot(ctx, TOOL, (snapshot) => readResponses(snapshot, { survey, questions, request }))
}

function requireArguments({ permissions }: EventContext, { anonymous }: Survey, { search, minRating, maxRating }: ResponsesRequest): void {
  const needed = !anonymous || search !== undefined
  if (needed && !permissions.has('personal.read'))
    throw new AppError('forbidden', `Forbidden — ${TOOL} requires the personal.read permission`)
  if (minRating !== undefined && maxRating !== undefined && minRating > maxRating)
    throw invalidArguments([{ path: 'minRating', message: `${minRating} is above maxRating ${maxRating}` }])
}

interface Asked {
  survey: Survey
  questions: readonly Question[]
  request: ResponsesRequest
}

interface ResponseRow {
  id: string
  status: 'partial' | 'complete'
  sessionId: string | null
  at: Date
  flowSlug: string | null
  tags: string[]
  participantId: string | null
  name: string | null
  email: string | null
  hash: string
  value: number
  answers: (AnswerColumns & { code: string })[]
}

async function readResponses(snapshot: QuerySnapshot, asked: Asked) {
  const { ctx } = snapshot
  const { survey, questions, request } = asked
  const { rows } = await selectResponses(snapshot, asked)
  // The cursor is validated even if the result is empty because few responses match.
  if (request.cursor !== undefined) decryptCursor(ctx, request.cursor)
  const counted = await countCappedTotal(ctx, rows)
  if (survey.anonymous && (counted.total ?? MIN_PEOPLE_PER_RESULT_GROUP) < MIN_PEOPLE_PER_RESULT_GROUP)
    return { responses: [], nextCursor: null, suppressed: true as const }
  const readable = questions.filter((question) => mayReadAnswers(ctx, question))
  const known = survey.anonymous ? await listCommonTraits(ctx, survey) : null
  const { items, ...page } = await readPage(
    ctx,
    { limit: request.limit, cursor: request.cursor },
    { rows, order: orderOf(survey, request), shape: (row) => toResponse(ctx, row, { questions: readable, known }) },
  )
  const withheld = questions.filter((question) => !readable.includes(question)).map(({ code }) => code)
  return { responses: items, ...counted, ...page, ...(withheld.length > 0 ? { withheld } : {}) }
}

/**
 * Returns the sort order of the list: newest first, or lowest value first with responses without a value last. Anonymous responses are
 * sorted by their hash.
 */
function orderOf({ anonymous }: Survey, { sort }: ResponsesRequest): SortColumn<ResponseRow>[] {
  const value: SortColumn<ResponseRow> = { by: VALUE, type: 'integer', of: (row) => row.value }
  const hash: SortColumn<ResponseRow> = { by: HASH, type: 'text', of: (row) => row.hash }
  if (anonymous) return sort === 'completedAt' ? [hash] : [value, hash]
  const newest: SortColumn<ResponseRow>[] = [
    { by: sql`r.at`, type: 'timestamptz', descending: true, of: (row) => row.at.toISOString() },
    { by: sql`r.id`, type: 'text', descending: true, of: (row) => row.id },
  ]
  return sort === 'completedAt' ? newest : [value, ...newest]
}

const HASH = sql`r.hash`
const VALUE = sql`r.value`

/** The sort value of responses without ratings. It is above all others, which are the average rating times 100. */
const NO_VALUE = 1_000_000

async function selectResponses(snapshot: QuerySnapshot, { survey, questions, request }: Asked) {
  const { ctx } = snapshot
  const { status, sessionId, filter, search, minRating, maxRating, sort } = request
  const population = { survey, status, sessionId, people: await compilePeopleFilter(snapshot, survey, filter) }
  const codes = questions.map(({ code }) => code)
  const hasAnswer = (condition: RawBuilder<boolean>) => sql<boolean>`exists (select from survey_answers a where a.tenant_id = r.tenant_id
    and a.event_id = r.event_id and a.response_id = r.id and a.question_code = any(${codes}::text[]) and ${condition})`
  const conditions = [
    buildSurveyResponseCondition(ctx, population),
    buildResponseFilterCondition(ctx, population),
    ...(search === undefined ? [] : [hasAnswer(buildWordMatchCondition(sql`lanyard_searched(a.text)`, search))]),
    ...(minRating === undefined && maxRating === undefined
      ? []
      : [hasAnswer(sql`a.rating between ${minRating ?? 1} and ${maxRating ?? 10}`)]),
  ]
  const column = sort === 'nps' ? sql`a.nps` : sql`a.rating`
  const answersOf = sql`survey_answers a where a.tenant_id = r.tenant_id and a.event_id = r.event_id and a.response_id = r.id
    and a.question_code = any(${codes}::text[])`
  const source = sql<ResponseRow>`(
    select r.tenant_id, r.event_id, r.id, r.status, r.session_id as "sessionId", coalesce(r.completed_at, r.started_at) as at, r.flow_slug as "flowSlug", r.tags,
      r.participant_id as "participantId", nullif(concat_ws(' ', p.first_name, p.last_name), '') as name, p.email,
      encode(sha256(convert_to(r.id, 'UTF8')), 'hex') as hash,
      coalesce((select round(avg(${column}) * 100)::int from ${answersOf}), ${NO_VALUE}) as value,
      coalesce((select json_agg(json_build_object('code', a.question_code, 'rating', a.rating, 'nps', a.nps, 'choice', a.choice, 'choices', a.choices, 'text', a.text))
        from ${answersOf}), '[]') as answers
    from survey_responses r
    left join participants p on p.tenant_id = r.tenant_id and p.event_id = r.event_id and p.id = r.participant_id
    where ${sql.join(conditions, sql` and `)})`
  // Kysely cannot infer the type of the subquery, hence the cast. Returning the query in an object prevents `await` from running it.
  return { rows: ctx.db.selectFrom(source.as('r')).selectAll() as unknown as SelectQueryBuilder<Tables, keyof Tables, ResponseRow> }
}

/** Lists the flows and tags that enough responses of an anonymous survey have; rarer ones could identify a person. */
async function listCommonTraits(ctx: EventContext, survey: Survey): Promise<{ flows: ReadonlySet<string>; tags: ReadonlySet<string> }> {
  const { rows } = await sql<{ flows: string[]; tags: string[] }>`
    with r as (select r.flow_slug, r.tags from survey_responses r where ${buildSurveyResponseCondition(ctx, { survey, status: 'any' })})
    select array(select flow_slug from r where flow_slug is not null group by 1 having count(*) >= ${MIN_PEOPLE_PER_RESULT_GROUP}) as flows,
      array(select tag from r cross join unnest(r.tags) tag group by 1 having count(*) >= ${MIN_PEOPLE_PER_RESULT_GROUP}) as tags`.execute(
    ctx.db,
  )
  const [{ flows, tags }] = rows as [{ flows: string[]; tags: string[] }]
  return { flows: new Set(flows), tags: new Set(tags) }
}

interface Shown {
  questions: readonly Question[]
  known: Awaited<ReturnType<typeof listCommonTraits>> | null
}

const SHOWN_ID_KEY = 'anonymous survey response'

/** Returns an id that stands for an anonymous response in this list only: no other tool accepts it. */
const toUnlinkedId = ({ keys }: Pick<EventContext, 'keys'>, id: string): string =>
  createHash('sha256').update(keys.sign(SHOWN_ID_KEY, id)).digest('hex').slice(0, 24)

function toResponse(ctx: EventContext, row: ResponseRow, { questions, known }: Shown) {
  const { event } = ctx
  const answers: Record<string, AnswerValue> = {}
  const labels: Record<string, string> = {}
  for (const question of questions) {
    const found = row.answers.find(({ code }) => code === question.code)
    if (!found) continue
    answers[question.code] = toAnswerValue(found)
    labels[question.code] = formatSurveyAnswer(question, answers[question.code]!)
  }
  return {
    id: known ? toUnlinkedId(ctx, row.id) : row.id,
    completedAt: row.status === 'partial' ? null : known ? toDayInZone(event.timezone, row.at) : formatInstant(row.at),
    status: row.status,
    ...(row.participantId === null ? {} : { participant: { id: row.participantId, name: row.name ?? '', email: row.email } }),
    flowSlug: known && !known.flows.has(row.flowSlug ?? '') ? null : row.flowSlug,
    tags: known ? row.tags.filter((tag) => known.tags.has(tag)) : row.tags,
    ...(row.sessionId === null ? {} : { sessionId: row.sessionId }),
    answers,
    labels,
  }
}
