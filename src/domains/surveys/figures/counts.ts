import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import type { Question, Survey } from '../survey-config.ts'
import {
  buildInvitationCondition,
  buildSurveyResponseCondition,
  buildResponseFilterCondition,
  type SurveyResponseFilter,
} from './population.ts'
import type { QuestionCounts } from './question-figures.ts'

/** The maximum number of frequent terms (words and pairs of words in text answers) that are shown for one question. */
export const MAX_FREQUENT_TERMS = 20
export const MAX_SAMPLE_ANSWERS = 5

/**
 * The number of invitations that reached each step. An invitation also counts in all earlier steps: a started one counts as opened and as
 * delivered.
 */
export interface InviteCounts {
  invited: number
  delivered: number
  bounced: number
  opened: number
  started: number
  declined: number
}

export interface FrequentAnswerTerm {
  term: string
  responses: number
}

/** All counts of a survey, read in one statement and therefore in one snapshot. */
export interface SurveyCounts extends InviteCounts {
  /** The number of complete responses that match the filters, even if partial responses are counted too. */
  complete: number
  /** The number of all responses of the survey. */
  all: number
  matched: number
  segments: readonly SegmentCounts[]
  /** The counts of all matching responses, by question code. */
  questions: ReadonlyMap<string, QuestionCounts>
  terms: ReadonlyMap<string, FrequentAnswerTerm[]>
  samples: ReadonlyMap<string, string[]>
}

export interface SegmentCounts {
  key: string | null
  n: number
  questions: ReadonlyMap<string, QuestionCounts>
}

interface CountRequest {
  population: SurveyResponseFilter
  questions: readonly Question[]
  /** SQL query for `id, key` of each response of the table `r` and each segment that it belongs to. */
  segments: RawBuilder<unknown> | null
  /** The minimum number of responses that must contain a term (word or pair of words); rarer terms are left out. */
  minTermResponses: number
  /** Whether to read sample texts of text questions. */
  samples: boolean
}

interface CountedRow {
  /** The segment of the counted responses; null for all responses together. */
  segment: { key: string | null } | null
  code: string
}

interface CountsRow extends InviteCounts {
  complete: number
  all: number
  matched: number
  segments: { key: string | null; n: number }[]
  shown: (CountedRow & { count: number })[]
  texts: (CountedRow & { count: number; medianLength: number | null })[]
  /** The counts of each value. `answers` counts every answer once, at the first of its values. */
  values: (CountedRow & { value: string; count: number; answers: number })[]
  terms: { code: string; term: string; responses: number }[]
  samples: { code: string; text: string }[]
}

/**
 * SQL query for one row with the counts of the matching invitations `i`. They are counted by status first, because there may be a million.
 */
export function buildInviteCountsSql(where: RawBuilder<boolean>): RawBuilder<unknown> {
  const count = (condition: RawBuilder<boolean>) => sql`coalesce(sum(i.invites) filter (where ${condition}), 0)::int`
  return sql`
    select ${count(sql`true`)} as invited, ${count(sql`i.status not in ('queued', 'bounced')`)} as delivered,
      ${count(sql`i.status = 'bounced'`)} as bounced, ${count(sql`i.status in ('opened', 'started', 'completed', 'declined')`)} as opened,
      ${count(sql`i.status in ('started', 'completed')`)} as started, ${count(sql`i.status = 'declined'`)} as declined
    from (select i.status, count(*) as invites from survey_invites i where ${where} group by i.status) i`
}

const jsonRows = (rows: RawBuilder<unknown>) => sql`coalesce((select json_agg(to_json(x)) from (${rows}) x), '[]')`

const codesOf = (questions: readonly Question[]) => questions.map(({ code }) => code)

/** SQL that joins answers (`a`) to the grouped responses (`g`), only for the requested questions. */
const joinAnswers = ({ tenantId, event }: EventContext, questions: readonly Question[]) => sql`
  join survey_answers a on a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.response_id = g.id
    and a.question_code = any(${codesOf(questions)}::text[])`

