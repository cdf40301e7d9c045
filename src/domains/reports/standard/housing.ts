import { sql } from 'kysely'
import { choice, code, day, integer, percent, text } from './columns.ts'
import { isCountedRow, belongsToEvent, sameEventCondition } from './conditions.ts'
import { defineReport, sumEquals } from './define.ts'
import { queryTable } from './query-table.ts'
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
        code('hotel', 'Hotel'),
        code('roomType', 'Room type'),
        day('night', 'Night'),
        integer('contracted', 'Contracted'),
        integer('returned', 'Returned'),
        integer('allocated', 'Allocated'),
        integer('held', 'Held'),
        integer('pickup', 'Pickup'),
        percent('pickupPercent', 'Pickup percent'),
        integer('freeSell', 'Free for sale'),
      ],
      totals: ['contracted', 'returned', 'allocated', 'held', 'pickup', 'freeSell'],
      checks: [sumEquals('pickup', 'housing.pickup'), sumEquals('contracted', 'housing.contracted')],
      read: (scope) =>
        scope.isTestData
          ? { rows: [] }
          : {
              // Only contracts in force have rooms to sell. get_housing_summary counts rooms in the same way.
              statement: sql`
                select h.code as hotel, r.room_type_code as "roomType", r.night, r.contracted, r.returned, r.allocated, (r.held + coalesce(b.held, 0))::int as held,
                  (r.booked + coalesce(b.booked, 0))::int as pickup, 100.0 * (r.booked + coalesce(b.booked, 0)) / nullif(r.contracted, 0) as "pickupPercent",
                  r.contracted - r.returned - r.allocated - r.booked - r.held as "freeSell"
                from room_nights r join event_hotels h on ${sameEventCondition('h', 'r')} and h.id = r.hotel_id
                join housing_contracts c on ${sameEventCondition('c', 'r')} and c.hotel_id = r.hotel_id and c.status = 'definite'
                left join (select n.hotel_id, n.room_type_code, n.night, sum(n.booked) as booked, sum(n.held) as held from block_nights n where ${belongsToEvent(scope, 'n')} group by 1, 2, 3) b
                  on b.hotel_id = r.hotel_id and b.room_type_code = r.room_type_code and b.night = r.night
                where ${belongsToEvent(scope, 'r')} and h.code = coalesce(${scope.values['hotelCode'] ?? null}::text, h.code)
                order by h.code, r.room_type_code, r.night`,
            },
    },
  ],
})

const roomingColumns = [
  code('ackNumber', 'Acknowledgement number'),
  text('guests', 'Guests', 'personal'),
  day('checkIn', 'Check-in'),
  day('checkOut', 'Check-out'),
  integer('nights', 'Nights'),
  code('roomType', 'Room type'),
  text('requests', 'Requests', 'personal'),
  choice('guarantee', 'Guarantee'),
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
        queryTable(scope, roomingColumns, {
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
        code('number', 'Number'),
        text('requester', 'Requester', 'identity'),
        integer('requested', 'Requested'),
        integer('granted', 'Granted'),
        integer('pickup', 'Pickup'),
        day('releaseOn', 'Release'),
        choice('status', 'Status'),
      ],
      totals: ['requested', 'granted', 'pickup'],
      read: (scope) => ({
        statement: sql`
          select q.number, q.requester_name as requester, coalesce((select sum((n.value ->> 'rooms')::int) from jsonb_array_elements(q.profile) n), 0)::int as requested,
            coalesce(b.rooms, 0)::int as granted, coalesce(b.booked, 0)::int as pickup, k.release_on as "releaseOn", q.status
          from block_requests q left join room_blocks k on ${sameEventCondition('k', 'q')} and k.id = q.block_id
          left join lateral (select sum(n.rooms) as rooms, sum(n.booked) as booked from block_nights n where ${sameEventCondition('n', 'q')} and n.block_id = q.block_id) b on true
          where ${isCountedRow(scope, 'q')} order by q.status, q.number nulls last, q.id`,
      }),
    },
  ],
})

export const HOUSING_REPORTS: readonly StandardReport[] = [pickup, rooming, blockRequests]
