import { BOOTH_TYPES } from '../../exhibitors/floor/booth-figures.ts'
import {
  choiceField,
  codeField,
  countryField,
  decimalField,
  defineQueryEntity,
  idField,
  instantField,
  integerField,
  listField,
  buildLookupSql,
  defineToManyRelation,
  moneyField,
  defineToOneRelation,
  textField,
} from './define.ts'
import type { QueryEntity } from './types.ts'

const identity = { class: 'identity' } as const
const personal = { class: 'personal' } as const
const SQUARE_TENTHS_PER_M2 = 100_000_000

/** SQL for the area of a polygon in square metres, by the shoelace formula. Coordinates are in tenths of millimetres. */
export const buildPolygonAreaSql = (
  polygon: string,
): string => `(select round((abs(sum(pt.x * pt.ny - pt.nx * pt.y)) / 2 / ${SQUARE_TENTHS_PER_M2})::numeric, 8)
  from (select vx.x, vx.y, coalesce(lead(vx.x) over (order by vx.n), first_value(vx.x) over (order by vx.n)) as nx,
    coalesce(lead(vx.y) over (order by vx.n), first_value(vx.y) over (order by vx.n)) as ny
    from (select (pv.value ->> 0)::float8 as x, (pv.value ->> 1)::float8 as y, pv.n from jsonb_array_elements(${polygon}) with ordinality as pv(value, n)) vx) pt)`

/** SQL for an aggregate, such as a sum, over the booths that a company currently has. */
const ofBooths = (select: string) => (row: string) =>
  `(select ${select} from booth_assignments ba join booths bb on bb.tenant_id = ba.tenant_id and bb.event_id = ba.event_id and bb.id = ba.booth_id
  where ba.tenant_id = ${row}.tenant_id and ba.event_id = ${row}.event_id and ba.company_id = ${row}.id and ba.until is null)`

const ofLeads = (select: string) => buildLookupSql(select, 'leads cl', (row) => `cl.company_id = ${row}.id and cl.status = 'active'`)

const company = defineQueryEntity({
  name: 'company',
  label: 'Exhibitors',
  rowIs: 'one exhibiting company',
  area: 'exhibitors',
  source: 'companies',
  fields: {
    code: codeField('Code', 'code'),
    name: textField('Name', 'name'),
    status: choiceField('Status', 'status', ['prospect', 'invited', 'active', 'cancelled']),
    country: countryField('Country', 'country'),
    categories: listField('Categories', 'categories'),
    sponsorLevel: codeField('Sponsor level', 'sponsor_level'),
    sponsorAmount: moneyField('Sponsor amount', 'sponsor_amount'),
    contactName: textField('Contact', 'contact_name', identity),
    contactEmail: textField('Email of the contact', 'contact_email', identity),
    contactPhone: textField('Phone of the contact', 'contact_phone', personal),
    booths: integerField('Booths', ofBooths('count(*)::int'), {
      derived: true,
      help: 'Booths that the company has now',
      synonyms: ['stands'],
    }),
    areaM2: decimalField('Area in m²', ofBooths(`coalesce(sum(${buildPolygonAreaSql('bb.polygon')}), 0)`), { derived: true }),
    leads: integerField('Leads', ofLeads('count(*)::int'), { derived: true }),
    captures: integerField('Captures', ofLeads('coalesce(sum(cl.captures), 0)::int'), { derived: true, help: 'Scans of the active leads' }),
    devices: integerField(
      'Devices',
      buildLookupSql('count(*)::int', 'lead_devices cd', (row) => `cd.company_id = ${row}.id and cd.status = 'active'`),
      { derived: true },
    ),
    points: decimalField(
      'Priority points',
      (row) => `(select ca.points from booth_applications ca where ca.tenant_id = ${row}.tenant_id and ca.event_id = ${row}.event_id
        and ca.company_id = ${row}.id and ca.points is not null order by ca.updated_at desc, ca.id desc limit 1)`,
      { derived: true, help: 'Frozen when a proposal of booths was applied' },
    ),
    organizationId: idField('Organization id', 'organization_id', { help: 'The company across the events of the client' }),
  },
  relations: {
    staff: defineToManyRelation('exhibitorStaff', 'company_id'),
    booths: defineToManyRelation('booth', 'company_id'),
    applications: defineToManyRelation('boothApplication', 'company_id'),
    licences: defineToManyRelation('licence', 'company_id'),
    orders: defineToManyRelation('order', 'company_id'),
    leads: defineToManyRelation('lead', 'company_id'),
  },
})

