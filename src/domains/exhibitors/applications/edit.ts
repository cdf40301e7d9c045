import { sql } from 'kysely'
import { announceToWebhooks } from '../../../kernel/announce.ts'
import { recordChange } from '../../../kernel/audit.ts'
import { conflict, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { checkRevision } from '../../../kernel/revisions.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { changeRecordState } from '../../../kernel/states.ts'
import { takeNextRecordNumber } from '../../orders/numbers.ts'
import { hasActiveApplication } from '../applications.ts'
import { getBoothsByNumber, lockCompanies } from '../booths/lock.ts'
import type { CompanyRow } from '../companies.ts'
import { type ExhibitorContext, readLiveOrTestConfiguration } from '../context.ts'
import { APPLICATION_STATES } from '../states.ts'
import type { BoothPreferences } from '../tables.ts'
import type { BoothPreferencesChange } from './application-shapes.ts'
import { type ApplicationRow, describeApplications, isActiveApplicationStatus, lockApplication } from './read.ts'

interface NewApplication {
  companyId: string
  wanted: BoothPreferencesChange
  answers?: Readonly<Record<string, unknown>> | undefined
  submit?: boolean | undefined
  additional?: boolean | undefined
  note?: string | undefined
}

/** Creates a booth application as a draft, or submits it immediately. */
export async function createApplication(
  ctx: ExhibitorContext,
  { companyId, wanted, answers = {}, submit, additional, note }: NewApplication,
) {
  const company = (await lockCompanies(ctx, [companyId])).get(companyId)!
  if (company.status === 'cancelled') throw preconditionFailed(`${company.code} has cancelled and cannot apply`)
  const wishes = await checkWanted(ctx, company, { sizes: [], boothNumbers: [], acceptOther: true, ...dropUndefined(wanted) })
  await checkAnswers(ctx, company, answers)
  const number = await takeNextRecordNumber(ctx, 'A', company.is_test_data ? 'test' : 'real')
  const row = await ctx.db
    .insertInto('booth_applications')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      number,
      company_id: companyId,
      is_test_data: company.is_test_data,
      additional: additional ?? false,
      wanted: JSON.stringify(wishes),
      answers: JSON.stringify(answers),
      decision_note: note ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'application', id: row.id, after: { number, companyId, status: 'draft', wanted: { ...wishes } } })
  if (submit) await submitDraft(ctx, row, company)
  else announceChange(ctx, row, ['number', 'status', 'wanted'])
  return { ...(await describeApplications(ctx, [number])), changed: ['number'] }
}

export async function submitApplicationDraft(ctx: ExhibitorContext, number: string) {
  const { row, company } = await lockApplication(ctx, number)
  await submitDraft(ctx, row, company)
  return { ...(await describeApplications(ctx, [number])), changed: ['status', 'submittedAt'] }
}

async function submitDraft(ctx: ExhibitorContext, row: ApplicationRow, company: CompanyRow): Promise<void> {
  await requireNoOtherActiveApplication(ctx, row, company)
  await changeRecordState(ctx, APPLICATION_STATES, row, 'submitted', {
    columns: { submitted_at: sql<Date>`lanyard_now()` },
    changed: ['submittedAt'],
  })
}

/**
 * Throws if the company has another live application, which competes for booths or was accepted. Rule X3 of the specification allows one
 * per company, and any number of applications marked as additional.
 */
export async function requireNoOtherActiveApplication(
  ctx: ExhibitorContext,
  { additional, status }: ApplicationRow,
  company: CompanyRow,
): Promise<void> {
  if (additional || isActiveApplicationStatus(status) || !(await hasActiveApplication(ctx, company.id))) return
  throw conflict(`${company.code} has a live application already. Pass additional: true to create another one`)
}

interface ApplicationChange {
  number: string
  wanted?: BoothPreferencesChange | undefined
  answers?: Readonly<Record<string, unknown>> | undefined
  note?: string | undefined
  ifRevision?: number | undefined
}

/** Changes the requested booths, the answers or the note of a booth application. Omitted arguments leave the stored values unchanged. */
export async function updateApplication(ctx: ExhibitorContext, { number, wanted = {}, answers, note, ifRevision }: ApplicationChange) {
  const { row, company } = await lockApplication(ctx, number)
  checkRevision({ kind: 'Booth application', name: number, revision: row.revision }, ifRevision)
  if (row.status === 'withdrawn' || row.status === 'cancelled')
    throw preconditionFailed(`Booth application ${number} is ${row.status} and cannot be changed`)
  const kept = Object.fromEntries(
    Object.entries(row.wanted).filter(([key]) => !wanted.clear?.includes(key as 'type')),
  ) as unknown as BoothPreferences
  const wishes = await checkWanted(ctx, company, { ...kept, ...dropUndefined(wanted) })
  if (answers) await checkAnswers(ctx, company, answers)
  const after = {
    wanted: wishes,
    answers: { ...row.answers, ...answers },
    decision_note: note ?? row.decision_note,
  }
  const changed = listChanges(row, after)
  if (changed.length > 0) {
    await eventDb(ctx)
      .updateTable('booth_applications')
      .set({ wanted: JSON.stringify(after.wanted), answers: JSON.stringify(after.answers), decision_note: after.decision_note })
      .where('id', '=', row.id)
      .execute()
    recordChange(ctx, {
      kind: 'application',
      id: row.id,
      before: { wanted: { ...row.wanted } },
      after: { wanted: { ...wishes } },
    })
    announceChange(ctx, row, ['wanted'])
  }
  return { ...(await describeApplications(ctx, [number])), changed }
}

