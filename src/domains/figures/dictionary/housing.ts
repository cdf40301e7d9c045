import {
  choiceField,
  codeField,
  countryField,
  dayField,
  decimalField,
  defineQueryEntity,
  buildEventLocalTodaySql,
  instantField,
  integerField,
  buildLookupSql,
  defineToManyRelation,
  moneyField,
  defineToOneRelation,
  textField,
} from './define.ts'
import type { QueryEntity } from './types.ts'

const personal = { class: 'personal' } as const
const SELL_STATUSES = ['open', 'changes', 'changesSameType', 'closed'] as const

const ofContract = (column: string) => buildLookupSql(`hc.${column}`, 'housing_contracts hc', (row) => `hc.hotel_id = ${row}.id`)

/**
 * SQL for the status of a hotel's card security attestation, as in `getPciStatus`. A valid attestation ranks before a newer one that is
 * still in review, as in `selectEffectiveAttestation`.
 */
const pciStatus = (row: string): string => {
  const today = buildEventLocalTodaySql(row)
  const first = (condition = '') => `(array_agg(p.status order by p.created_at desc, p.id desc)${condition})[1]`
  const decided = first(` filter (where p.status <> 'received')`)
  return `coalesce((select case when ${first()} = 'received' and ${decided} in ('valid', 'expiring') then ${decided} else ${first()} end from (
    select case when pr.decision = 'rejected' or pr.result = 'nonCompliant' or not pr.property_covered then 'rejected'
      when pr.decision is null then 'received' when ${today} > (pr.assessed_on + interval '12 months')::date then 'expired'
      when (pr.assessed_on + interval '12 months')::date <= ${today} + 60 then 'expiring' else 'valid' end as status, pr.created_at, pr.id
    from hotel_pci_records pr join events he on he.tenant_id = pr.tenant_id and he.client_id = pr.client_id
    where pr.tenant_id = ${row}.tenant_id and he.id = ${row}.event_id and pr.hotel_ref = coalesce(${row}.catalog_ref, 'own:' || ${row}.id)
    ) p), 'missing')`
}

const hotel = defineQueryEntity({
  name: 'hotel',
  label: 'Hotels',
  rowIs: 'one hotel of the event',
  area: 'housing',
  source: 'event_hotels',
  noTestData: true,
  fields: {
    code: codeField('Code', 'code'),
    name: textField('Name', 'name'),
    city: textField('City', (row) => `${row}.address ->> 'city'`),
    country: countryField('Country', (row) => `${row}.address ->> 'country'`),
    stars: decimalField('Stars', 'stars'),
    sellStatus: choiceField('Sale', 'sell_status', SELL_STATUSES),
    contractStatus: choiceField('Contract', ofContract('status'), ['tentative', 'definite', 'cancelled'], { derived: true }),
    cutoffOn: dayField('Cutoff', ofContract('cutoff_on'), { derived: true, help: 'The last day on which rooms are sold' }),
    pciStatus: choiceField('Card security', pciStatus, ['missing', 'received', 'rejected', 'valid', 'expiring', 'expired'], {
      derived: true,
    }),
  },
  relations: { roomNights: defineToManyRelation('roomNight', 'hotel_id'), reservations: defineToManyRelation('reservation', 'hotel_id') },
})

/**
 * SQL for a sum over the room blocks of the same hotel, room type and night. The row of the night itself has only the numbers of rooms
 * outside of blocks.
 */
const inBlocks = (column: string) => (row: string) =>
  `coalesce(${buildLookupSql(
    `sum(bn.${column})`,
    'block_nights bn',
    (of) => `bn.hotel_id = ${of}.hotel_id and bn.room_type_code = ${of}.room_type_code and bn.night = ${of}.night`,
  )(row)}, 0)::int`

