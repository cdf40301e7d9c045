import { sql } from 'kysely'
import { announceToWebhooks } from '../../kernel/announce.ts'
import { recordChange } from '../../kernel/audit.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { newId } from '../../kernel/ids.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { takeNextRecordNumber } from '../orders/numbers.ts'
import type { ExhibitorContext, ExhibitorQueryContext } from './context.ts'
import { createCompany, findFreeCompanyCode } from './companies.ts'
import type { BoothPreferences } from './tables.ts'

/** A registered participant who applies for a booth. */
export interface BoothApplicant {
  participantId: string
  isTestData: boolean
  name: string
  email: string
  company: string
  website?: string | undefined
  country?: string | undefined
}

/**
 * The company that an applicant applies for. If it is new, the applicant becomes its admin and the caller links their registration to it.
 */
export interface ApplicantCompany {
  companyId: string
  isNew: boolean
}

/** Submits a booth application for the applicant's company. The organizer configures which registration answers are copied to it. */
export async function applyForBooth(
  ctx: ExhibitorContext,
  { exhibitorConfig }: Pick<EventConfig, 'exhibitorConfig'>,
  applicant: BoothApplicant,
  { wanted, answers }: { wanted: BoothPreferences; answers: Readonly<Record<string, unknown>> },
): Promise<ApplicantCompany> {
  const company = await findOrCreateApplicantCompany(ctx, applicant)
  const { participantId, isTestData } = applicant
  const fields = new Set(exhibitorConfig.applicationFields)
  await submitApplication(ctx, {
    companyId: company.companyId,
    participantId,
    isTestData,
    number: await takeNextRecordNumber(ctx, 'A', isTestData ? 'test' : 'real'),
    wanted,
    answers: Object.fromEntries(Object.entries(answers).filter(([code]) => fields.has(code))),
  })
  return company
}

/**
 * Finds the company of an applicant: the one that lists them as staff, otherwise the one with the given name, otherwise a new company.
 * Typing a known company name does not make the applicant its staff; the organizer decides.
 */
export async function findOrCreateApplicantCompany(
  ctx: ExhibitorContext,
  { participantId, isTestData, name, email, ...facts }: BoothApplicant,
): Promise<ApplicantCompany> {
  const known =
    (await findCompanyByStaff(ctx, { participantId, isTestData, email })) ?? (await findCompanyByName(ctx, facts.company, isTestData))
  if (known !== null) return { companyId: known, isNew: false }
  const { id } = await createCompany(ctx, {
    name: facts.company,
    // Company codes made from names need not be unique: "A.B." and "A B" get the same code, and a cancelled company keeps its code.
    code: await findFreeCompanyCode(ctx, facts.company),
    ...(facts.website === undefined ? {} : { website: facts.website }),
    ...(facts.country === undefined ? {} : { country: facts.country }),
    contact: { name, email },
    isTestData,
    selfRegistered: true,
  })
  await addFirstAdmin(ctx, { companyId: id, participantId, isTestData, name, email })
  return { companyId: id, isNew: true }
}

type Staff = Pick<BoothApplicant, 'participantId' | 'isTestData' | 'name' | 'email'>

async function findCompanyByStaff(
  { db, tenantId, event }: ExhibitorQueryContext,
  { participantId, isTestData, email }: Pick<Staff, 'participantId' | 'isTestData' | 'email'>,
): Promise<string | null> {
  const { rows } = await sql<{ companyId: string }>`
    select s.company_id as "companyId" from exhibitor_staff s
    join companies c on c.tenant_id = s.tenant_id and c.event_id = s.event_id and c.id = s.company_id and c.status <> 'cancelled'
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.is_test_data = ${isTestData} and s.status <> 'removed'
      and (s.participant_id = ${participantId} or s.email_norm = ${foldEmailCase(email)})
    order by s.role <> 'admin', s.created_at limit 1`.execute(db)
  return rows[0]?.companyId ?? null
}

async function findCompanyByName(
  { db, tenantId, event }: ExhibitorQueryContext,
  company: string,
  isTestData: boolean,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from companies where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data = ${isTestData} and status <> 'cancelled'
      and name_norm = btrim(lanyard_searched(${company}::text))`.execute(db)
  return rows[0]?.id ?? null
}

/** The participant who created the company becomes its first admin. */
async function addFirstAdmin(
  ctx: ExhibitorContext,
  { companyId, participantId, isTestData, name, email }: Staff & { companyId: string },
): Promise<void> {
  const at = { tenant_id: ctx.tenantId, event_id: ctx.event.id, company_id: companyId }
  const staff = { id: newId(), role: 'admin', status: 'registered', pass: 'free' } as const
  await ctx.db
    .insertInto('exhibitor_staff')
    .values({ ...at, ...staff, participant_id: participantId, is_test_data: isTestData, name, email })
    .execute()
}

export interface NewApplication {
  companyId: string
  participantId: string
  isTestData: boolean
  number: string
  wanted: BoothPreferences
  answers: Readonly<Record<string, unknown>>
}

/**
 * Whether the company already has an open booth application (submitted, and not withdrawn, rejected or cancelled). A second application
 * is then marked as additional.
 */
export async function hasActiveApplication({ db, tenantId, event }: ExhibitorQueryContext, companyId: string): Promise<boolean> {
  const { rows } = await sql`
    select from booth_applications where tenant_id = ${tenantId} and event_id = ${event.id} and company_id = ${companyId} and not additional
      and status not in ('draft', 'rejected', 'withdrawn', 'cancelled') limit 1`.execute(db)
  return rows.length > 0
}

export async function submitApplication(ctx: ExhibitorContext, application: NewApplication): Promise<string> {
  const { companyId, participantId, isTestData, number, wanted, answers } = application
  const id = newId()
  await ctx.db
    .insertInto('booth_applications')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id,
      number,
      company_id: companyId,
      participant_id: participantId,
      is_test_data: isTestData,
      status: 'submitted',
      additional: await hasActiveApplication(ctx, companyId),
      wanted: JSON.stringify(wanted),
      answers: JSON.stringify(answers),
      submitted_at: sql<Date>`lanyard_now()`,
    })
    .execute()
  // Webhooks have no event kind for a new booth application, so it is announced as `application.updated`.
  announceToWebhooks(ctx, { kind: 'application.updated', entity: 'application', id, changed: ['number', 'status', 'wanted'], isTestData })
  recordChange(ctx, { kind: 'boothApplication', id, after: { number, companyId, status: 'submitted', wanted: { ...wanted } } })
  return id
}

export interface ApplicationSummary {
  number: string
  status: string
  company: string
}

/** Lists a participant's booth applications, newest first. */
export async function listApplications(
  { db, tenantId, event }: ExhibitorQueryContext,
  participantId: string,
): Promise<ApplicationSummary[]> {
  const { rows } = await sql<ApplicationSummary>`
    select a.number, a.status, c.name as company from booth_applications a
    join companies c on c.tenant_id = a.tenant_id and c.event_id = a.event_id and c.id = a.company_id
    where a.tenant_id = ${tenantId} and a.event_id = ${event.id} and a.participant_id = ${participantId} and a.number is not null
    order by a.submitted_at desc, a.id desc`.execute(db)
  return rows
}