const booth = defineQueryEntity({
  name: 'booth',
  label: 'Booths',
  rowIs: 'one booth of a floor plan',
  area: 'exhibitors',
  source: `(select bo.tenant_id, bo.event_id, bo.id, bo.number, bo.floor_plan_id, bo.zone_code, bo.size_code, bo.polygon, bo.status, bo.price_override,
  bo.held_until, bo.created_at, bo.updated_at, ac.order_line_ids, coalesce(ac.company_id, bo.held_for) as company_id
  from booths bo left join booth_assignments ac on ac.tenant_id = bo.tenant_id and ac.event_id = bo.event_id and ac.booth_id = bo.id and ac.until is null)`,
  noTestData: true,
  fields: {
    number: codeField('Number', 'number'),
    floorPlan: codeField(
      'Floor plan',
      buildLookupSql('fp.code', 'floor_plans fp', (row) => `fp.id = ${row}.floor_plan_id`),
      { derived: true, synonyms: ['hall'] },
    ),
    zoneCode: codeField('Zone', 'zone_code'),
    sizeCode: codeField('Size', 'size_code'),
    type: choiceField('Type', (row, values) => `(${values} ->> ${row}.id)`, BOOTH_TYPES, {
      computedFrom: 'boothTypes',
      derived: true,
      help: 'By its open sides',
      synonyms: ['corner', 'inline', 'peninsula', 'island'],
    }),
    areaM2: decimalField('Area in m²', (row) => buildPolygonAreaSql(`${row}.polygon`)),
    status: choiceField('Status', 'status', ['available', 'held', 'assigned', 'blocked', 'merged']),
    price: moneyField(
      'Price',
      (row) => `coalesce(${row}.price_override, (select sum(bl.net)::bigint from order_lines bl where bl.tenant_id = ${row}.tenant_id
        and bl.event_id = ${row}.event_id and bl.id = any(${row}.order_line_ids)))`,
      { derived: true, help: 'Set by hand, else as sold, without tax' },
    ),
    heldUntil: instantField('Held until', 'held_until'),
  },
  one: { company: defineToOneRelation('company', 'company_id') },
})

const boothApplication = defineQueryEntity({
  name: 'boothApplication',
  label: 'Booth applications',
  rowIs: 'one application for a booth',
  area: 'exhibitors',
  source: 'booth_applications',
  fields: {
    number: codeField('Number', 'number'),
    status: choiceField('Status', 'status', [
      'draft',
      'submitted',
      'under_review',
      'approved',
      'waitlisted',
      'offered',
      'accepted',
      'rejected',
      'withdrawn',
      'cancelled',
    ]),
    submittedAt: instantField('Submitted', 'submitted_at'),
    points: decimalField('Priority points', 'points', { help: 'Frozen when a proposal of booths was applied' }),
    offer: moneyField('Offer', 'offer_amount'),
  },
  one: { company: defineToOneRelation('company', 'company_id') },
})

/** SQL source for a table whose rows belong to companies. Its rows are test data if their company is. */
const ofCompanies = (table: string, columns: readonly string[]) =>
  `(select t.tenant_id, t.event_id, t.id, t.company_id, ${columns.map((column) => `t.${column}`).join(', ')}, tc.is_test_data
  from ${table} t join companies tc on tc.tenant_id = t.tenant_id and tc.event_id = t.event_id and tc.id = t.company_id)`

const licence = defineQueryEntity({
  name: 'licence',
  label: 'Lead licences',
  rowIs: 'one licence of a company to capture leads',
  area: 'exhibitors',
  source: ofCompanies('lead_licences', ['product_code', 'grants', 'seats', 'status', 'created_at', 'revoked_at']),
  updated: (row) => `coalesce(${row}.revoked_at, ${row}.created_at)`,
  fields: {
    productCode: codeField('Product', 'product_code'),
    grants: listField('Grants', 'grants'),
    seats: integerField('Seats', 'seats'),
    status: choiceField('Status', 'status', ['active', 'revoked']),
  },
  one: { company: defineToOneRelation('company', 'company_id') },
})

const exhibitorStaff = defineQueryEntity({
  name: 'exhibitorStaff',
  label: 'Exhibitor staff',
  rowIs: 'one person on the staff of an exhibitor',
  area: 'exhibitors',
  source: 'exhibitor_staff',
  fields: {
    name: textField('Name', 'name', identity),
    email: textField('Email', 'email', identity),
    role: choiceField('Role', 'role', ['admin', 'staff', 'contact']),
    status: choiceField('Status', 'status', ['invited', 'registered', 'removed']),
    pass: choiceField('Pass', 'pass', ['free', 'paid']),
  },
  one: { company: defineToOneRelation('company', 'company_id'), participant: defineToOneRelation('participant', 'participant_id') },
})