const roomNight = defineQueryEntity({
  name: 'roomNight',
  label: 'Room nights',
  rowIs: 'the rooms of one type, hotel and night',
  area: 'housing',
  source: `(select rn.tenant_id, rn.event_id, rn.hotel_id || ':' || rn.room_type_code || ':' || rn.night as id, rn.hotel_id, rn.room_type_code, rn.night,
  rn.original, rn.contracted, rn.returned, rn.allocated, rn.booked, rn.held, rn.rate_single, rn.rate_double from room_nights rn)`,
  noTestData: true,
  created: null,
  updated: null,
  fields: {
    roomTypeCode: codeField('Room type', 'room_type_code'),
    night: dayField('Night', 'night'),
    original: integerField('Originally contracted', 'original'),
    contracted: integerField('Contracted', 'contracted'),
    returned: integerField('Returned', 'returned'),
    allocated: integerField('Allocated to blocks', 'allocated'),
    held: integerField('Held', (row) => `(${row}.held + ${inBlocks('held')(row)})`, { derived: true }),
    freeSell: integerField(
      'Free for sale',
      (row) => `(${row}.contracted - ${row}.returned - ${row}.allocated - ${row}.booked - ${row}.held)`,
    ),
    pickup: integerField('Pickup', (row) => `(${row}.booked + ${inBlocks('booked')(row)})`, {
      derived: true,
      help: 'Nights that are confirmed or a no-show',
      synonyms: ['booked'],
    }),
    rateSingle: moneyField('Rate for one', 'rate_single'),
    rateDouble: moneyField('Rate for two', 'rate_double'),
  },
  one: { hotel: defineToOneRelation('hotel', 'hotel_id') },
})

const blockNight = defineQueryEntity({
  name: 'blockNight',
  label: 'Block nights',
  rowIs: 'the rooms of a block of one type, hotel and night',
  area: 'housing',
  source: `(select bk.tenant_id, bk.event_id, bk.block_id || ':' || bk.hotel_id || ':' || bk.room_type_code || ':' || bk.night as id, bk.block_id, bk.hotel_id,
  bk.room_type_code, bk.night, bk.rooms, bk.booked, bk.held from block_nights bk)`,
  noTestData: true,
  created: null,
  updated: null,
  fields: {
    roomTypeCode: codeField('Room type', 'room_type_code'),
    night: dayField('Night', 'night'),
    rooms: integerField('Rooms', 'rooms'),
    booked: integerField('Booked', 'booked'),
    held: integerField('Held', 'held'),
  },
  one: { block: defineToOneRelation('block', 'block_id'), hotel: defineToOneRelation('hotel', 'hotel_id') },
})

const reservation = defineQueryEntity({
  name: 'reservation',
  label: 'Hotel reservations',
  rowIs: 'one room of one participant',
  area: 'housing',
  source: 'reservations',
  fields: {
    ackNumber: codeField('Acknowledgement number', 'ack_number'),
    status: choiceField('Status', 'status', ['held', 'confirmed', 'cancelled', 'expired', 'noShow']),
    roomTypeCode: codeField('Room type', 'room_type_code'),
    checkIn: dayField('Check-in', 'check_in', { synonyms: ['arrival'] }),
    checkOut: dayField('Check-out', 'check_out', { synonyms: ['departure'] }),
    nights: integerField('Nights', (row) => `(${row}.check_out - ${row}.check_in)`),
    occupants: integerField('Occupants', 'occupants'),
    guests: textField(
      'Guests',
      (row) => `(select string_agg(rg.value ->> 'name', ', ') from jsonb_array_elements(${row}.guests) rg)`,
      personal,
    ),
    requests: textField('Requests for the hotel', 'requests', personal),
    loyaltyNumber: textField('Loyalty number', 'loyalty_number', personal),
    guaranteeKind: choiceField('Guarantee', 'guarantee_kind', ['none', 'card', 'deposit', 'master']),
    guaranteeStatus: choiceField('State of the guarantee', 'guarantee_status', ['notNeeded', 'pending', 'secured', 'failed']),
    stayTotal: moneyField('Total of the stay', 'stay_total'),
    hotelConfirmationNumber: codeField('Confirmation number of the hotel', 'hotel_confirmation_number'),
  },
  one: { hotel: defineToOneRelation('hotel', 'hotel_id'), participant: defineToOneRelation('participant', 'participant_id') },
  relations: { nights: defineToManyRelation('reservationNight', 'reservation_id') },
})

