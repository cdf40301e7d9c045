import { z } from 'zod'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { type FieldError, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { auditNewRecord } from '../../kernel/records.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import type { BriefAnswers, DateOption } from '../briefs/answers.ts'
import { readLockedBriefForRfp } from '../briefs/briefs.ts'
import { getDocumentFile } from '../files/documents.ts'
import type { HousingContext } from '../housing/context.ts'
import { takeNextRecordNumber } from '../orders/numbers.ts'
import { RFP_RECORD } from './record.ts'
import type { SupplierQuestionnaireItem, AttachedRubric, RfpRow } from './tables.ts'
import { validateRfpDeadlines, getDefaultQuestionsDueAt, warnAboutShortDeadline } from './times.ts'

export interface NewRfp {
  briefId: string
  title?: string | undefined
  dateOptions?: readonly DateOption[] | undefined
  questions?: readonly SupplierQuestionnaireItem[] | undefined
  rubricId?: string | undefined
  sealed: boolean
  questionsDueAt?: string | undefined
  responseDueAt: string
  decisionOn: string
  attachments?: readonly string[] | undefined
}

/** Creates an RFP draft from the locked version of a brief. Later edits of the brief do not change the RFP. */
export async function createRfp(ctx: HousingContext, input: NewRfp): Promise<{ row: RfpRow; warnings: string[] }> {
  const { brief, answers } = await readLockedBriefForRfp(ctx, input.briefId)
  const dateOptions = input.dateOptions ?? listDateOptions(answers)
  refuseInvalid([...findDateErrors(dateOptions), ...findQuestionErrors(input.questions ?? [])])
  const now = await getDatabaseTime(ctx)
  const responseDueAt = new Date(input.responseDueAt)
  const times = {
    responseDueAt,
    questionsDueAt: input.questionsDueAt === undefined ? getDefaultQuestionsDueAt(responseDueAt) : new Date(input.questionsDueAt),
    decisionOn: input.decisionOn,
  }
  validateRfpDeadlines(times, now, ctx.event.timezone)
  for (const fileId of input.attachments ?? []) await getDocumentFile(ctx, fileId)
  const row = await ctx.db
    .insertInto('rfps')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      client_id: ctx.client.id,
      brief_id: input.briefId,
      brief_version: brief.version,
      title: input.title ?? brief.title,
      requirements: JSON.stringify(moveNeeds(answers, dateOptions[0]!)),
      date_options: JSON.stringify(dateOptions),
      questions: JSON.stringify(input.questions ?? []),
      attachments: [...(input.attachments ?? [])],
      sealed: input.sealed,
      currency: answers.currency ?? ctx.event.currency,
      questions_due_at: times.questionsDueAt,
      response_due_at: responseDueAt,
      decision_on: input.decisionOn,
      rubric: input.rubricId === undefined ? null : JSON.stringify(await copyRubric(ctx, input.rubricId)),
      number: await takeNextRecordNumber(ctx, 'RFP', 'real'),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  auditNewRecord(ctx, RFP_RECORD, row, { briefId: row.brief_id, briefVersion: row.brief_version, sealed: row.sealed })
  return { row, warnings: warnAboutShortDeadline(times, now, ctx.event.timezone) }
}

/** Lists the preferred dates of a brief, then the alternative dates. */
function listDateOptions({ preferredArrival, preferredDeparture, alternates = [] }: BriefAnswers): DateOption[] {
  if (preferredArrival === undefined || preferredDeparture === undefined)
    throw preconditionFailed('The brief has no preferred dates. Pass dateOptions, or add the dates to the brief and lock it again.')
  return [{ arrival: preferredArrival, departure: preferredDeparture }, ...alternates]
}

/**
 * Moves the days of the requested rooms, event functions and meals by the difference between the brief's dates and the first date option.
 */
function moveNeeds(answers: BriefAnswers, first: DateOption): BriefAnswers {
  const days = answers.preferredArrival === undefined ? 0 : daysBetween(answers.preferredArrival, first.arrival)
  if (days === 0) return answers
  const move = <T extends { day: string }>(some: readonly T[]): T[] => some.map((one) => ({ ...one, day: addDays(one.day, days) }))
  return {
    ...answers,
    preferredArrival: first.arrival,
    preferredDeparture: first.departure,
    ...(answers.roomsByNight ? { roomsByNight: answers.roomsByNight.map((need) => ({ ...need, night: addDays(need.night, days) })) } : {}),
    ...(answers.functions ? { functions: move(answers.functions) } : {}),
    ...(answers.meals ? { meals: move(answers.meals) } : {}),
  }
}

async function copyRubric(ctx: HousingContext, rubricId: string): Promise<AttachedRubric> {
  const rubric = await tenantDb(ctx)
    .selectFrom('scoring_rubrics')
    .select(['name', 'criteria'])
    .where('client_id', '=', ctx.client.id)
    .where('id', '=', rubricId)
    .executeTakeFirst()
  if (!rubric) throw notFound(`No rubric ${rubricId}. Use list_scoring_rubrics to see all rubrics.`)
  return { rubricId, ...rubric }
}

function findDateErrors(options: readonly DateOption[]): FieldError[] {
  const seen = new Set<string>()
  return options.flatMap(({ arrival, departure }, index) => {
    const path = `dateOptions/${index}`
    const isRepeated = seen.has(`${arrival} ${departure}`)
    seen.add(`${arrival} ${departure}`)
    return [
      ...(departure <= arrival ? [{ path: `${path}/departure`, message: 'must be later than arrival' }] : []),
      ...(isRepeated ? [{ path, message: 'repeats an earlier date option' }] : []),
    ]
  })
}

const MUST_BE: Record<SupplierQuestionnaireItem['type'], z.ZodType> = {
  text: z.string(),
  choice: z.string(),
  number: z.number(),
  money: z.number(),
  boolean: z.boolean(),
}

function findQuestionErrors(questions: readonly SupplierQuestionnaireItem[]): FieldError[] {
  const seen = new Set<string>()
  return questions.flatMap(({ code, type, choices, mustBe }, index) => {
    const path = `questions/${index}`
    const isRepeated = seen.has(code)
    seen.add(code)
    const isWrongChoice = type === 'choice' && mustBe !== undefined && choices !== undefined && !choices.includes(String(mustBe))
    return [
      ...(isRepeated ? [{ path: `${path}/code`, message: `${code} is the code of an earlier question` }] : []),
      ...((type === 'choice') === (choices !== undefined && choices.length > 0)
        ? []
        : [{ path: `${path}/choices`, message: type === 'choice' ? 'are required for a choice' : 'are only allowed for a choice' }]),
      ...(mustBe !== undefined && (!MUST_BE[type].safeParse(mustBe).success || isWrongChoice)
        ? [{ path: `${path}/mustBe`, message: type === 'choice' ? 'must be one of the choices' : `must be a value of type ${type}` }]
        : []),
    ]
  })
}

function refuseInvalid(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidArguments(errors)
}
