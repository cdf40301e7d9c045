import { createHash } from 'node:crypto'
import { type InsertObject, type Selectable, sql } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { type DirectoryFactsByConnection, indexConfigByCode } from '../configuration/flow/collected-answers.ts'
import { type FlowEvaluation, type EvaluatedPage, evaluateFlow } from '../configuration/flow/walk.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import { readConnectionStates } from '../directories/connection-states.ts'
import { selectGroups } from '../groups/groups.ts'
import { isJoinCodeValid } from '../groups/join-codes.ts'
import { type ChosenRoom, findChosenRoom } from '../housing/chosen-room.ts'
import { readStoredAnswers } from '../registration/answers.ts'
import { toGroupPayer, collectAssignedTags, findGroupOfParticipant } from '../registration/participant-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import { type RegistrationContext, loadEventSnapshot, type EventSnapshot } from '../registration/event-snapshot.ts'
import type { RegistrationSubmission } from '../registration/submit.ts'
import type { PolicyAcceptance } from './tables.ts'

const PROGRESS_COLUMNS = [
  'pages_done',
  'policies',
  'method',
  'pay_now',
  'booth_request',
  'waits',
  'other_hotels',
  'more_time',
  'visit_id',
  'group_join_code',
  'network',
  'held_since',
] as const
type StoredProgress = Pick<Selectable<Tables['registration_progress']>, (typeof PROGRESS_COLUMNS)[number]>

/** A registration in progress: the participant, their answers, and the pages the flow shows for these answers. */
export interface RegistrationProgress {
  snapshot: EventSnapshot
  flow: Flow
  row: ParticipantRow
  stored: StoredProgress
  answers: Readonly<Record<string, unknown>>
  /** The group the participant is in or wants to join. */
  group: NonNullable<RegistrationSubmission['group']> | null
  /** What happens if a directory lookup fails, by directory connection. */
  connections: DirectoryFactsByConnection
  /** The room that is selected, held or reserved. */
  room: ChosenRoom | null
  walk: FlowEvaluation
  /** Visible pages without the final page, which is shown after completion. */
  pages: readonly EvaluatedPage[]
}

const EMPTY_PROGRESS: StoredProgress = {
  pages_done: [],
  policies: {},
  method: null,
  pay_now: null,
  booth_request: null,
  waits: [],
  other_hotels: [],
  more_time: false,
  visit_id: null,
  group_join_code: null,
  network: null,
  held_since: null,
}

/**
 * Serializes requests of one participant, such as two tabs or a double click. This lock must be taken before all others to avoid
 * deadlocks.
 */