function listChanges(row: ApplicationRow, after: Pick<ApplicationRow, 'wanted' | 'answers' | 'decision_note'>): string[] {
  const differ = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b)
  const wishes = [...new Set([...Object.keys(row.wanted), ...Object.keys(after.wanted)])] as (keyof BoothPreferences)[]
  return [
    ...wishes.filter((key) => differ(row.wanted[key], after.wanted[key])).map((key) => `wanted.${key}`),
    ...Object.keys(after.answers)
      .filter((key) => differ(row.answers[key], after.answers[key]))
      .map((key) => `answers.${key}`),
    ...(row.decision_note === after.decision_note ? [] : ['note']),
  ]
}

const announceChange = (ctx: ExhibitorContext, { id, is_test_data }: ApplicationRow, changed: string[]) =>
  announceToWebhooks(ctx, { kind: 'application.updated', entity: 'application', id, changed, isTestData: is_test_data })

const dropUndefined = (wanted: BoothPreferencesChange): Partial<BoothPreferences> =>
  Object.fromEntries(Object.entries(wanted).filter(([key, value]) => key !== 'clear' && value !== undefined))

/** Checks that the booths, sizes, zones and companies that an application asks for exist, and writes booth numbers as on the floor plan. */
async function checkWanted(ctx: ExhibitorContext, company: CompanyRow, wanted: BoothPreferences): Promise<BoothPreferences> {
  const { config } = await readLiveOrTestConfiguration(ctx, company.is_test_data)
  const sizes = config.exhibitorConfig.boothSizes.map(({ code }) => code)
  const problems: FieldError[] = wanted.sizes
    .filter((code) => !sizes.includes(code))
    .map((code) => ({ path: 'wanted/sizes', message: `${code} is not a booth size of this event`, allowed: sizes }))
  if (wanted.minArea !== undefined && wanted.maxArea !== undefined && wanted.minArea > wanted.maxArea)
    problems.push({ path: 'wanted/maxArea', message: 'must not be less than minArea' })
  if (wanted.zoneCodes?.length) {
    const plans = await eventDb(ctx).selectFrom('floor_plans').select('zones').where('status', '<>', 'archived').execute()
    const zones = plans.flatMap((plan) => plan.zones.map(({ code }) => code))
    for (const code of wanted.zoneCodes)
      if (!zones.includes(code))
        problems.push({ path: 'wanted/zoneCodes', message: `${code} is not a zone of a floor plan`, allowed: zones })
  } else if (wanted.zonesOnly) problems.push({ path: 'wanted/zonesOnly', message: 'needs zoneCodes' })
  const others = [...(wanted.near ?? []), ...(wanted.awayFrom ?? [])]
  if (others.includes(company.id)) problems.push({ path: 'wanted/near', message: 'a company cannot be its own neighbour or competitor' })
  if (problems.length > 0) throw invalidArguments(problems)
  await requireCompanies(ctx, others, company.is_test_data)
  const booths = wanted.boothNumbers.length === 0 ? [] : await getBoothsByNumber(ctx, [...new Set(wanted.boothNumbers)])
  return { ...wanted, boothNumbers: booths.map(({ number }) => number) }
}

async function requireCompanies(ctx: ExhibitorContext, ids: readonly string[], isTestData: boolean): Promise<void> {
  if (ids.length === 0) return
  const rows = await eventDb(ctx)
    .selectFrom('companies')
    .select('id')
    .where('id', '=', sql<string>`any(${ids})`)
    .where('is_test_data', '=', isTestData)
    .execute()
  const missing = ids.find((id) => !rows.some((row) => row.id === id))
  if (missing !== undefined) throw notFound(`No company ${missing} at this event`)
}

async function checkAnswers(ctx: ExhibitorContext, company: CompanyRow, answers: Readonly<Record<string, unknown>>): Promise<void> {
  const { config } = await readLiveOrTestConfiguration(ctx, company.is_test_data)
  const known = config.exhibitorConfig.applicationFields
  const unknown = Object.keys(answers).filter((code) => !known.includes(code))
  if (unknown.length > 0)
    throw invalidArguments(
      unknown.map((code) => ({ path: `answers/${code}`, message: 'is not a question for applications', allowed: known })),
    )
}