/** Counts invitations and answers in one statement. */
export async function countInvitesAndAnswers(ctx: EventContext, request: CountRequest): Promise<SurveyCounts> {
  const { population, questions, segments } = request
  const texts = questions.filter(({ type }) => type === 'text')
  const matched = sql`(select m.responses from matched m)`
  const { sessionId, from, until, people, status } = population
  const isFiltered = [sessionId, from, until, people].some((one) => one !== undefined)
  const { rows } = await sql<CountsRow>`
    with r as materialized (
      select r.id, r.shown, r.flow_slug, r.tags, r.session_id, r.participant_id, coalesce(r.completed_at, r.started_at) as at
      from survey_responses r where ${buildSurveyResponseCondition(ctx, population)} and ${buildResponseFilterCondition(ctx, population)}),
    matched as materialized (select count(*)::int as responses from r),
    ${segments === null ? sql`` : sql`g as materialized (${joinSegments(segments)}),`}
    texts as materialized (
      select g.id, g.at, a.question_code as code, a.text, a.terms from r g ${joinAnswers(ctx, texts)} and a.type = 'text')
    select i.*,
      ${
        status === 'complete'
          ? matched
          : sql`(select count(*)::int from survey_responses r
        where ${buildSurveyResponseCondition(ctx, { ...population, status: 'complete' })} and ${buildResponseFilterCondition(ctx, population)})`
      } as complete,
      ${isFiltered ? sql`(select count(*)::int from survey_responses r where ${buildSurveyResponseCondition(ctx, population)})` : matched} as all,
      ${matched} as matched,
      ${segments === null ? sql`'[]'::json` : jsonRows(COUNTED_SEGMENTS)} as segments,
      ${jsonRows(sql`select x.segment::json as segment, c.code, sum(x.count)::int as count from (${countShown(segments)}) x
        cross join unnest(x.shown) c(code) group by x.segment, c.code`)} as shown,
      ${jsonRows(countTexts(segments))} as texts,
      ${jsonRows(sql`select x.segment::json as segment, x.code, v.value, sum(x.count)::int as count,
        coalesce(sum(x.count) filter (where v.n = 1), 0)::int as answers
        from (${countAnswers(ctx, request)}) x
        cross join unnest(coalesce(x.choices, array[coalesce(x.rating::text, x.nps::text, x.choice)])) with ordinality v(value, n)
        group by x.segment, x.code, v.value`)} as values,
      ${texts.length > 0 ? jsonRows(selectTerms(request)) : sql`'[]'::json`} as terms,
      ${texts.length > 0 && request.samples ? jsonRows(selectSamples(population.survey)) : sql`'[]'::json`} as samples
    from (${buildInviteCountsSql(buildInvitationCondition(ctx, population))}) i`.execute(ctx.db)
  return toCounts(rows[0]!, questions)
}

/** SQL with one row per response and segment, and one more row per response with the segment null, for all responses together. */
const joinSegments = (segments: RawBuilder<unknown>) => sql`
  select r.id, null::text as segment from r
  union all select s.id, json_build_object('key', s.key)::text from (${segments}) s(id, key)`

const COUNTED_SEGMENTS = sql`
  select (g.segment::json->>'key') as key, count(*)::int as n from g where g.segment is not null group by g.segment`

/** Counts equal lists of displayed questions before the lists are split into single questions, because there are few different lists. */
const countShown = (segments: CountRequest['segments']) =>
  segments === null
    ? sql`select null::text as segment, r.shown, count(*) as count from r group by r.shown`
    : sql`select g.segment, r.shown, count(*) as count from g join r on r.id = g.id group by g.segment, r.shown`

function countTexts(segments: CountRequest['segments']): RawBuilder<unknown> {
  const counts = sql`count(*)::int as count, percentile_cont(0.5) within group (order by char_length(t.text)) as "medianLength"`
  return segments === null
    ? sql`select null::json as segment, t.code, ${counts} from texts t group by t.code`
    : sql`select g.segment::json as segment, t.code, ${counts} from g join texts t on t.id = g.id group by g.segment, t.code`
}

