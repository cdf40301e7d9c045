import { CompiledQuery } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import { REST_ENTITIES, type EntityName } from '../entities/catalogue.ts'
import { readEntityObjectsById } from '../entities/represent.ts'

/** A record as webhook messages represent it. */
export type WebhookObject = Record<string, unknown> & { revision?: number; isTestData?: true }

export interface WebhookObjectRequest {
  tenantId: number
  /** The id of the event or client that the record belongs to. */
  placeId: string
  entity: string
  ids: readonly string[]
  sensitiveData: boolean
}

const ENTITY_NAMES: ReadonlySet<string> = new Set(REST_ENTITIES.map(({ name }) => name))

/**
 * Reads the current state of records by id: as the REST API represents them or, for records without a REST path, as the organizer tools
 * list them.
 */
export async function readWebhookObjects(
  db: Db,
  { tenantId, placeId, entity, ids, sensitiveData }: WebhookObjectRequest,
): Promise<Map<string, WebhookObject>> {
  if (ENTITY_NAMES.has(entity)) return readEntityObjectsById(db, entity as EntityName, tenantId, ids, { placeId, sensitiveData })
  const record = RECORD_QUERIES[entity]
  if (!record) throw new Error(`unknown entity: ${entity}`)
  const { rows } = await db.executeQuery<{ id: string; object: WebhookObject }>(
    CompiledQuery.raw(buildStatement(record), [tenantId, placeId, ids]),
  )
  return new Map(rows.map(({ id, object }) => [id, object]))
}

/**
 * SQL that reads a record which has no REST path. It can use the aliases `r` (row of the record), `e` (its event) and the joined tables.
 */
interface RecordQuery {
  table: string
  /** SQL expression for the id of a record whose table has no id column. */
  id?: string
  joins?: string
  fields: Record<string, string>
}

const buildStatement = ({ table, id = 'r.id', joins = '', fields }: RecordQuery) => `
select ${id} as id, json_build_object('id', ${id}, ${Object.entries(fields)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')}) as object
from ${table} r join events e on e.tenant_id = r.tenant_id and e.id = r.event_id ${joins}
where r.tenant_id = $1 and r.event_id = $2 and ${id} = any($3)`

const joinByKey = (table: string, alias: string, column: string, kind = 'join') =>
  `${kind} ${table} ${alias} on ${alias}.tenant_id = r.tenant_id and ${alias}.event_id = r.event_id and ${alias}.id = r.${column}`

const money = (column: string) => `money_shown(r.${column}, e.currency)`
const instant = (column: string) => `instant_shown(r.${column})`
const orderNumber = { joins: joinByKey('orders', 'o', 'order_id'), fields: { orderId: 'r.order_id', orderNumber: 'o.number' } }

const company = `case when k.id is not null then json_build_object('id', k.id, 'code', k.code, 'name', k.name) end`

