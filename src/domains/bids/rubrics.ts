import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { toOneLine, code, count, id, list, name, object, oneOf, text } from '../../kernel/args.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import type { Tables } from '../../kernel/columns.ts'
import type { EventContext } from '../../kernel/context.ts'
import { type FieldError, invalidArguments, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { readPage } from '../../kernel/page.ts'
import { defineRecord, editRecord, lockRecord, auditNewRecord, toRecordColumns } from '../../kernel/records.ts'
import { eventDb, tenantDb } from '../../kernel/scoped-db.ts'
import { attachRubric } from '../rfps/rubric.ts'
import { type SupplierQuestionnaireItem, type RubricCriterion, CRITERION_FORMULAS } from '../rfps/tables.ts'
import { readRfpSnapshot } from './responses.ts'
import { scoreComparableResponses } from './scores.ts'

export const CriterionShape = object({
  code: code(),
  name: name(80),
  weight: z.number().positive('greater than 0').max(100, 'at most 100').multipleOf(0.01, 'at most two decimals'),
  scorer: oneOf(['manual', 'formula']).default('manual'),
  formula: text(80).optional(),
  anchors: z.partialRecord(z.enum(['0', '1', '2', '3', '4', '5']), text(300)).optional(),
  mustHave: object({ op: oneOf(['>=', '>', '=']), value: z.number().min(0, 'at least 0').max(5, 'at most 5') }).optional(),
})
export const CRITERION_FIELDS_TEXT = 'code, name, weight, scorer manual|formula, formula, anchors { 0..5 }, mustHave { op ... }'

/** Schema of a scoring criterion in results. It has the fields of `CriterionShape`, without the rules for new criteria. */
export const StoredCriterion = object({ ...CriterionShape.shape, scorer: oneOf(['manual', 'formula']), code: z.string() })

export const RubricShape = object({
  id: id('rubric'),
  name: z.string(),
  criteria: list(toOneLine(StoredCriterion, CRITERION_FIELDS_TEXT)),
  usedBy: list(toOneLine(object({ rfpId: id('rfp'), number: z.string() }), 'rfpId, number')),
})

export const ScoreShape = toOneLine(
  object({
    responseId: id('rfpResponse'),
    total: z.number(),
    rank: count(1),
    knockedOut: z.boolean(),
    failed: list(z.string()),
    byCriterion: list(object({ criterion: z.string(), average: z.number().nullable(), spread: z.number(), evaluators: count() })),
  }),
  'responseId, total, rank, knockedOut, failed[], byCriterion[] { criterion, average ... }',
)

const RUBRIC = defineRecord({
  table: 'scoring_rubrics',
  kind: 'rubric',
  noun: 'Rubric',
  name: (row) => row.name,
  primaryKey: ['tenant_id', 'client_id', 'id'],
  fields: { name: 'name', criteria: { column: 'criteria', json: 'whole' } },
})

type RubricRow = Selectable<Tables['scoring_rubrics']>

interface RubricRequest {
  name?: string | undefined
  criteria?: z.output<typeof CriterionShape>[] | undefined
  rfpId?: string | undefined
  rubricId?: string | undefined
}

/** Creates or edits a rubric of the client, and copies it to an RFP if one is named. Copies do not change when the rubric does. */
export async function saveRubric(ctx: EventContext, { name: given, criteria, rfpId, rubricId }: RubricRequest) {
  if (criteria) checkCriteria(criteria)
  const row =
    rubricId === undefined ? await createRubric(ctx, given!, toCriteria(criteria!)) : await editRubric(ctx, rubricId, given, criteria)
  ctx.effects.add('changes', row.id)
  if (rfpId === undefined) return { rubric: (await toRubrics(ctx, [row]))[0]! }
  const rfp = await readRfpSnapshot(ctx, rfpId)
  checkQuestions(row.criteria, rfp.questions, rfp.number)
  const now = await getDatabaseTime(ctx)
  await attachRubric(ctx, rfpId, { rubricId: row.id, name: row.name, criteria: row.criteria }, now)
  return { rubric: (await toRubrics(ctx, [row]))[0]!, attachedTo: { rfpId, number: rfp.number } }
}

/** Lists the errors of the arguments: a new rubric needs a name and criteria; an edit needs a change or an RFP to attach the rubric to. */
export function findRubricErrors({ name: given, criteria, rubricId, rfpId }: Record<string, unknown>): FieldError[] {
  if (rubricId !== undefined)
    return given === undefined && criteria === undefined && rfpId === undefined
      ? [{ path: 'rubricId', message: 'give name or criteria to edit the rubric, or rfpId to attach it' }]
      : []
  return [
    ...(given === undefined ? [{ path: 'name', message: 'required for a new rubric' }] : []),
    ...(criteria === undefined ? [{ path: 'criteria', message: 'required for a new rubric' }] : []),
  ]
}

const toCriteria = (criteria: readonly z.output<typeof CriterionShape>[]): RubricCriterion[] =>
  criteria.map(({ formula, anchors, mustHave, ...rest }) => ({
    ...rest,
    ...(formula === undefined ? {} : { formula }),
    ...(anchors === undefined ? {} : { anchors: anchors as NonNullable<RubricCriterion['anchors']> }),
    ...(mustHave === undefined ? {} : { mustHave }),
  }))

async function createRubric(ctx: EventContext, given: string, criteria: RubricCriterion[]): Promise<RubricRow> {
  const row = await ctx.db
    .insertInto('scoring_rubrics')
    .values({
      tenant_id: ctx.tenantId,
      client_id: ctx.client.id,
      id: newId(),
      name: given,
      criteria: JSON.stringify(criteria),
      ...toRecordColumns(RUBRIC, { name: given, criteria }),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  auditNewRecord(ctx, RUBRIC, row)
  return row
}

async function editRubric(
  ctx: EventContext,
  rubricId: string,
  given: string | undefined,
  criteria: z.output<typeof CriterionShape>[] | undefined,
): Promise<RubricRow> {
  const before = await lockRecord(ctx, RUBRIC, { tenant_id: ctx.tenantId, client_id: ctx.client.id, id: rubricId })
  if (!before) throw unknownRubric(rubricId)
  const { row } = await editRecord(ctx, RUBRIC, before, { name: given, criteria: criteria ? toCriteria(criteria) : undefined })
  return row
}

const unknownRubric = (rubricId: string) => notFound(`No rubric ${rubricId}. List rubrics with list_scoring_rubrics`)

/** Checks the rules of a rubric that its schema cannot express. All errors are reported together. */
function checkCriteria(criteria: readonly z.output<typeof CriterionShape>[]): void {
  const hundredths = criteria.reduce((sum, { weight }) => sum + Math.round(weight * 100), 0)
  const errors = [
    ...(hundredths === 10_000 ? [] : [{ path: 'criteria', message: `weights sum to ${hundredths / 100}` }]),
    ...criteria.flatMap(({ code: own, scorer, formula }, index): FieldError[] => {
      const path = `criteria.${index}`
      if (criteria.findIndex((one) => one.code === own) < index) return [{ path: `${path}.code`, message: `${own} is used twice` }]
      if (scorer === 'manual')
        return formula === undefined ? [] : [{ path: `${path}.formula`, message: 'only for criteria with scorer formula' }]
      return isFormula(formula)
        ? []
        : [{ path: `${path}.formula`, message: `unknown formula; one of ${FORMULA_NAMES.join(', ')}`, allowed: FORMULA_NAMES }]
    }),
  ]
  if (errors.length > 0) throw invalidArguments(errors)
}

const FORMULA_NAMES = [...CRITERION_FORMULAS, 'answer:<code>']
const isFormula = (formula: string | undefined): boolean =>
  formula !== undefined && ((CRITERION_FORMULAS as readonly string[]).includes(formula) || /^answer:\S+$/.test(formula))

/** Throws if a scoring formula refers to the answer to a question that the RFP does not have. */
function checkQuestions(criteria: readonly RubricCriterion[], questions: readonly SupplierQuestionnaireItem[], number: string): void {
  const errors = criteria.flatMap(({ formula }, index): FieldError[] => {
    const asked = formula?.startsWith('answer:') ? formula.slice('answer:'.length) : null
    if (asked === null || questions.some((one) => one.code === asked)) return []
    return [
      {
        path: `criteria.${index}.formula`,
        message: `${number} has no question ${asked}`,
        allowed: questions.map((one) => `answer:${one.code}`),
      },
    ]
  })
  if (errors.length > 0) throw invalidArguments(errors)
}

async function toRubrics(ctx: EventContext, rows: readonly RubricRow[]) {
  const attached = await eventDb(ctx)
    .selectFrom('rfps')
    .select(['id', 'number', 'rubric'])
    .where('rubric', 'is not', null)
    .orderBy('number')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    criteria: row.criteria,
    usedBy: attached.filter(({ rubric }) => rubric?.rubricId === row.id).map((rfp) => ({ rfpId: rfp.id, number: rfp.number })),
  }))
}