/** SQL query that counts responses by answer, except texts. Only answers of the question's current type are counted. */
function countAnswers(ctx: EventContext, { questions, segments }: CountRequest): RawBuilder<unknown> {
  const asked = questions.filter(({ type }) => type !== 'text')
  const source = segments === null ? sql`(select r.id, null::text as segment from r) g` : sql`g`
  return sql`
    select c.* from (
      select g.segment, a.question_code as code, a.type, a.rating, a.nps, a.choice, a.choices, count(*) as count
      from ${source} ${joinAnswers(ctx, asked)} and a.type <> 'text'
      group by g.segment, a.question_code, a.type, a.rating, a.nps, a.choice, a.choices) c
    join unnest(${codesOf(asked)}::text[], ${asked.map(({ type }) => type)}::text[]) q(code, type) on q.code = c.code and q.type = c.type`
}

const selectTerms = ({ minTermResponses }: CountRequest) => sql`
  select t.code, t.term, t.responses from (
    select a.code, w.term, count(*)::int as responses, row_number() over (partition by a.code order by count(*) desc, w.term collate "C") as place
    from texts a cross join unnest(a.terms) w(term) group by a.code, w.term having count(*) >= ${minTermResponses}) t
  where t.place <= ${MAX_FREQUENT_TERMS} order by t.code, t.place`

const STEPS = MAX_SAMPLE_ANSWERS - 1
/** SQL of the positions of the sample texts in the list of all texts: evenly spaced and rounded to the nearest integer. */
const SAMPLED_PLACES = Array.from({ length: MAX_SAMPLE_ANSWERS }, (_, step) => `(${2 * step} * (s.n - 1) + ${STEPS}) / ${2 * STEPS}`).join(
  ', ',
)

/**
 * SQL query for sample texts, evenly spaced from the first to the last response. Anonymous responses have a day but no time, so a hash
 * decides the order within the day.
 */
const selectSamples = ({ anonymous }: Pick<Survey, 'anonymous'>) => sql`
  select s.code, s.text from (
    select a.code, a.text, count(*) over (partition by a.code) as n,
      row_number() over (partition by a.code order by a.at, ${anonymous ? sql`sha256(convert_to(a.id, 'UTF8'))` : sql`a.id`}) - 1 as place
    from texts a) s
  where s.n <= ${MAX_SAMPLE_ANSWERS} or s.place in (${sql.raw(SAMPLED_PLACES)})
  order by s.code, s.place`

const NO_COUNTS: QuestionCounts = { shown: 0, answered: 0, values: new Map(), medianLength: null }

function toCounts(row: CountsRow, questions: readonly Question[]): SurveyCounts {
  const nameOf = (segment: CountedRow['segment']) => (segment === null ? 'all' : `key ${JSON.stringify(segment.key)}`)
  const groupOf = <Row extends CountedRow>(rows: readonly Row[]) => Map.groupBy(rows, ({ segment, code }) => `${code} ${nameOf(segment)}`)
  const [shown, texts, values] = [groupOf(row.shown), groupOf(row.texts), groupOf(row.values)]
  const countsOf = (segment: CountedRow['segment']) =>
    new Map(
      questions.map(({ code }): [string, QuestionCounts] => {
        const name = `${code} ${nameOf(segment)}`
        return [
          code,
          {
            ...NO_COUNTS,
            shown: shown.get(name)?.[0]?.count ?? 0,
            answered: texts.get(name)?.[0]?.count ?? values.get(name)?.reduce((sum, { answers }) => sum + answers, 0) ?? 0,
            medianLength: texts.get(name)?.[0]?.medianLength ?? null,
            values: new Map(values.get(name)?.map(({ value, count }) => [value, count])),
          },
        ]
      }),
    )
  const { segments, terms, samples, shown: _shown, texts: _texts, values: _values, ...counts } = row
  return {
    ...counts,
    questions: countsOf(null),
    segments: segments.map(({ key, n }) => ({ key, n, questions: countsOf({ key }) })),
    terms: groupTexts(terms, ({ term, responses }) => ({ term, responses })),
    samples: groupTexts(samples, ({ text }) => text),
  }
}

const groupTexts = <Row extends { code: string }, Item>(rows: readonly Row[], toItem: (row: Row) => Item) =>
  new Map([...Map.groupBy(rows, ({ code }) => code)].map(([code, some]) => [code, some.map(toItem)]))