export async function lockRegistrationProgress({ db }: Pick<RegistrationContext, 'db'>, participantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`registration in progress ${participantId}`}::text, 0))`.execute(db)
}

/** Loads the current state of a registration in progress. */
export async function loadRegistrationProgress(ctx: RegistrationContext, participantId: string): Promise<RegistrationProgress> {
  const [row, snapshot, stored] = await Promise.all([
    getParticipant(ctx, participantId),
    loadEventSnapshot(ctx),
    readStoredProgress(ctx, participantId),
  ])
  const flow = snapshot.config.flows.find(({ slug }) => slug === row.flow_slug)
  if (!flow) throw notFound('The form of this registration is no longer available')
  const answers = dropOutdatedAgreements(snapshot.config, stored, readStoredAnswers(row))
  const group = (await findGroupOfParticipant(ctx, row)) ?? (await findWantedGroup(ctx, answers, stored))
  const room = await findChosenRoom(ctx, snapshot, row.id, answers)
  return recalculateVisiblePages({ snapshot, flow, row, stored, group, room, connections: await readFailureRules(ctx, flow) }, answers)
}

/**
 * Finds the current state of a registration in progress; null if the registration, or the flow in which it was started, no longer exists.
 */
export async function findRegistrationProgress(
  ctx: RegistrationContext,
  participantId: string,
  read = loadRegistrationProgress,
): Promise<RegistrationProgress | null> {
  try {
    return await read(ctx, participantId)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

/** Reads what happens if a lookup of the flow's directory connections fails. The results of lookups are stored with the participant. */
async function readFailureRules(ctx: RegistrationContext, flow: Flow): Promise<DirectoryFactsByConnection> {
  const asks = flow.directory !== null || flow.pages.some(({ widgets }) => widgets.some(({ type }) => type === 'membershipLookup'))
  if (!asks) return {}
  const states = await readConnectionStates(ctx)
  return Object.fromEntries([...states].map(([code, { onFailure }]) => [code, { onFailure }]))
}

/** Recalculates the visible pages after the answers have changed. */
export function recalculateVisiblePages(
  progress: Omit<RegistrationProgress, 'walk' | 'pages' | 'answers'>,
  answers: RegistrationProgress['answers'],
): RegistrationProgress {
  const { snapshot, flow, row, group, connections } = progress
  const tags = collectAssignedTags(row, group)
  const walk = evaluateFlow(snapshot.config, flow, { answers, tags, timezone: snapshot.timezone, now: snapshot.at, connections })
  const pages = walk.pages.filter(({ visible, widgets }) => visible && !widgets.some(({ terminal }) => terminal))
  return { ...progress, answers, walk, pages }
}

async function readStoredProgress(ctx: RegistrationContext, participantId: string): Promise<StoredProgress> {
  const stored = await eventDb(ctx)
    .selectFrom('registration_progress')
    .select(PROGRESS_COLUMNS)
    .where('participant_id', '=', participantId)
    .executeTakeFirst()
  return stored ?? EMPTY_PROGRESS
}

export async function saveRegistrationProgress(
  { db, tenantId, event }: RegistrationContext,
  { id, is_test_data }: Pick<ParticipantRow, 'id' | 'is_test_data'>,
  columns: Omit<InsertObject<Tables, 'registration_progress'>, 'tenant_id' | 'event_id' | 'participant_id' | 'is_test_data'>,
): Promise<void> {
  await db
    .insertInto('registration_progress')
    .values({ tenant_id: tenantId, event_id: event.id, participant_id: id, is_test_data, ...columns })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'event_id', 'participant_id']).doUpdateSet(columns))
    .execute()
}

const hashOfText = (body: string) => createHash('sha256').update(body).digest('hex')

/** Builds acceptance records for policies, each with a hash of the current policy text. */
export function toPolicyAcceptances(
  { config, at }: Pick<EventSnapshot, 'config' | 'at'>,
  agreed: ReadonlyMap<string, Pick<PolicyAcceptance, 'mode' | 'written'>>,
): Record<string, PolicyAcceptance> {
  const { policies } = indexConfigByCode(config)
  const texts = [...agreed].map(([code, { mode, written }]): [string, PolicyAcceptance] => [
    code,
    { at: at.toISOString(), mode, written, sha256: hashOfText(policies.get(code)?.body ?? '') },
  ])
  return Object.fromEntries(texts)
}

const isOutdated = (config: EventConfig, code: string, { sha256 }: PolicyAcceptance) => {
  const policy = indexConfigByCode(config).policies.get(code)
  return policy !== undefined && hashOfText(policy.body) !== sha256
}

/** Removes acceptances of older policy texts, so that the participant must accept the current text. */
function dropOutdatedAgreements(
  config: EventConfig,
  { policies }: StoredProgress,
  answers: Record<string, unknown>,
): Record<string, unknown> {
  for (const [code, agreed] of Object.entries(policies)) if (isOutdated(config, code, agreed)) delete answers[`@policy.${code}`]
  return answers
}

/**
 * Finds the group whose code the participant entered. Its tags apply as soon as the code is entered. Closed and unknown groups, and those
 * with a new join code, are reported when the code is read and when the registration is completed.
 */
async function findWantedGroup(
  ctx: RegistrationContext,
  answers: RegistrationProgress['answers'],
  { group_join_code }: Pick<StoredProgress, 'group_join_code'>,
): Promise<RegistrationProgress['group']> {
  const code = answers['@group.code']
  if (typeof code !== 'string') return null
  const row = await selectGroups(ctx)
    .where('code', '=', code.toLowerCase())
    .where('status', '<>', 'closed')
    .where('is_test_data', '=', ctx.event.testMode)
    .executeTakeFirst()
  return row && isJoinCodeValid(row, group_join_code) ? toGroupPayer(row) : null
}

/** Whether a page is finished: it was submitted and none of its required answers is missing. */
export const isPageFinished = ({ stored, walk }: RegistrationProgress, page: string): boolean =>
  stored.pages_done.includes(page) && !walk.missing.some((missing) => missing.page === page)

/** Finds the first page of the form that is not finished; null if all pages are finished. */
export const findFirstUnfinishedPage = (progress: RegistrationProgress): string | null =>
  progress.pages.find(({ code }) => !isPageFinished(progress, code))?.code ?? null

export const toRegistrationSubmission = ({
  snapshot,
  flow,
  row,
  answers,
  group,
  stored,
}: RegistrationProgress): RegistrationSubmission => ({
  snapshot,
  flow,
  answers,
  manualTags: row.manual_tags,
  directoryTags: row.directory_tags,
  source: row.source,
  participant: row,
  group,
  joinWaitlist: stored.waits.length > 0,
})
