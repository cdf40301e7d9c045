import { createHash } from 'node:crypto'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Tables } from '../../kernel/columns.ts'
import { notFound } from '../../kernel/errors.ts'
import { type Connections, indexOf } from '../configuration/flow/collects.ts'
import { type Walk, type WalkedPage, walkFlow } from '../configuration/flow/walk.ts'
import type { EventConfig, Flow } from '../configuration/schema/event-config.ts'
import { connectionStates } from '../directories/states.ts'
import { groupsAt } from '../groups/groups.ts'
import { type ChosenRoom, chosenRoom } from '../housing/chosen-room.ts'
import { answersOf } from '../registration/answers.ts'
import { asPayer, givenTags, groupOf } from '../registration/own-group.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/people.ts'
import { type AtEvent, openScene, type Scene } from '../registration/scene.ts'
import type { Submission } from '../registration/submit.ts'
import type { Agreed } from './tables.ts'

const KEPT = ['pages_done', 'policies', 'method', 'pay_now', 'booth_request', 'waits', 'more_time', 'visit_id'] as const
type Kept = Pick<Selectable<Tables['registration_progress']>, (typeof KEPT)[number]>

/** A registration that somebody is filling in: who they are, what they answered, and what the flow shows them for it. */
export interface Progress {
  scene: Scene
  flow: Flow
  row: ParticipantRow
  kept: Kept
  answers: Readonly<Record<string, unknown>>
  /** The group they are in, or want to join. */
  group: NonNullable<Submission['group']> | null
  /** How to go on where a directory does not answer. */
  connections: Connections
  /** The room they chose, hold or have. */
  room: ChosenRoom | null
  walk: Walk
  /** What they are led through; the pages that end a flow are shown when it is over. */
  pages: readonly WalkedPage[]
}

const NOTHING_KEPT: Kept = {
  pages_done: [],
  policies: {},
  method: null,
  pay_now: null,
  booth_request: null,
  waits: [],
  more_time: false,
  visit_id: null,
}

/** Two tabs of one person, or a button pressed twice, are taken one after the other. Before any other lock, so that nobody waits in a circle. */
export async function oneAtATime({ db }: Pick<AtEvent, 'db'>, participantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`registration in progress ${participantId}`}::text, 0))`.execute(db)
}

/** Everything that their pages are decided by, as it is now. */
export async function progressOf(ctx: AtEvent, participantId: string): Promise<Progress> {
  const row = await getParticipant(ctx, participantId)
  const scene = await openScene(ctx)
  const flow = scene.config.flows.find(({ slug }) => slug === row.flow_slug)
  if (!flow) throw notFound('The form of this registration is not offered any more')
  const kept = await keptOf(ctx, row.id)
  const answers = withoutOldAgreements(scene.config, kept, answersOf(row))
  const group = (await groupOf(ctx, row)) ?? (await wantedGroup(ctx, answers))
  const room = await chosenRoom(ctx, scene, row.id, answers)
  return walked({ scene, flow, row, kept, group, room, connections: await failureRules(ctx, flow) }, answers)
}

/** What a connection gives to somebody who was found is kept with them; here it only says what follows when it is out. */
async function failureRules(ctx: AtEvent, flow: Flow): Promise<Connections> {
  const asks = flow.directory !== null || flow.pages.some(({ widgets }) => widgets.some(({ type }) => type === 'membershipLookup'))
  if (!asks) return {}
  const states = await connectionStates(ctx)
  return Object.fromEntries([...states].map(([code, { onFailure }]) => [code, { onFailure }]))
}

/** The same person with other answers. */
export function walked(progress: Omit<Progress, 'walk' | 'pages' | 'answers'>, answers: Progress['answers']): Progress {
  const { scene, flow, row, group, connections } = progress
  const tags = givenTags(row, group)
  const walk = walkFlow(scene.config, flow, { answers, tags, timezone: scene.timezone, now: scene.at, connections })
  const pages = walk.pages.filter(({ visible, widgets }) => visible && !widgets.some(({ terminal }) => terminal))
  return { ...progress, answers, walk, pages }
}

async function keptOf({ db, tenantId, event }: AtEvent, participantId: string): Promise<Kept> {
  const kept = await db
    .selectFrom('registration_progress')
    .select(KEPT)
    .where('tenant_id', '=', tenantId)
    .where('event_id', '=', event.id)
    .where('participant_id', '=', participantId)
    .executeTakeFirst()
  return kept ?? NOTHING_KEPT
}

export async function keepProgress(
  { db, tenantId, event }: AtEvent,
  { id, is_test_data }: Pick<ParticipantRow, 'id' | 'is_test_data'>,
  columns: Omit<Insertable<Tables['registration_progress']>, 'tenant_id' | 'event_id' | 'participant_id' | 'is_test_data'>,
): Promise<void> {
  await db
    .insertInto('registration_progress')
    .values({ tenant_id: tenantId, event_id: event.id, participant_id: id, is_test_data, ...columns })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'event_id', 'participant_id']).doUpdateSet(columns))
    .execute()
}

const hashOfText = (body: string) => createHash('sha256').update(body).digest('hex')

/** What was agreed to just now, by policy, with the text as it stands. */
export function agreementsOf(
  { config, at }: Pick<Scene, 'config' | 'at'>,
  agreed: ReadonlyMap<string, Pick<Agreed, 'mode' | 'written'>>,
): Record<string, Agreed> {
  const { policies } = indexOf(config)
  const texts = [...agreed].map(([code, { mode, written }]): [string, Agreed] => [
    code,
    { at: at.toISOString(), mode, written, sha256: hashOfText(policies.get(code)?.body ?? '') },
  ])
  return Object.fromEntries(texts)
}

const isOld = (config: EventConfig, code: string, { sha256 }: Agreed) => {
  const policy = indexOf(config).policies.get(code)
  return policy !== undefined && hashOfText(policy.body) !== sha256
}

/** Whoever agreed to another text than today's is asked again. */
function withoutOldAgreements(config: EventConfig, { policies }: Kept, answers: Record<string, unknown>): Record<string, unknown> {
  for (const [code, agreed] of Object.entries(policies)) if (isOld(config, code, agreed)) delete answers[`@policy.${code}`]
  return answers
}

/** Its tags count from the moment its code is given; one that is closed or unknown is told when the code is read. */
async function wantedGroup(ctx: AtEvent, answers: Progress['answers']): Promise<Progress['group']> {
  const code = answers['@group.code']
  if (typeof code !== 'string') return null
  const row = await groupsAt(ctx)
    .where('code', '=', code.toLowerCase())
    .where('status', '<>', 'closed')
    .where('is_test_data', '=', ctx.event.testMode)
    .executeTakeFirst()
  return row ? asPayer(row) : null
}

/** What keeps somebody on a page: it was never sent off, or something on it is not answered any more. */
export const isFinished = ({ kept, walk }: Progress, page: string): boolean =>
  kept.pages_done.includes(page) && !walk.missing.some((missing) => missing.page === page)

/** Null when all pages are done. */
export const firstUnfinished = (progress: Progress): string | null =>
  progress.pages.find(({ code }) => !isFinished(progress, code))?.code ?? null

/** What `submit` and its plan are given for them. */
export const submissionOf = ({ scene, flow, row, answers, group, kept }: Progress): Submission => ({
  scene,
  flow,
  answers,
  manualTags: row.manual_tags,
  directoryTags: row.directory_tags,
  source: row.source,
  participant: row,
  group,
  joinWaitlist: kept.waits.length > 0,
})