const reservationNight = defineQueryEntity({
  name: 'reservationNight',
  label: 'Nights of reservations',
  rowIs: 'one night of a reservation',
  area: 'housing',
  source: `(select rx.tenant_id, rx.event_id, rx.reservation_id || ':' || rx.night as id, rx.reservation_id, rx.night, rx.is_test_data, rx.participant_id, rx.hotel_id,
  rx.block_id, rx.rate, rx.status from reservation_nights rx)`,
  created: null,
  updated: null,
  fields: {
    night: dayField('Night', 'night'),
    status: choiceField('Status', 'status', ['held', 'confirmed', 'noShow']),
    rate: moneyField('Rate', 'rate'),
  },
  one: {
    reservation: defineToOneRelation('reservation', 'reservation_id'),
    block: defineToOneRelation('block', 'block_id'),
    hotel: defineToOneRelation('hotel', 'hotel_id'),
    participant: defineToOneRelation('participant', 'participant_id'),
  },
})

const ownedBy = (kind: string) => (row: string) => `case when ${row}.owner_kind = '${kind}' then ${row}.owner_ref end`

const block = defineQueryEntity({
  name: 'block',
  label: 'Room blocks',
  rowIs: 'one block of rooms',
  area: 'housing',
  source: 'room_blocks',
  noTestData: true,
  fields: {
    code: codeField('Code', 'code'),
    name: textField('Name', 'name'),
    status: choiceField('Status', 'status', ['active', 'closed']),
    owner: choiceField('Owner', 'owner_kind', ['group', 'company', 'tag', 'none']),
    releaseOn: dayField('Release', 'release_on', { help: 'Unbooked rooms go back to general sale after this day' }),
    nameDeadlineOn: dayField('Deadline for names', 'name_deadline_on'),
  },
  one: { group: defineToOneRelation('group', ownedBy('group')), company: defineToOneRelation('company', ownedBy('company')) },
  relations: { nights: defineToManyRelation('blockNight', 'block_id') },
})

const blockRequest = defineQueryEntity({
  name: 'blockRequest',
  label: 'Block requests',
  rowIs: 'one request for a block of rooms',
  area: 'housing',
  source: 'block_requests',
  fields: {
    number: codeField('Number', 'number'),
    status: choiceField('Status', 'status', ['draft', 'submitted', 'partiallyAllocated', 'allocated', 'accepted', 'declined', 'closed']),
    requested: integerField(
      'Room nights requested',
      (row) => `(select coalesce(sum((pn.value ->> 'rooms')::int), 0)::int from jsonb_array_elements(${row}.profile) pn)`,
    ),
    granted: integerField(
      'Room nights granted',
      (row) => `coalesce(${buildLookupSql('sum(gn.rooms)', 'block_nights gn', (of) => `gn.block_id = ${of}.block_id`)(row)}, 0)::int`,
      { derived: true },
    ),
    priorityPoints: decimalField('Priority points', (row, values) => `coalesce((${values} ->> ${row}.company_id)::numeric, 0)`, {
      computedFrom: 'companyPoints',
      derived: true,
      help: 'Points of the company; 0 for groups',
    }),
    acceptBy: dayField('Accept by', 'accept_by'),
  },
  one: {
    block: defineToOneRelation('block', 'block_id'),
    group: defineToOneRelation('group', 'group_id'),
    company: defineToOneRelation('company', 'company_id'),
  },
})

const hotelWaitlistEntry = defineQueryEntity({
  name: 'hotelWaitlistEntry',
  label: 'Waiting list for rooms',
  rowIs: "one participant's place on the waiting list for a room",
  area: 'housing',
  source: 'hotel_waitlist_entries',
  created: 'joined_at',
  updated: (row) => `coalesce(${row}.ended_at, ${row}.joined_at)`,
  fields: {
    status: choiceField('Status', 'status', ['waiting', 'offered', 'filled', 'removed']),
    position: integerField('Number in the queue', 'position'),
    checkIn: dayField('Check-in', 'check_in'),
    checkOut: dayField('Check-out', 'check_out'),
    offeredUntil: instantField('Offered until', 'offered_until'),
  },
  one: { participant: defineToOneRelation('participant', 'participant_id'), hotel: defineToOneRelation('hotel', 'hotel_id') },
})

export const HOUSING_ENTITIES: readonly QueryEntity[] = [
  hotel,
  roomNight,
  blockNight,
  reservation,
  reservationNight,
  block,
  blockRequest,
  hotelWaitlistEntry,
]
