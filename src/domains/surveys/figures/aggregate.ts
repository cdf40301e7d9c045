import type { EventContext } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import { runInSnapshot, type QuerySnapshot } from '../../figures/query/snapshot.ts'
import { MIN_PEOPLE_PER_RESULT_GROUP } from '../../figures/query/suppress.ts'
import { getQuestionsByCode, getSurvey, mayReadAnswers, type Question, readSurveyConfig, type Survey } from '../survey-config.ts'
import { type ComparedQuestionStatistics, readComparedStatistics } from './compare.ts'
import { countInvitesAndAnswers, type SurveyCounts, type FrequentAnswerTerm } from './counts.ts'
import { listSurveys } from './list-surveys.ts'
import { compilePeopleFilter } from './people-filter.ts'
import { requireValidPeriod } from './population.ts'
import { chooseHiddenSegments, hideAnswerStatistics, hasTooFewResponses, hidePersonalStatistics } from './protect.ts'
import { type QuestionCounts, type QuestionStatistics, computeQuestionStatistics } from './question-figures.ts'
import { toSurveyPercent } from './ratio.ts'
import { buildSegmentsSql } from './segments.ts'

const TOOL = 'get_survey_aggregate_data'

/**
 * The minimum number of responses that contain a term for the term to be shown. For readers without personal.read the minimum is higher, so
 * that a term does not identify people.
 */
const MIN_TERM_RESPONSES = 3
const MAX_SEGMENTS = 50

export interface SurveyStatisticsRequest {
  surveyCode?: string | undefined
  questionCodes?: readonly string[] | undefined
  sessionId?: string | undefined
  segmentBy?: string | undefined
  filter?: ConditionTree | undefined
  from?: string | undefined
  until?: string | undefined
  includePartial?: boolean | undefined
  compareWith?: string | undefined
}

interface ShownQuestion extends QuestionStatistics {
  terms?: FrequentAnswerTerm[]
  samples?: string[]
  previous?: ComparedQuestionStatistics
  withheld?: true
}

/** Returns the statistics of one survey, or the list of surveys with their counts. */
export async function getSurveyStatistics(ctx: EventContext, request: SurveyStatisticsRequest) {
  if (request.surveyCode === undefined)
    return { surveys: (await listSurveys(ctx)).map(({ period, ...survey }) => ({ ...survey, state: period })) }
  requireValidPeriod(request)
  const { config } = await readSurveyConfig(ctx)
  const survey = getSurvey(config.surveys, request.surveyCode)
  const questions = getQuestionsByCode(survey, request.questionCodes)
  if (request.sessionId !== undefined) await requireConferenceSession(ctx, request.sessionId)
  const previous =
    request.compareWith === undefined
      ? new Map<string, ComparedQuestionStatistics>()
      : await readComparedStatistics(ctx, { survey, eventCode: request.compareWith, tool: TOOL })
  return runInSnapshot(ctx, TOOL, async (snapshot) => {
    const counts = await readCounts(snapshot, { survey, questions, request })
    return toAggregate(snapshot, { survey, questions, counts, previous })
  })
}

/** Reads the statistics of all questions of a survey in a database snapshot that the caller has opened. */
export async function readSurveyStatistics(snapshot: QuerySnapshot, surveyCode: string) {
  const survey = getSurvey((await readSurveyConfig(snapshot.ctx)).config.surveys, surveyCode)
  const questions = getQuestionsByCode(survey, undefined)
  const counts = await readCounts(snapshot, { survey, questions, request: { surveyCode } })
  return toAggregate(snapshot, { survey, questions, counts, previous: new Map() })
}

/** Throws if the conference session belongs to another event. */
export async function requireConferenceSession(ctx: EventContext, sessionId: string): Promise<void> {
  const found = await eventDb(ctx).selectFrom('sessions').select('id').where('id', '=', sessionId).executeTakeFirst()
  if (!found) throw notFound(`No session ${sessionId} at this event. Use get_onsite_summary to list sessions.`)
}

interface Asked {
  survey: Survey
  questions: readonly Question[]
}

async function readCounts(
  snapshot: QuerySnapshot,
  { survey, questions, request }: Asked & { request: SurveyStatisticsRequest },
): Promise<SurveyCounts> {
  const { sessionId, from, until, segmentBy, filter, includePartial } = request
  const readsPersonal = snapshot.ctx.permissions.has('personal.read')
  return countInvitesAndAnswers(snapshot.ctx, {
    population: {
      survey,
      status: includePartial ? 'any' : 'complete',
      sessionId,
      from,
      until,
      people: await compilePeopleFilter(snapshot, survey, filter),
    },
    questions,
    segments: segmentBy === undefined ? null : await buildSegmentsSql(snapshot, survey, segmentBy),
    minTermResponses: readsPersonal ? MIN_TERM_RESPONSES : MIN_PEOPLE_PER_RESULT_GROUP,
    samples: readsPersonal,
  })
}

type Counted = Asked & { counts: SurveyCounts; previous: ReadonlyMap<string, ComparedQuestionStatistics> }

function toAggregate({ ctx, scope }: QuerySnapshot, { survey, questions, counts, previous }: Counted) {
  const { invited, delivered, bounced, opened, started, declined, complete } = counts
  const isHidden = survey.anonymous && hasTooFewResponses(counts)
  const hidden = isHidden ? new Set(counts.segments) : chooseHiddenSegments(counts.segments)
  const figuresOf = (of: ReadonlyMap<string, QuestionCounts>) =>
    questions.map((question) => protect(ctx, question, computeQuestionStatistics(question, of.get(question.code)!)))
  const segments = counts.segments.toSorted((a, b) => b.n - a.n || ((a.key ?? '') < (b.key ?? '') ? -1 : 1))
  return {
    invited,
    delivered,
    bounced,
    opened,
    started,
    complete,
    declined,
    responseRate: toSurveyPercent(complete, delivered),
    questions: figuresOf(counts.questions).map((figures): ShownQuestion =>
      isHidden ? hideAnswerStatistics(figures) : withTexts(figures, { counts, previous }),
    ),
    ...(isHidden ? { suppressed: true as const } : {}),
    ...(counts.segments.length > 0
      ? {
          segments: segments.slice(0, MAX_SEGMENTS).map((segment) => ({
            key: segment.key,
            n: segment.n,
            questions: hidden.has(segment) ? null : figuresOf(segment.questions),
            suppressed: hidden.has(segment),
          })),
        }
      : {}),
    ...(segments.length > MAX_SEGMENTS
      ? { truncated: true as const, note: `Shows the ${MAX_SEGMENTS} largest of ${segments.length} segments.` }
      : {}),
    asOf: formatInstant(scope.asOf),
  }
}

const protect = (ctx: EventContext, question: Question, figures: QuestionStatistics): ShownQuestion =>
  mayReadAnswers(ctx, question) ? figures : hidePersonalStatistics(question, figures)

/** Adds to the statistics of a question its frequent words, sample answers, and the statistics of the compared event. */
function withTexts(figures: ShownQuestion, { counts, previous }: Pick<Counted, 'counts' | 'previous'>): ShownQuestion {
  const [samples, before] = [counts.samples.get(figures.code), previous.get(figures.code)]
  return {
    ...figures,
    ...(figures.type === 'text' ? { terms: counts.terms.get(figures.code) ?? [] } : {}),
    ...(samples ? { samples } : {}),
    ...(before ? { previous: before } : {}),
  }
}