const device = defineQueryEntity({
  name: 'device',
  label: 'Lead devices',
  rowIs: 'one device that captures leads',
  area: 'exhibitors',
  source: ofCompanies('lead_devices', ['name', 'platform', 'status', 'last_seen_at', 'activated_at']),
  created: 'activated_at',
  updated: 'last_seen_at',
  fields: {
    name: textField('Name', 'name'),
    platform: codeField('Platform', 'platform'),
    status: choiceField('Status', 'status', ['active', 'revoked']),
    lastSeenAt: instantField('Last seen', 'last_seen_at'),
  },
  one: { company: defineToOneRelation('company', 'company_id') },
})

const CAPTURE_TYPES = ['sdk', 'device', 'appointment', 'manual', 'import'] as const

const lead = defineQueryEntity({
  name: 'lead',
  label: 'Leads',
  rowIs: 'one participant whom a company met',
  area: 'exhibitors',
  source: 'leads',
  fields: {
    source: choiceField('Source', 'source', CAPTURE_TYPES),
    status: choiceField('Status', 'status', ['active', 'deleted']),
    captures: integerField('Captures', 'captures', { synonyms: ['scans'] }),
    rating: integerField('Rating', 'rating'),
    firstCapturedAt: instantField('First captured', 'first_captured_at'),
    lastCapturedAt: instantField('Last captured', 'last_captured_at'),
    tags: listField('Tags', 'tags'),
    notes: textField('Notes', 'notes', personal),
  },
  one: { company: defineToOneRelation('company', 'company_id'), participant: defineToOneRelation('participant', 'participant_id') },
  relations: { captures: defineToManyRelation('leadCapture', 'lead_id') },
})

const leadCapture = defineQueryEntity({
  name: 'leadCapture',
  label: 'Lead captures',
  rowIs: 'one scan or entry of a lead',
  area: 'exhibitors',
  source: `(select lc.tenant_id, lc.event_id, lc.id, lc.lead_id, lc.type, lc.at, lc.received_at, lc.device_id, ld.is_test_data
  from lead_captures lc join leads ld on ld.tenant_id = lc.tenant_id and ld.event_id = lc.event_id and ld.id = lc.lead_id)`,
  created: 'received_at',
  updated: 'received_at',
  fields: {
    type: choiceField('Type', 'type', CAPTURE_TYPES),
    at: instantField('When', 'at'),
    deviceId: idField('Device id', 'device_id'),
  },
  one: { lead: defineToOneRelation('lead', 'lead_id') },
})

const offering = defineQueryEntity({
  name: 'offering',
  label: 'Appointment slots',
  rowIs: 'one time at which appointments can be booked',
  area: 'exhibitors',
  source: `(select oo.tenant_id, oo.event_id, oo.id, oo.is_test_data, oo.company_id, oo.starts_at, oo.ends_at, oo.location, oo.capacity, oo.booked,
  oo.created_at from offerings oo where oo.removed_at is null or oo.booked > 0)`,
  updated: null,
  fields: {
    startsAt: instantField('Start', 'starts_at'),
    endsAt: instantField('End', 'ends_at'),
    location: textField('Place', 'location'),
    capacity: integerField('Capacity', 'capacity'),
    booked: integerField('Booked', 'booked'),
  },
  one: { company: defineToOneRelation('company', 'company_id') },
})

const appointment = defineQueryEntity({
  name: 'appointment',
  label: 'Appointments',
  rowIs: 'one appointment',
  area: 'exhibitors',
  source: 'appointments',
  fields: {
    kind: choiceField('Kind', 'kind', ['exhibitor', 'participant']),
    status: choiceField('Status', 'status', ['pending', 'booked', 'declined', 'cancelled', 'completed', 'no_show']),
    bookedBy: textField('Booked by', 'booked_by'),
    cancelReason: textField('Reason of the cancellation', 'cancel_reason', personal),
  },
  one: {
    offering: defineToOneRelation('offering', 'offering_id'),
    company: defineToOneRelation('company', 'company_id'),
    participant: defineToOneRelation('participant', 'participant_id'),
  },
})

export const EXHIBITOR_ENTITIES: readonly QueryEntity[] = [
  company,
  booth,
  boothApplication,
  licence,
  exhibitorStaff,
  device,
  lead,
  leadCapture,
  offering,
  appointment,
]
