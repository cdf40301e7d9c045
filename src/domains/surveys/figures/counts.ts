import { type RawBuilder, sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import type { Question } from '../survey-config.ts'
import { isInvited, isOfSurvey, matchesFilters, type Population } from './population.ts'
import type { QuestionCounts } from './question-figures.ts'

/** Terms of one question. */
export const MAX_TERMS = 20
export const MAX_SAMPLES = 5

/** How far the invitations of a survey came. Later steps include earlier ones: a started invitation was opened and delivered. */
export interface InviteCounts {
  invited: number
  delivered: number
  bounced: number
  opened: number
  started: number
  declined: number
}

export interface Term {
  term: string
  responses: number
}

/** All counts of one statement, so of one snapshot. */
export interface SurveyCounts extends InviteCounts {
  /** Complete responses that match the filters, also if partial ones are counted below. */
  complete: number
  /** Responses of the survey, and those that match the filters. */
  all: number
  matched: number
  segments: readonly SegmentCounts[]
  /** Counts of all matching responses by question code. */
  questions: ReadonlyMap<string, QuestionCounts>
  terms: ReadonlyMap<string, Term[]>
  samples: ReadonlyMap<string, string[]>
}

export interface SegmentCounts {
  key: string | null
  n: number
  questions: ReadonlyMap<string, QuestionCounts>
}

interface CountRequest {
  population: Population
  questions: readonly Question[]
  /** SQL that selects `id, key` for each response of the table `r` and each segment it belongs to. */
  segments: RawBuilder<unknown> | null
  /** Terms in fewer responses are left out. */
  minTermResponses: number
  /** Whether samples of texts are read. */
  samples: boolean
}

interface CountedRow {
  /** Null for all responses together. */
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
  /** `answers` counts each answer once, at its first value. */
  values: (CountedRow & { value: string; count: number; answers: number })[]
  terms: { code: string; term: string; responses: number }[]
  samples: { code: string; text: string }[]
}

export const INVITE_COUNTS = sql`
  count(*)::int as invited, count(*) filter (where i.status not in ('queued', 'bounced'))::int as delivered,
  count(*) filter (where i.status = 'bounced')::int as bounced,
  count(*) filter (where i.status in ('opened', 'started', 'completed', 'declined'))::int as opened,
  count(*) filter (where i.status in ('started', 'completed'))::int as started, count(*) filter (where i.status = 'declined')::int as declined`

const jsonRows = (rows: RawBuilder<unknown>) => sql`coalesce((select json_agg(to_json(x)) from (${rows}) x), '[]')`

/** Joins the answers `a` to the rows of `g` by response, only those of the asked questions and of their present type. */
const joinAnswers = ({ tenantId, event }: EventContext, questions: readonly Question[]) => sql`
  join survey_answers a on a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.response_id = g.id
  join unnest(${questions.map(({ code }) => code)}::text[], ${questions.map(({ type }) => type)}::text[]) q(code, type)
    on q.code = a.question_code and q.type = a.type`

/** Counts invitations and answers in one statement. */
export async function countSurvey(ctx: EventContext, request: CountRequest): Promise<SurveyCounts> {
  const { population, questions, segments } = request
  const texts = questions.filter(({ type }) => type === 'text')
  const matched = sql`(select count(*)::int from r)`
  const { sessionId, from, until, people, status } = population
  // Lists are counted before they are divided, because there are few different ones.
  const shown =
    segments === null
      ? sql`select null::text as segment, r.shown, count(*) as count from r group by r.shown`
      : sql`select g.segment, r.shown, count(*) as count from g join r on r.id = g.id group by g.segment, r.shown`
  const isFiltered = [sessionId, from, until, people].some((one) => one !== undefined)
  const { rows } = await sql<CountsRow>`
    with r as materialized (
      select r.id, r.shown, r.flow_slug, r.tags, r.session_id, r.participant_id, coalesce(r.completed_at, r.started_at) as at
      from survey_responses r where ${isOfSurvey(ctx, population)} and ${matchesFilters(ctx, population)}),
    g as materialized (
      select r.id, null::text as segment from r
      ${segments === null ? sql`` : sql`union all select s.id, json_build_object('key', s.key)::text from (${segments}) s(id, key)`}),
    texts as materialized (
      select g.id, g.at, a.question_code as code, a.text, a.terms from r g ${joinAnswers(ctx, texts)})
    select ${INVITE_COUNTS},
      ${
        status === 'complete'
          ? matched
          : sql`(select count(*)::int from survey_responses r
        where ${isOfSurvey(ctx, { ...population, status: 'complete' })} and ${matchesFilters(ctx, population)})`
      } as complete,
      ${isFiltered ? sql`(select count(*)::int from survey_responses r where ${isOfSurvey(ctx, population)})` : matched} as all,
      ${matched} as matched,
      ${jsonRows(sql`select (g.segment::json->>'key') as key, count(*)::int as n from g where g.segment is not null group by g.segment`)} as segments,
      ${jsonRows(sql`select x.segment::json as segment, c.code, sum(x.count)::int as count from (${shown}) x
        cross join unnest(x.shown) c(code) group by x.segment, c.code`)} as shown,
      ${jsonRows(sql`select g.segment::json as segment, t.code, count(*)::int as count,
        percentile_cont(0.5) within group (order by char_length(t.text)) as "medianLength"
        from g join texts t on t.id = g.id group by g.segment, t.code`)} as texts,
      ${jsonRows(sql`select x.segment::json as segment, x.code, v.value, sum(x.count)::int as count,
        coalesce(sum(x.count) filter (where v.n = 1), 0)::int as answers
        from (${countAnswers(ctx, questions)}) x
        cross join unnest(coalesce(x.choices, array[coalesce(x.rating::text, x.nps::text, x.choice)])) with ordinality v(value, n)
        group by x.segment, x.code, v.value`)} as values,
      ${texts.length > 0 ? jsonRows(selectTerms(request)) : sql`'[]'::json`} as terms,
      ${texts.length > 0 && request.samples ? jsonRows(SAMPLES) : sql`'[]'::json`} as samples
    from survey_invites i where ${isInvited(ctx, population)}`.execute(ctx.db)
  return toCounts(rows[0]!, questions)
}

/** Different answers other than texts with the number of responses. */
const countAnswers = (ctx: EventContext, questions: readonly Question[]) => sql`
  select g.segment, a.question_code as code, a.rating, a.nps, a.choice, a.choices, count(*) as count
  from g ${joinAnswers(
    ctx,
    questions.filter(({ type }) => type !== 'text'),
  )}
  group by g.segment, a.question_code, a.rating, a.nps, a.choice, a.choices`

const selectTerms = ({ minTermResponses }: CountRequest) => sql`
  select t.code, t.term, t.responses from (
    select a.code, w.term, count(*)::int as responses, row_number() over (partition by a.code order by count(*) desc, w.term collate "C") as place
    from texts a cross join unnest(a.terms) w(term) group by a.code, w.term having count(*) >= ${minTermResponses}) t
  where t.place <= ${MAX_TERMS} order by t.code, t.place`

const SAMPLED_PLACES = Array.from({ length: MAX_SAMPLES }, (_, step) => `round(${step} * (s.n - 1)::numeric / ${MAX_SAMPLES - 1})`).join(
  ', ',
)

/** Texts from the first to the last response at equal steps. The hash decides within a day, because anonymous responses have no time. */
const SAMPLES = sql`
  select s.code, s.text from (
    select a.code, a.text, row_number() over (partition by a.code order by a.at, sha256(convert_to(a.id, 'UTF8'))) - 1 as place,
      count(*) over (partition by a.code) as n
    from texts a) s
  where s.n <= ${MAX_SAMPLES} or s.place in (${sql.raw(SAMPLED_PLACES)})
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
