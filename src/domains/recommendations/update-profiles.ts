import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { RecurringTask, RecurringTaskContext } from '../../kernel/recurring.ts'
import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { readDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { listEnrolledSessions } from '../sessions/enrolments.ts'
import { type RecommendationScope, updateRecommendationCounts, listCountKeysOfParticipant } from './counts.ts'
import { type ComparableParticipant, type ParticipantMatchingFacts, buildParticipantMatchingFacts } from './facts.ts'
import { writeInvertedIndex } from './postings.ts'

const PEOPLE_PER_BATCH = 200

/** Updates the recommendation data of changed participants within a few seconds after the change. */
export const updateProfilesTask: RecurringTask = {
  name: 'recommendations',
  schedule: { everySeconds: 10 },
  run: (given) => updateChangedProfiles(given),
}

export async function updateChangedProfiles({ transact, log }: Pick<RecurringTaskContext, 'transact' | 'log'>): Promise<void> {
  for (const at of await transact(changedEvents)) {
    try {
      while (await transact((db) => updateNextBatch({ db, tenantId: at.tenantId, event: { id: at.id, code: at.code } })))
        await yieldToEventLoop()
    } catch (error) {
      log.error('updating recommendations failed', { tenant: String(at.tenantId), event: at.id, error: (error as Error).message })
    }
  }
}

async function changedEvents(db: Db) {
  const { rows } = await sql<{ tenantId: number; id: string; code: string }>`
    select e.tenant_id as "tenantId", e.id, e.code from events e
    where exists (select from recommendation_changes c where c.tenant_id = e.tenant_id and c.event_id = e.id)
      or exists (select from recommendation_work w where w.tenant_id = e.tenant_id and w.event_id = e.id and w.done_up_to is not null)
    order by 1, 2`.execute(db)
  return rows
}

/** Processes one batch of participants in one transaction. Returns false if no participants are left or another process holds the lock. */
async function updateNextBatch(at: RecommendationScope): Promise<boolean> {
  const work = await lockWork(at)
  if (!work) return false
  const changed = await takeChanges(at)
  const doneUpTo = changed.includes(null) ? '' : work.done_up_to
  const named = changed.filter((id) => id !== null)
  const next = doneUpTo === null ? [] : await listPeopleAfter(at, doneUpTo)
  const ids = [...new Set([...named, ...next])]
  if (ids.length > 0) await writeProfiles(at, ids)
  const up = next.length < PEOPLE_PER_BATCH ? null : next.at(-1)!
  await sql`
    update recommendation_work set done_up_to = ${up}
    where tenant_id = ${at.tenantId} and event_id = ${at.event.id}`.execute(at.db)
  return changed.length === PEOPLE_PER_BATCH || up !== null
}

async function lockWork(ctx: RecommendationScope) {
  await sql`
    insert into recommendation_work (tenant_id, event_id) values (${ctx.tenantId}, ${ctx.event.id}) on conflict do nothing`.execute(ctx.db)
  return eventDb(ctx).selectFrom('recommendation_work').select('done_up_to').forUpdate().skipLocked().executeTakeFirst()
}

async function takeChanges({ db, tenantId, event }: RecommendationScope): Promise<(string | null)[]> {
  const { rows } = await sql<{ participantId: string | null }>`
    delete from recommendation_changes where tenant_id = ${tenantId} and event_id = ${event.id} and id in (
      select id from recommendation_changes where tenant_id = ${tenantId} and event_id = ${event.id} order by id limit ${PEOPLE_PER_BATCH})
    returning participant_id as "participantId"`.execute(db)
  return rows.map(({ participantId }) => participantId)
}

async function listPeopleAfter(ctx: RecommendationScope, after: string): Promise<string[]> {
  const rows = await eventDb(ctx)
    .selectFrom('participants')
    .select('id')
    .where('id', '>', after)
    .where('status', '=', 'complete')
    .where('is_test_data', '=', false)
    .orderBy('id')
    .limit(PEOPLE_PER_BATCH)
    .execute()
  return rows.map(({ id }) => id)
}

async function writeProfiles(at: RecommendationScope, ids: readonly string[]): Promise<void> {
  const draft = await readDraftConfiguration(at)
  const { config, facts: event } = (await readLiveConfiguration(at, draft)) ?? draft
  const before = await readProfiles(at, ids)
  const now = await readPeople(at, config, event.locale, ids)
  const removed = before.filter(({ participant_id }) => !now.has(participant_id)).map(({ participant_id }) => participant_id)
  const persons = new Map(before.map(({ participant_id, person }) => [participant_id, person]))
  for (const { participantId, person } of await upsertProfiles(at, [...now.values()])) persons.set(participantId, person)
  await updateRecommendationCounts(at, [...now.values()].flatMap(listCountKeysOfParticipant), before.flatMap(listCountKeysOfParticipant))
  await sql`
    delete from recommendation_profiles where tenant_id = ${at.tenantId} and event_id = ${at.event.id} and participant_id = any(${removed})`.execute(
    at.db,
  )
  await writeInvertedIndex(
    at,
    [...persons].map(([id, person]) => ({ person, shown: now.get(id)?.visible ? now.get(id)! : null })),
  )
}

const readProfiles = (ctx: RecommendationScope, ids: readonly string[]) =>
  eventDb(ctx)
    .selectFrom('recommendation_profiles')
    .select(['participant_id', 'person', 'interests', 'products', 'terms'])
    .where('participant_id', '=', sql<string>`any(${ids})`)
    .execute()

interface ProfiledPerson extends ParticipantMatchingFacts {
  id: string
  visible: boolean
}

/** Reads the registered participants among these ids, with their current answers and products. */
async function readPeople(at: RecommendationScope, config: EventConfig, locale: string, ids: readonly string[]) {
  const { rows } = await sql<ComparableParticipant & { id: string; visible: boolean; held: string[] }>`
    select p.id, p.visible_to_participants as visible, p.job_title, p.department, p.bio, p.company, p.custom_field_responses, p.sharing,
      array(
        select l.product_code from order_lines l
        where l.tenant_id = p.tenant_id and l.event_id = p.event_id and l.participant_id = p.id and l.kind in ('sale', 'credit')
        group by l.product_code having sum(l.quantity) > 0) as held
    from participants p
    where p.tenant_id = ${at.tenantId} and p.event_id = ${at.event.id} and p.id = any(${ids}) and p.status = 'complete' and not p.is_test_data`.execute(
    at.db,
  )
  const heard = await listEnrolledSessions(at, ids)
  const people = new Map<string, ProfiledPerson>()
  for (const { id, visible, held, ...row } of rows) {
    people.set(id, { id, visible, ...buildParticipantMatchingFacts(config, locale, row, { held, heard: heard.get(id) }) })
    await yieldToEventLoop()
  }
  return people
}

async function upsertProfiles({ db, tenantId, event }: RecommendationScope, people: readonly ProfiledPerson[]) {
  if (people.length === 0) return []
  return db
    .insertInto('recommendation_profiles')
    .values(
      people.map(({ id, terms, ...facts }) => ({
        ...facts,
        terms: JSON.stringify(terms),
        tenant_id: tenantId,
        event_id: event.id,
        participant_id: id,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'event_id', 'participant_id']).doUpdateSet((eb) => ({
        visible: eb.ref('excluded.visible'),
        interests: eb.ref('excluded.interests'),
        sessions: eb.ref('excluded.sessions'),
        products: eb.ref('excluded.products'),
        terms: eb.ref('excluded.terms'),
        company: eb.ref('excluded.company'),
      })),
    )
    .returning(['participant_id as participantId', 'person'])
    .execute()
}