interface RubricListRequest {
  rubricId?: string | undefined
  rfpId?: string | undefined
  limit: number
  cursor?: string | undefined
}

/**
 * Lists rubrics of the client by name. If an RFP is given, returns the rubric that it uses, its own copy and the scores of its responses.
 */
export async function listRubrics(ctx: EventContext, { rubricId, rfpId, ...paging }: RubricListRequest) {
  const rfp = rfpId === undefined ? null : await readRfpSnapshot(ctx, rfpId)
  const wanted = rubricId ?? (rfp ? (rfp.rubric?.rubricId ?? '') : undefined)
  let rows = tenantDb(ctx).selectFrom('scoring_rubrics').selectAll().where('client_id', '=', ctx.client.id)
  if (wanted !== undefined) rows = rows.where('id', '=', wanted)
  const { items, ...page } = await readPage(ctx, paging, {
    rows,
    order: [
      { by: sql.ref('name'), type: 'text', of: (row) => row.name },
      { by: sql.ref('id'), type: 'text', of: (row) => row.id },
    ],
    shape: (row) => row,
  })
  if (rubricId !== undefined && items.length === 0) throw unknownRubric(rubricId)
  const rubrics = await toRubrics(ctx, items)
  if (!rfp) return { rubrics, ...page }
  const attached = rfp.rubric ? { name: rfp.rubric.name, criteria: rfp.rubric.criteria } : null
  const scores = rfp.rubric && !rfp.isSealed ? ((await scoreComparableResponses(ctx, rfp)) ?? []) : []
  return { rubrics, attached, scores, ...page }
}
