import { sql } from 'kysely'
import { eventDb, tenantDb } from '../../../kernel/scoped-db.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../../configuration/read.ts'
import type { EventEmailContext } from './email-context.ts'
import { readHeldProductQuantities, readOrdersForEmails, type OrderForEmails } from './order.ts'
import type { EmailParticipantRow } from './person.ts'

/** The stored data that several emails show about their recipients, read together. */
export interface EventDataForEmails {
  configurationOf: (isTestData: boolean) => Promise<Configuration>
  /** The order that the email is about: the order that the caller names, otherwise the participant's own order. */
  orderOf: (mail: Subject) => OrderForEmails | null
  heldBy: (participant: EmailParticipantRow | null) => ReadonlyMap<string, number>
  groupOf: (participant: EmailParticipantRow | null) => { name: string; code: string } | null
  client: { name: string; billing: { legalName?: string | undefined; address?: string | undefined } }
}

interface Subject {
  participant: EmailParticipantRow | null
  orderId?: string | undefined
}

/** Reads the data that emails of one event show, with a fixed number of queries for any number of emails. */
export async function readEventDataForEmails(ctx: EventEmailContext, mails: readonly Subject[]): Promise<EventDataForEmails> {
  const draft = await readDraftConfiguration(ctx)
  let live: Promise<Configuration | null> | undefined
  const orderIds = [...new Set(mails.flatMap(({ orderId }) => orderId ?? []))]
  const ownOrders = mails.flatMap(({ participant, orderId }) => (orderId === undefined && participant ? [participant.id] : []))
  const named = new Map((await readOrdersForEmails(ctx, { column: 'id', ids: orderIds })).map((one) => [one.order.id, one]))
  const own = new Map(
    (await readOrdersForEmails(ctx, { column: 'participant_id', ids: [...new Set(ownOrders)] })).map((one) => [
      one.order.participant_id,
      one,
    ]),
  )
  const people = mails.flatMap(({ participant }) => participant ?? [])
  const held = await readHeldProductQuantities(ctx, [...new Set(people.map(({ id }) => id))])
  const groups = await readGroups(ctx, [...new Set(people.flatMap(({ group_id }) => group_id ?? []))])
  const client = await tenantDb(ctx)
    .selectFrom('clients')
    .select(['name', 'billing'])
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  return {
    // Emails about test data use the draft, from which test data is created; all other emails use the published version.
    configurationOf: async (isTestData) => (isTestData ? draft : ((await (live ??= readLiveConfiguration(ctx, draft))) ?? draft)),
    orderOf: ({ participant, orderId }) => (orderId === undefined ? own.get(participant?.id ?? '') : named.get(orderId)) ?? null,
    heldBy: (participant) => held.get(participant?.id ?? '') ?? new Map(),
    groupOf: (participant) => groups.get(participant?.group_id ?? '') ?? null,
    client,
  }
}

async function readGroups(ctx: EventEmailContext, ids: readonly string[]): Promise<ReadonlyMap<string, { name: string; code: string }>> {
  if (ids.length === 0) return new Map()
  const groups = await eventDb(ctx)
    .selectFrom('managed_groups')
    .select(['id', 'name', 'code'])
    .where('id', '=', sql<string>`any(${ids})`)
    .execute()
  return new Map(groups.map(({ id, name, code }) => [id, { name, code }]))
}
