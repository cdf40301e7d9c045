import { sql } from 'kysely'
import { choiceColumn, codeColumn, dayColumn, integerColumn, percentColumn, textColumn } from './columns.ts'
import { buildReportRowCondition, buildEventRowCondition, buildSameEventCondition } from './conditions.ts'
import { defineReport, defineSumEqualsMetricCheck } from './define.ts'
import { readEntityTable } from './query-table.ts'
import type { StandardReport } from './types.ts'

const housing = { category: 'housing', needs: 'housing.read' } as const
const hotelParameter = (required: boolean) => ({ name: 'hotelCode', type: 'code', label: 'Hotel', required }) as const

const pickup = defineReport({
  ...housing,
  code: 'housing-pickup',
  name: 'Housing pickup',
  description: 'Contracted, returned, allocated, held, picked up and free rooms of every hotel, room type and night.',
  parameters: [hotelParameter(false)],
  tables: [
    {
      columns: [
        codeColumn('hotel', 'Hotel'),
        codeColumn('roomType', 'Room type'),
        dayColumn('night', 'Night'),
        integerColumn('contracted', 'Contracted'),
        integerColumn('returned', 'Returned'),
        integerColumn('allocated', 'Allocated'),
        integerColumn('held', 'Held'),
        integerColumn('pickup', 'Pickup'),
        percentColumn('pickupPercent', 'Pickup percent'),
        integerColumn('freeSell', 'Free for sale'),
      ],
      totals: ['contracted', 'returned', 'allocated', 'held', 'pickup', 'freeSell'],
      checks: [defineSumEqualsMetricCheck('pickup', 'housing.pickup'), defineSumEqualsMetricCheck('contracted', 'housing.contracted')],
      read: (scope) =>
        scope.isTestData
          ? { rows: [] }
          : {
              // Only contracts in force have rooms to sell. get_housing_summary counts rooms in the same way.
              statement: sql`
                select h.code as hotel, r.room_type_code as "roomType", r.night, r.contracted, r.returned, r.allocated, (r.held + coalesce(b.held, 0))::int as held,
                  (r.booked + coalesce(b.booked, 0))::int as pickup, 100.0 * (r.booked + coalesce(b.booked, 0)) / nullif(r.contracted, 0) as "pickupPercent",
                  r.contracted - r.returned - r.allocated - r.booked - r.held as "freeSell"
                from room_nights r join event_hotels h on ${buildSameEventCondition('h', 'r')} and h.id = r.hotel_id
                join housing_contracts c on ${buildSameEventCondition('c', 'r')} and c.hotel_id = r.hotel_id and c.status = 'definite'
                left join (select n.hotel_id, n.room_type_code, n.night, sum(n.booked) as booked, sum(n.held) as held from block_nights n where ${buildEventRowCondition(scope, 'n')} group by 1, 2, 3) b
                  on b.hotel_id = r.hotel_id and b.room_type_code = r.room_type_code and b.night = r.night
                where ${buildEventRowCondition(scope, 'r')} and h.code = coalesce(${scope.values['hotelCode'] ?? null}::text, h.code)
                order by h.code, r.room_type_code, r.night`,
            },
    },
  ],
})

const roomingColumns = [
  codeColumn('ackNumber', 'Acknowledgement number'),
  textColumn('guests', 'Guests', 'personal'),
  dayColumn('checkIn', 'Check-in'),
  dayColumn('checkOut', 'Check-out'),
  integerColumn('nights', 'Nights'),
  codeColumn('roomType', 'Room type'),
  textColumn('requests', 'Requests', 'personal'),
  choiceColumn('guarantee', 'Guarantee'),
]

const rooming = defineReport({
  ...housing,
  code: 'rooming-list',
  name: 'Rooming list',
  description: 'The confirmed rooms of a hotel: guests, nights, room type, requests and guarantee.',
  parameters: [hotelParameter(true)],
  tables: [
    {
      columns: roomingColumns,
      totals: ['nights'],
      read: (scope) =>
        readEntityTable(scope, roomingColumns, {
          entity: 'reservation',
          paths: {
            ackNumber: 'ackNumber',
            guests: 'guests',
            checkIn: 'checkIn',
            checkOut: 'checkOut',
            nights: 'nights',
            roomType: 'roomTypeCode',
            requests: 'requests',
            guarantee: 'guaranteeStatus',
          },
          filter: [
            { field: 'hotel.code', op: 'equals', value: scope.values['hotelCode'] },
            { field: 'status', op: 'in', value: ['confirmed', 'noShow'] },
          ],
          orderBy: ['checkIn', 'ackNumber'],
        }),
    },
  ],
})

const blockRequests = defineReport({
  ...housing,
  code: 'block-requests',
  name: 'Block requests',
  description: 'Requests for blocks of rooms: requested, granted and picked up room nights, release day and status.',
  tables: [
    {
      columns: [
        codeColumn('number', 'Number'),
        textColumn('requester', 'Requester', 'identity'),
        integerColumn('requested', 'Requested'),
        integerColumn('granted', 'Granted'),
        integerColumn('pickup', 'Pickup'),
        dayColumn('releaseOn', 'Release'),
        choiceColumn('status', 'Status'),
      ],
      totals: ['requested', 'granted', 'pickup'],
      read: (scope) => ({
        statement: sql`
          select q.number, q.requester_name as requester, coalesce((select sum((n.value ->> 'rooms')::int) from jsonb_array_elements(q.profile) n), 0)::int as requested,
            coalesce(b.rooms, 0)::int as granted, coalesce(b.booked, 0)::int as pickup, k.release_on as "releaseOn", q.status
          from block_requests q left join room_blocks k on ${buildSameEventCondition('k', 'q')} and k.id = q.block_id
          left join lateral (select sum(n.rooms) as rooms, sum(n.booked) as booked from block_nights n where ${buildSameEventCondition('n', 'q')} and n.block_id = q.block_id) b on true
          where ${buildReportRowCondition(scope, 'q')} order by q.status, q.number nulls last, q.id`,
      }),
    },
  ],
})

export const HOUSING_REPORTS: readonly StandardReport[] = [pickup, rooming, blockRequests]