const RECORD_QUERIES: Record<string, RecordQuery> = {
  award: {
    table: 'awards',
    fields: {
      rfpId: 'r.rfp_id',
      status: 'r.status',
      total: 'money_shown(r.total, r.currency)',
      suppliers: `(select json_agg(line ->> 'supplierId') from jsonb_array_elements(r.lines) as line)`,
      executedAt: instant('executed_at'),
      revision: 'r.revision',
    },
  },
  contract: {
    table: 'supplier_contracts',
    fields: {
      number: 'r.number',
      status: 'r.status',
      awardId: 'r.award_id',
      supplierId: 'r.supplier_id',
      version: 'r.current_version',
      executedOn: 'r.executed_on',
      finalSha256: 'r.final_sha256',
      revision: 'r.revision',
    },
  },
  invoice: {
    table: 'invoices',
    joins: orderNumber.joins,
    fields: {
      number: 'r.number',
      kind: 'r.kind',
      ...orderNumber.fields,
      billTo: 'r.bill_to',
      issuedAt: instant('issued_at'),
      dueOn: 'r.due_on',
      net: money('net'),
      tax: money('tax'),
      total: money('total'),
      paid: money('paid'),
      credited: money('credited'),
      writtenOff: money('written_off'),
      balance: money('balance'),
      status: 'r.status',
    },
  },
  payment: {
    table: 'payments',
    joins: `${orderNumber.joins} ${joinByKey('invoices', 'i', 'invoice_id', 'left join')}`,
    fields: {
      ...orderNumber.fields,
      invoiceNumber: 'i.number',
      method: 'r.method',
      amount: money('amount'),
      receivedAt: instant('received_at'),
      reference: 'r.reference',
      receiptNumber: 'r.receipt_number',
    },
  },
  refund: {
    table: 'refunds',
    joins: orderNumber.joins,
    fields: {
      ...orderNumber.fields,
      paymentId: 'r.payment_id',
      method: 'r.method',
      amount: money('amount'),
      refundedAt: instant('refunded_at'),
      reference: 'r.reference',
      receiptNumber: 'r.receipt_number',
    },
  },
  charge: {
    table: 'charges',
    joins: joinByKey('orders', 'o', 'order_id', 'left join'),
    fields: {
      ...orderNumber.fields,
      participantId: 'r.participant_id',
      status: 'r.status',
      failureCode: 'r.failure_code',
      amount: 'money_shown(r.amount, r.currency)',
      createdAt: instant('created_at'),
    },
  },
  waitlistEntry: {
    table: 'waitlist_entries',
    fields: {
      participantId: 'r.participant_id',
      target: 'r.target',
      quantity: 'r.quantity',
      status: 'r.status',
      position: 'r.position',
      offeredUntil: instant('offered_until'),
      joinedAt: instant('joined_at'),
    },
  },
  sessionEnrolment: {
    table: 'session_enrolments',
    id: `r.session_id || ':' || r.participant_id`,
    joins: joinByKey('sessions', 's', 'session_id'),
    fields: {
      participantId: 'r.participant_id',
      sessionId: 'r.session_id',
      session: 's.title',
      status: 'r.status',
      position: 'r.position',
      revision: 'r.revision',
    },
  },
  // The decision on a submission is left out until the submitter is informed of it.
  submission: {
    table: 'submissions',
    fields: {
      number: 'r.number',
      title: 'r.title',
      status: 'r.status',
      trackCode: 'coalesce(r.decided_track_code, r.track_code)',
      formatCode: 'coalesce(r.decided_format_code, r.format_code)',
      submittedAt: instant('submitted_at'),
      informedAt: instant('informed_at'),
      revision: 'r.revision',
    },
  },
  hotelWaitlistEntry: {
    table: 'hotel_waitlist_entries',
    joins: joinByKey('event_hotels', 'h', 'hotel_id', 'left join'),
    fields: {
      participantId: 'r.participant_id',
      hotelId: 'r.hotel_id',
      hotelName: 'h.name',
      roomTypeCode: 'r.room_type_code',
      checkIn: 'r.check_in',
      checkOut: 'r.check_out',
      occupants: 'r.occupants',
      status: 'r.status',
      position: 'r.position',
      offeredUntil: instant('offered_until'),
      joinedAt: instant('joined_at'),
    },
  },
  application: {
    table: 'booth_applications',
    joins: joinByKey('companies', 'k', 'company_id'),
    fields: {
      number: 'r.number',
      company,
      status: 'r.status',
      wanted: 'r.wanted',
      points: 'r.points',
      submittedAt: instant('submitted_at'),
      offer: `case when r.offer_until is not null then json_build_object('boothIds', r.offer_booth_ids,
        'amount', ${money('offer_amount')}, 'until', ${instant('offer_until')}, 'sentAt', ${instant('offer_sent_at')}) end`,
      assigned: `coalesce((select json_agg(b.number order by b.number) from booth_assignments a
        join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
        where a.tenant_id = r.tenant_id and a.event_id = r.event_id and a.company_id = r.company_id and a.application_id = r.id and a.until is null), '[]')`,
      revision: 'r.revision',
    },
  },
  booth: {
    table: 'booths',
    joins: `${joinByKey('floor_plans', 'f', 'floor_plan_id')}
      left join booth_assignments a on a.tenant_id = r.tenant_id and a.event_id = r.event_id and a.booth_id = r.id and a.until is null
      left join companies k on k.tenant_id = a.tenant_id and k.event_id = a.event_id and k.id = a.company_id`,
    fields: {
      number: 'r.number',
      floorPlanCode: 'f.code',
      status: 'r.status',
      sizeCode: 'r.size_code',
      zoneCode: 'r.zone_code',
      company,
      heldUntil: instant('held_until'),
      revision: 'r.revision',
    },
  },
  appointment: {
    table: 'appointments',
    joins: joinByKey('companies', 'k', 'company_id', 'left join'),
    fields: {
      kind: 'r.kind',
      status: 'r.status',
      participantId: 'r.participant_id',
      withParticipantId: 'r.with_participant_id',
      companyId: 'r.company_id',
      company: 'k.name',
      startsAt: instant('starts_at'),
      endsAt: instant('ends_at'),
      location: 'r.location',
      message: 'r.message',
      cancelReason: 'r.cancel_reason',
      revision: 'r.revision',
    },
  },
  block: {
    table: 'room_blocks',
    fields: {
      code: 'r.code',
      name: 'r.name',
      owner: `json_build_object('kind', r.owner_kind, 'ref', r.owner_ref)`,
      status: 'r.status',
      sellStatus: 'r.sell_status',
      overflow: 'r.overflow',
      releaseOn: 'r.release_on',
      nights: `coalesce((select json_agg(json_build_object('hotelId', n.hotel_id, 'roomTypeCode', n.room_type_code, 'night', n.night, 'rooms', n.rooms)
        order by n.hotel_id, n.room_type_code, n.night) from block_nights n
        where n.tenant_id = r.tenant_id and n.event_id = r.event_id and n.block_id = r.id), '[]')`,
      revision: 'r.revision',
    },
  },
  // Responses to an RFP may be sealed, so messages contain only their ids.
  rfpResponse: {
    table: 'rfp_responses',
    fields: { rfpId: 'r.rfp_id', recipientId: 'r.recipient_id', supplierId: 'r.supplier_id' },
  },
  // No messages are sent about anonymous survey responses.
  surveyResponse: {
    table: 'survey_responses',
    joins: joinByKey('participants', 'p', 'participant_id', 'left join'),
    fields: {
      surveyCode: 'r.survey_code',
      status: 'r.status',
      completedAt: instant('completed_at'),
      participant: `case when p.id is not null then json_build_object('id', p.id, 'name', nullif(concat_ws(' ', p.first_name, p.last_name), ''), 'email', p.email) end`,
      sessionId: 'r.session_id',
      flowSlug: 'r.flow_slug',
      tags: 'r.tags',
      answers: `coalesce((select json_object_agg(a.question_code, coalesce(to_json(a.rating), to_json(a.nps), to_json(a.choice), to_json(a.choices), to_json(a.text))
        order by a.question_code) from survey_answers a
        where a.tenant_id = r.tenant_id and a.event_id = r.event_id and a.response_id = r.id), '{}')`,
    },
  },
  email: {
    table: 'messages',
    fields: {
      to: 'r.to_address',
      subject: 'r.subject',
      emailCode: 'r.email_code',
      status: 'r.status',
      queuedAt: instant('queued_at'),
      sentAt: instant('sent_at'),
    },
  },
}
