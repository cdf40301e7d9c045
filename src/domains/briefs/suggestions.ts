import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { addDays, daysBetween } from '../../kernel/time.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import { listRoomNightCountsBySource, sumRoomNightCounts } from '../housing/summary/figures.ts'
import { buildPermittedEventSql } from '../tenancy/scope.ts'
import type { BriefAnswers, RoomsNeededOnNight } from './answers.ts'

/** The context in which answers of a brief are suggested. They are based on the client's previous event if the caller may see it. */
export type SuggestionScope = Pick<EventContext, 'db' | 'tenantId' | 'client' | 'access' | 'event'>

/** The client's previous event. */
export interface PreviousClientEvent {
  name: string
  startsOn: string
  attendees: number
  contracted: number
  pickupByNight: readonly { night: string; rooms: number }[]
}

/** Scales the rooms that were booked at the last event by the number of attendees, rounded up, and shifts the nights to the new dates. */
export function scaleRoomsToAttendees(last: PreviousClientEvent, to: { attendees: number; startsOn: string }): RoomsNeededOnNight[] {
  if (last.attendees === 0) return []
  const shift = daysBetween(last.startsOn, to.startsOn)
  return last.pickupByNight
    .filter(({ rooms }) => rooms > 0)
    .map(({ night, rooms }) => ({ night: addDays(night, shift), single: Math.ceil((rooms * to.attendees) / last.attendees) }))
    .toSorted((a, b) => (a.night < b.night ? -1 : 1))
}

/** Suggests answers to questions of the brief, from the event's configuration and the client's previous event. */
export async function suggestAnswers(ctx: SuggestionScope, answers: BriefAnswers): Promise<BriefAnswers> {
  const { config, facts } = await readDraftConfiguration(ctx)
  const last = await findLastEvent(ctx, facts.startsOn)
  const arrival = answers.preferredArrival ?? facts.startsOn
  const departure = answers.preferredDeparture ?? laterDay(arrival, facts.endsOn)
  const attendees = answers.attendees ?? config.details.capacity ?? (last && last.attendees > 0 ? last.attendees : null)
  const rooms =
    last && attendees !== null
      ? scaleRoomsToAttendees(last, { attendees, startsOn: facts.startsOn }).filter(({ night }) => night >= arrival && night < departure)
      : []
  const city = config.details.venue?.city ?? null
  return {
    ...(attendees === null ? {} : { attendees }),
    preferredArrival: arrival,
    preferredDeparture: departure,
    ...(city === null ? {} : { cities: [city] }),
    ...(rooms.length > 0 || config.housing.enabled ? { needRooms: true } : {}),
    ...(rooms.length > 0 ? { roomsByNight: rooms } : {}),
    currency: facts.currency,
    ...(last && last.contracted > 0
      ? { pastPickup: [{ event: last.name, contracted: last.contracted, pickup: sumRooms(last.pickupByNight) }] }
      : {}),
  }
}

const laterDay = (arrival: string, endsOn: string) => (endsOn > arrival ? endsOn : addDays(arrival, 1))
const sumRooms = (nights: PreviousClientEvent['pickupByNight']) => nights.reduce((sum, { rooms }) => sum + rooms, 0)

/** Finds the client's latest event that ended before this one starts, among those that the caller may see. */
async function findLastEvent(ctx: SuggestionScope, startsOn: string): Promise<PreviousClientEvent | null> {
  const { db, tenantId, event } = ctx
  const { rows } = await sql<{ id: string; name: string; starts_on: string; attendees: number }>`
    select e.id, e.name, e.starts_on, (
      select count(*)::integer from participants p
      where p.tenant_id = e.tenant_id and p.event_id = e.id and p.status = 'complete' and not p.is_test_data) as attendees
    from events e
    where e.id <> ${event.id} and e.ends_on < ${startsOn} and ${buildPermittedEventSql(ctx, 'housing.read')}
    order by e.ends_on desc, e.starts_on desc, e.id limit 1`.execute(db)
  const last = rows[0]
  if (!last) return null
  const pools = await listRoomNightCountsBySource({ db, tenantId, event: { id: last.id } })
  const pickupByNight = [...Map.groupBy(pools, ({ night }) => night)].map(([night, of]) => ({
    night,
    rooms: sumRoomNightCounts(of).pickup,
  }))
  return {
    name: last.name,
    startsOn: last.starts_on,
    attendees: last.attendees,
    contracted: sumRoomNightCounts(pools).contracted,
    pickupByNight,
  }
}

/** Returns the suggested answers to questions that have no answer yet. */
export const listMissingAnswerSuggestions = (suggested: BriefAnswers, answers: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(suggested).filter(([code]) => !Object.hasOwn(answers, code)))
